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
    /// What fetches archives while the app is gone; `nil` where nothing does.
    let background: BackgroundTransfers?
    let packages: PackageFolder?
    let store: (any StoreContent)?
    let state: ManagerState
    private let ledger: any Ledger
    private let now: @Sendable () -> Date
    /// What was given out is not evicted as long as the manager is there; `nil` where nothing is evicted.
    let uses: ContentUses?
    /// What purchases are about whose content is being installed: all of it has to be there at once.
    private let placesOfPurchases = PlacesInWork()

    init(
        home: Home, packages: PackageFolder?, store: (any StoreContent)?, ledger: any Ledger, state: ManagerState,
        options: ManagerOptions
    ) {
        let directory = ContentDirectory(url: home.hostedContent)
        self.directory = directory
        self.packages = packages
        self.store = store
        self.state = state
        self.ledger = ledger
        now = options.now
        uses = options.contentQuota == nil ? nil : ContentUses(directory: directory, now: options.now)
        let background = options.backgroundSession.map {
            BackgroundTransfers(
                session: $0, directory: directory, now: options.now, sleep: options.schedule.sleep)
        }
        self.background = background
        downloads = ContentDownloads(
            directory: directory,
            source: ContentSources(
                servers: ContentSources.Servers(
                    transport: options.transport, signers: { state.contentSigners }, background: background,
                    now: options.now, directory: directory),
                store: store, folder: packages),
            policy: options.downloads, now: options.now, sleep: options.schedule.sleep,
            tell: { state.tell(.content(.downloadUpdated($0))) },
            withdraw: { await background?.withdraw($0) },
            installed: { content, path throws(ContentError) in
                try await Self.record(content, at: path, in: ledger, on: options.now())
                state.tell(.content(.installed(content)))
            },
            makeRoom: { [placesOfPurchases] downloaded in
                guard let quota = options.contentQuota else { return }
                do throws(ContentError) {
                    let evicted = try directory.evict(to: quota, sparing: downloaded.union(placesOfPurchases.all))
                    if !evicted.isEmpty { state.tell(.content(.removed(evicted.map(\.content.productIdentifier)))) }
                } catch {
                    state.tell(.content(.failed(error)))
                }
            })
    }

    /// Recording it twice changes nothing.
    private static func record(
        _ content: InstalledContent, at path: ContentPath, in ledger: any Ledger, on date: Date
    ) async throws(ContentError) {
        let fact = Fact.Content(
            productIdentifier: content.productIdentifier, version: content.version, digest: content.digest,
            path: path.description)
        do {
            _ = try await ledger.append([.content(fact)], at: date)
        } catch {
            throw ContentError(code: .storage, reason: error.reason)
        }
    }

    // MARK: Installing

    func lacksContent(unlockedBy transaction: SignedTransaction) -> Bool {
        do {
            return try hostedProducts(unlockedBy: transaction.payload).contains { product in
                try product.hostedContentPath.map { try content(of: product, at: $0) == nil } ?? false
            }
        } catch {
            return false
        }
    }

    func installContent(unlockedBy transaction: SignedTransaction) async throws(ContentProviderError) -> [String] {
        let hosted = try hostedProducts(unlockedBy: transaction.payload)
        let places = hosted.compactMap(\.hostedContentPath)
        placesOfPurchases.add(places)
        defer { placesOfPurchases.remove(places) }
        do throws(ContentError) {
            var installed: [String] = []
            for result in await downloads.contents(try await missingContent(of: hosted), isAsked: false) {
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
        let snapshot = state.snapshot
        let entitlements = snapshot.entitlements
        guard let catalog = entitlements.catalog else {
            throw ContentProviderError(code: .unavailable, reason: "no catalog is loaded that says what it has")
        }
        guard entitlements.counts(payload.purchaseID, of: payload.productIdentifier) else {
            throw ContentProviderError(
                code: .unavailable, reason: "the purchase of \(payload.productIdentifier) does not count any more")
        }
        // A period that has ended by now was delivered all the same.
        guard entitlements.isOwned(payload.productIdentifier) else { return [] }
        // A renewal unlocks nothing that the period before it has not: what is not here was not picked, or was removed.
        if payload.reason == .renewal,
            entitlements.hasPeriod(
                of: payload.productIdentifier, before: payload.purchaseDate, in: payload.originalTransactionID)
        {
            return []
        }
        guard let index = catalog.index(of: payload.productIdentifier) else {
            let flaw: String
            switch (catalog.hasErrors, snapshot.isCatalogStandIn) {
            case (true, _): flaw = "has errors"
            case (false, true): flaw = "stands in for the server's"
            // It has left the catalog, and has no content any more.
            case (false, false): return []
            }
            throw ContentProviderError(
                code: .unavailable,
                reason: "the catalog, which \(flaw), does not say what \(payload.productIdentifier) has")
        }
        return catalog.bundles.descendants(of: index).map { catalog.products[$0] }
            .filter { $0.hostedContentPath != nil }
    }

    private func missingContent(
        of products: [CatalogProduct]
    ) async throws(ContentError) -> [ContentDownloads.Wanted] {
        var wanted: [ContentDownloads.Wanted] = []
        for product in products {
            guard let path = product.hostedContentPath else { continue }
            if let installed = try content(of: product, at: path) {
                try await settle(installed, at: path)
            } else {
                wanted.append(
                    ContentDownloads.Wanted(
                        ContentRequest(product), at: path, priority: wanted.isEmpty ? .wanted : .unlocked))
            }
        }
        return wanted
    }

    /// Does what an installation that was interrupted may have left undone.
    private func settle(_ installed: InstalledContent, at path: ContentPath) async throws(ContentError) {
        try directory.makeDurable(path)
        try await Self.record(installed, at: path, in: ledger, on: now())
    }

    /// Gets the content of a product, unless the version that the catalog asks for is there.
    func download(_ product: CatalogProduct, at path: ContentPath) async throws(ContentError) -> InstalledContent {
        let request = ContentRequest(product)
        if let installed = try content(of: product, at: path), request.isMet(by: installed) ?? false {
            try await settle(installed, at: path)
            return installed
        }
        return try await downloads.content(ContentDownloads.Wanted(request, at: path), isAsked: true)
    }
}

extension ContentError {
    /// Something on this device cannot be read or written.
    var isAboutThisDevice: Bool { code == .storage || code == .noSpace }
}
