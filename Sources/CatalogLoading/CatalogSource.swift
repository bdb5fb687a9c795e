public import Foundation
public import ProductCatalog

/// Source of a catalog.
public enum CatalogSource: Sendable {
    /// A property list on disk, read at each load.
    case file(URL)
    /// A catalog created in code.
    case catalog(Catalog)
    /// A catalog on a web server. The local property list is used if neither the server nor the cache provides a usable
    /// catalog.
    case remote(RemoteCatalog, local: URL? = nil)
}
