public import Foundation
public import ProductCatalog

/// Where a catalog comes from.
public enum CatalogSource: Sendable {
    /// A property list on disk, read anew each time.
    case file(URL)
    /// A catalog made in code.
    case catalog(Catalog)
    /// The catalog that a web server has; where neither the server nor the cache has a good one, the property list on
    /// disk.
    case remote(RemoteCatalog, local: URL? = nil)
}
