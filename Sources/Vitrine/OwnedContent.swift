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
        let unlocked = entitlements.products(
            unlockedBy: payload.originalTransactionID, of: payload.productIdentifier)
        guard !unlocked.isEmpty else {
            throw ContentProviderError(
                code: .unavailable, reason: "what \(payload.productIdentifier) unlocks could not be read")
        }
        do {
            var installed: [String] = []
            for product in unlocked.compactMap({ catalog[$0] }) {
                guard let path = product.hostedContentPath else { continue }
                if try content(of: product, at: path) == nil {
                    try await install(product, at: path)
                    installed.append(product.identifier)
                } else {
                    try directory.makeDurable(path)
                }
            }
            return installed
        } catch {
            throw ContentProviderError(
                code: error.code == .storage ? .storage : .unavailable, reason: error.reason)
        }
    }

    /// Installs the content of a product, or its other version where the package has one.
    @discardableResult
    func install(_ product: CatalogProduct, at path: ContentPath) async throws(ContentError) -> InstalledContent {
        guard let packages else {
            throw ContentError(code: .notFound, reason: "there is no place that \(product.identifier) can be had from")
        }
        return try await directory.install(packages.package(for: product.identifier), at: path)
    }

    // MARK: Looking

    /// What is installed for a product.
    func content(of product: CatalogProduct, at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let content = try directory.installedContent(at: path) else { return nil }
        return content.productIdentifier == product.identifier ? content : nil
    }

    /// The products whose content can be had.
    func availableProducts() throws(ContentError) -> Set<String> { try packages?.products() ?? [] }

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
