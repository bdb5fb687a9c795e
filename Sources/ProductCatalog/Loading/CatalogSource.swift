public import Foundation
internal import PropertyList

/// Where a catalog comes from.
public enum CatalogSource: Sendable {
    /// A property list on disk, read anew each time.
    case file(URL)
    /// A catalog made in code.
    case catalog(Catalog)

    /// The catalog, read now.
    ///
    /// - Throws: ``CatalogError`` where there is no file, no property list in it, or no product that can be used
    ///   because of errors. A catalog whose other products can be used is returned, with its diagnostics.
    public func load() throws(CatalogError) -> Catalog {
        switch self {
        case .catalog(let catalog): return catalog
        case .file(let url):
            let catalog = try CatalogFile(url: url).catalog
            guard catalog.hasErrors, catalog.products.isEmpty else { return catalog }
            throw CatalogError(
                code: .noUsableProduct, url: url,
                reason: catalog.diagnostics.first { $0.severity == .error }?.message ?? "",
                diagnostics: catalog.diagnostics)
        }
    }
}
