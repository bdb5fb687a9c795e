public import Foundation
public import Networking
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

/// A catalog on a web server.
public struct RemoteCatalog: Sendable, Hashable {
    /// Address of a property list with a catalog, or of a JSON array of product identifiers. The scheme is `https`, or
    /// `http` for an address of this device itself.
    public var url: URL
    /// Number of days for which a cached catalog is used without a request, counted from its download or the server's
    /// last confirmation: 1 by default; 0 disables this.
    public var cacheDays: Double
    /// Trust settings for the signature of the catalog; `nil` if signatures are not checked.
    public var trust: CatalogTrust?
    /// Limits for the size and the duration of a request.
    public var limits: HTTPLimits

    public init(url: URL, cacheDays: Double = 1, trust: CatalogTrust? = nil, limits: HTTPLimits = HTTPLimits()) {
        self.url = url
        self.cacheDays = cacheDays
        self.trust = trust
        self.limits = limits
    }
}
