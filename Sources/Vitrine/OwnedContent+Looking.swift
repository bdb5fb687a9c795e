internal import Entitlements
internal import Foundation
internal import HostedContent
internal import ProductCatalog

extension OwnedContent {
    /// Returns the installed content of a product.
    func content(of product: CatalogProduct, at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let content = try directory.installedContent(at: path) else { return nil }
        return content.productIdentifier == product.identifier ? content : nil
    }

    /// Returns the installed content of a product, which is not evicted from now on.
    func contentForUse(of product: CatalogProduct, at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let installed = try content(of: product, at: path) else { return nil }
        guard let uses else { return installed }
        return try uses.begin(at: path) ? installed : nil
    }

    /// Returns the installed content of the products of a catalog.
    func installedContent(in catalog: Catalog) throws(ContentError) -> [String: InstalledContent] {
        var installed: [String: InstalledContent] = [:]
        for product in catalog.products {
            guard let path = product.hostedContentPath else { continue }
            installed[product.identifier] = try content(of: product, at: path)
        }
        return installed
    }

    /// Returns the identifiers of products whose content is available.
    func availableProducts(in catalog: Catalog) throws(ContentError) -> Set<String> {
        let packaged = try packages?.index().products ?? []
        let elsewhere = catalog.products.filter { product in
            product.hostedContentPath != nil
                && (!ContentRequest(product).urls.isEmpty || store?.hasContent(for: product.identifier) ?? false)
        }
        return packaged.union(elsewhere.map(\.identifier))
    }

    /// Returns the identifiers of products whose content is missing, in another version than the catalog requires, or
    /// being repaired.
    func productsLackingContent(in catalog: Catalog) throws(ContentError) -> Set<String> {
        let begun = try directory.productsWithDownloadedBytes()
        var products: Set<String> = []
        for product in catalog.products {
            guard let path = product.hostedContentPath else { continue }
            let installed = try content(of: product, at: path)
            if begun.contains(product.identifier)
                || installed.map({ ContentRequest(product).isMet(by: $0) ?? true }) != true
            {
                products.insert(product.identifier)
            }
        }
        return products
    }

    func listing(of product: CatalogProduct, at path: ContentPath) throws(ContentError) -> ContentListing {
        let installed = try content(of: product, at: path)
        let ownership = state.snapshot.entitlements.ownership(of: product.identifier)
        let request = ContentRequest(product)
        return ContentListing(
            id: product.identifier,
            version: installed?.version,
            catalogVersion: request.version,
            size: try installed.map { (content) throws(ContentError) in try directory.size(of: content) },
            path: path,
            state: ContentState(
                isInstalled: installed != nil,
                isCurrent: installed.map { request.isMet(by: $0) ?? true } ?? true,
                ownership: ownership, mayGiveOut: mayGiveOutUnknown),
            download: downloads.status(of: product.identifier))
    }

    /// `true` if installed content is provided while the ownership of its product is unknown: unless the store has ever
    /// revoked a purchase. Installed content was owned once.
    var mayGiveOutUnknown: Bool { !state.snapshot.entitlements.hasRevocations }
}
