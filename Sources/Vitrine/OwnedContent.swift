internal import Entitlements
internal import Foundation
internal import HostedContent
internal import ProductCatalog
internal import Purchasing
internal import Receipts

/// Gets and installs the content of what is owned, and hands it out.
struct OwnedContent: ContentProvider {
    let directory: ContentDirectory
    let downloads: ContentDownloads
    let packages: PackageFolder?
    let store: (any StoreContent)?
    let state: ManagerState

    init(
        home: Home, packages: PackageFolder?, store: (any StoreContent)?, ledger: any Ledger, state: ManagerState,
        options: ManagerOptions
    ) {
        directory = ContentDirectory(url: home.hostedContent)
        self.packages = packages
        self.store = store
        self.state = state
        downloads = ContentDownloads(
            directory: directory,
            source: ContentChoice(
                web: NoWeb(), store: store.map { StoreHostedContent(store: $0) }, folder: packages),
            policy: options.downloads, now: options.now, sleep: options.schedule.sleep,
            tell: { state.events.send(.downloadUpdated($0)) },
            installed: { content, _ in state.events.send(.contentInstalled(content)) })
    }

    // MARK: Installing

    func installContent(unlockedBy transaction: SignedTransaction) async throws(ContentProviderError) -> [String] {
        let hosted = try hostedProducts(unlockedBy: transaction.payload)
        do throws(ContentError) {
            var installed: [String] = []
            for result in await downloads.contents(try missingContent(of: hosted), isAsked: false) {
                if case .success(let content) = result { installed.append(content.productIdentifier) }
                if case .failure(let error) = result { throw error }
            }
            return installed
        } catch {
            throw ContentProviderError(
                code: error.isAboutThisDevice ? .storage : .unavailable, reason: error.reason)
        }
    }

    /// What a purchase unlocks and has content: its own product first.
    private func hostedProducts(unlockedBy payload: TransactionPayload) throws(ContentProviderError) -> [CatalogProduct]
    {
        let entitlements = state.snapshot.entitlements
        guard let catalog = entitlements.catalog else {
            throw ContentProviderError(code: .unavailable, reason: "no catalog is loaded that says what it has")
        }
        guard entitlements.counts(payload.purchaseID, of: payload.productIdentifier) else {
            throw ContentProviderError(
                code: .unavailable, reason: "the purchase of \(payload.productIdentifier) does not count any more")
        }
        // A period that has ended by now was delivered all the same.
        guard entitlements.isOwned(payload.productIdentifier) else { return [] }
        guard let index = catalog.index(of: payload.productIdentifier) else {
            guard catalog.hasErrors else { return [] }
            throw ContentProviderError(
                code: .unavailable,
                reason: "the catalog, which has errors, does not say what \(payload.productIdentifier) has")
        }
        return catalog.bundles.descendants(of: index).map { catalog.products[$0] }
            .filter { $0.hostedContentPath != nil }
    }

    private func missingContent(of products: [CatalogProduct]) throws(ContentError) -> [ContentDownloads.Wanted] {
        var wanted: [ContentDownloads.Wanted] = []
        for product in products {
            guard let path = product.hostedContentPath else { continue }
            if try content(of: product, at: path) == nil {
                wanted.append(
                    ContentDownloads.Wanted(
                        ContentRequest(product), at: path, priority: wanted.isEmpty ? .wanted : .unlocked))
            } else {
                try directory.makeDurable(path)
            }
        }
        return wanted
    }

    /// Gets the content of a product, unless the version that the catalog asks for is there.
    func download(_ product: CatalogProduct, at path: ContentPath) async throws(ContentError) -> InstalledContent {
        let request = ContentRequest(product)
        if let installed = try content(of: product, at: path), installed.version == request.version {
            try directory.makeDurable(path)
            return installed
        }
        return try await downloads.content(ContentDownloads.Wanted(request, at: path), isAsked: true)
    }
}

extension ContentError {
    /// Something on this device cannot be read or written.
    var isAboutThisDevice: Bool { code == .storage || code == .noSpace }
}
