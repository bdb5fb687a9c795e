public import Foundation
public import Networking
internal import ProductCatalog

/// A catalog that a web server has.
public struct RemoteCatalog: Sendable, Hashable {
    /// Where it is: a property list with a catalog, or a JSON array of product identifiers. The address is `https`, or
    /// `http` of this device itself.
    public var url: URL
    /// For how many days what was downloaded, or found to be current, is used without asking the server: 1 by default; 0
    /// for none.
    public var cacheDays: Double
    /// Whose signature the catalog has to bear; `nil` where none is looked at.
    public var trust: CatalogTrust?
    /// What a request may take.
    public var limits: HTTPLimits

    public init(url: URL, cacheDays: Double = 1, trust: CatalogTrust? = nil, limits: HTTPLimits = HTTPLimits()) {
        self.url = url
        self.cacheDays = cacheDays
        self.trust = trust
        self.limits = limits
    }
}
