internal import Entitlements
internal import Foundation
internal import HostedContent
internal import ProductCatalog
internal import Purchasing
internal import Receipts

/// Installs the hosted content of what is owned, and hands it out.
struct OwnedContent: ContentProvider {
    let directory: ContentDirectory
    let packages: PackageFolder?
    let state: ManagerState

    // MARK: Installing

    func installContent(unlockedBy transaction: SignedTransaction) async throws(ContentProviderError) -> [String] {
        let entitlements = state.snapshot.entitlements
        guard let catalog = entitlements.catalog else {
            throw ContentProviderError(code: .unavailable, reason: "no catalog is loaded that says what it has")
        }
        let payload = transaction.payload
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
        let hosted = catalog.bundles.descendants(of: index).map { catalog.products[$0] }
            .compactMap { product in product.hostedContentPath.map { (product, $0) } }
        do {
            var installed: [String] = []
            var available: PackageIndex?
            for (product, path) in hosted {
                guard try content(of: product, at: path) == nil else {
                    try directory.makeDurable(path)
                    continue
                }
                let packages: PackageIndex
                if let available { packages = available } else { packages = try packageIndex(for: product) }
                available = packages
                _ = try await directory.install(packages.package(for: product.identifier), at: path)
                installed.append(product.identifier)
            }
            return installed
        } catch {
            throw ContentProviderError(
                code: [.storage, .noSpace].contains(error.code) ? .storage : .unavailable, reason: error.reason)
        }
    }

    /// Installs the content of a product, unless all of what its package has is there.
    @discardableResult
    func install(_ product: CatalogProduct, at path: ContentPath) async throws(ContentError) -> InstalledContent {
        try await directory.install(packageIndex(for: product).package(for: product.identifier), at: path)
    }

    private func packageIndex(for product: CatalogProduct) throws(ContentError) -> PackageIndex {
        guard let packages else {
            throw ContentError(code: .notFound, reason: "there is no place that \(product.identifier) can be had from")
        }
        return try packages.index()
    }

    // MARK: Looking

    /// What is installed for a product.
    func content(of product: CatalogProduct, at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let content = try directory.installedContent(at: path) else { return nil }
        return content.productIdentifier == product.identifier ? content : nil
    }

    /// The products whose content can be had.
    func availableProducts() throws(ContentError) -> Set<String> { try packages?.index().products ?? [] }

    func listing(of product: CatalogProduct, at path: ContentPath) throws(ContentError) -> ContentListing {
        let installed = try content(of: product, at: path)
        let ownership = state.snapshot.entitlements.ownership(of: product.identifier)
        return ContentListing(
            id: product.identifier,
            version: installed?.version,
            size: try installed.map { (content) throws(ContentError) in try directory.size(of: content) },
            path: path,
            state: ContentState(isInstalled: installed != nil, ownership: ownership, mayGiveOut: mayGiveOutUnknown))
    }

    /// Content that is there was owned once. While it cannot be told whether its product still is, it is given out,
    /// unless the store has ever taken something back.
    var mayGiveOutUnknown: Bool { !state.snapshot.entitlements.hasRevocations }
}
