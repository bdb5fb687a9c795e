internal import ProductCatalog

/// Why the cache of downloaded catalogs could not be read or written. Nothing but the download is lost by it.
public struct CatalogCacheError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What happened, as a sentence without a full stop.
    public let reason: String

    public var description: String { reason }
}
