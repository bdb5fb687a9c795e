internal import ProductCatalog

/// Error thrown when the cache of downloaded catalogs cannot be read or written. Only the downloaded copy is affected.
public struct CatalogCacheError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Description of the error, as a sentence without a period.
    public let reason: String

    public var description: String { reason }
}
