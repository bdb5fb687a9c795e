public import Foundation
public import VitrineCatalog
public import VitrineNetworking
public import VitrineSupport

/// Source of a catalog.
public enum CatalogSource: Sendable {
    /// A catalog on disk, a property list or JSON, that is read at each load.
    case file(URL)
    /// A catalog created in code.
    case catalog(Catalog)
    /// A catalog on a web server. The local property list is used if neither the server nor the cache provides a usable
    /// catalog.
    case remote(RemoteCatalog, local: URL? = nil)
}

/// A catalog on a web server.
public struct RemoteCatalog: Sendable, Hashable {
    /// Address of a catalog: a property list, or JSON. The scheme is `https`, or
    /// `http` for an address of this device itself.
    public var url: URL
    /// Number of days for which a cached catalog is used without a request, counted from its download or the server's
    /// last confirmation: 1 by default; 0 to request the catalog at each load.
    public var cacheDays: Double
    /// Trust settings for the signature of the catalog; `nil` if signatures are not checked.
    public var trust: CatalogTrust?
    /// `true` to accept a catalog without a valid signature that has a lower `catalogVersion` than the copy on the device,
    /// or none although the copy has one. `false` by default: the servers of a network may answer with different versions
    /// for a while. The version of a signed catalog never decreases.
    public var acceptsOlderVersions: Bool
    /// Limits for the size and the duration of a request.
    public var limits: HTTPLimits

    public init(
        url: URL, cacheDays: Double = 1, trust: CatalogTrust? = nil, acceptsOlderVersions: Bool = false,
        limits: HTTPLimits = HTTPLimits()
    ) {
        self.url = url
        self.cacheDays = cacheDays
        self.trust = trust
        self.acceptsOlderVersions = acceptsOlderVersions
        self.limits = limits
    }
}

/// Status of the catalog, determined without a request.
public struct CatalogStatus: Sendable {
    /// Address of the remote catalog; `nil` if the source is not a server.
    public let url: URL?
    /// URL of the local property list; `nil` if there is none.
    public let local: URL?
    /// Best catalog on this device; `nil` if there is none.
    public let stored: LoadedCatalog?
    /// Error of the local property list; `nil` if it is usable or there is none.
    public let localFailure: CatalogError?
    /// `true` if a load uses the catalog on this device without a request.
    public let isFresh: Bool
    /// Download date of the cached catalog; `nil` if there is no usable cached catalog.
    public let fetchedDate: Date?
    /// Last attempt to fetch the remote catalog; `nil` if none is recorded.
    public let lastAttempt: CatalogAttempt?
    /// Error of the cache of downloaded catalogs; `nil` if there is none.
    public let cacheFailure: CatalogCacheError?

    init(
        url: URL? = nil, local: URL? = nil, stored: LoadedCatalog?, localFailure: CatalogError? = nil,
        isFresh: Bool = true, fetchedDate: Date? = nil,
        lastAttempt: CatalogAttempt? = nil, cacheFailure: CatalogCacheError? = nil
    ) {
        self.url = url
        self.local = local
        self.stored = stored
        self.localFailure = localFailure
        self.isFresh = isFresh
        self.fetchedDate = fetchedDate
        self.lastAttempt = lastAttempt
        self.cacheFailure = cacheFailure
    }
}

/// Result of an attempt to fetch the remote catalog.
public struct CatalogAttempt: Sendable, Hashable, Codable {
    /// Reason why an attempt to fetch the remote catalog failed.
    public struct Failure: Sendable, Hashable, Codable {
        /// Name of the error's `CatalogError.Code`, as in logs.
        public let code: String
        /// Description of the error, in lower case and without a period.
        public let reason: String
    }

    /// Address of the remote catalog.
    public let url: URL
    /// Date of the server's response, or of the end of the attempt without a response.
    public let date: Date
    /// Failure of the attempt; `nil` if the server's catalog was received or confirmed.
    public let failure: Failure?
    /// Earliest date of the next automatic attempt to fetch the remote catalog; `nil` if the date is unknown.
    public var nextDate: Date?

    init(url: URL, date: Date, error: CatalogError?) {
        self.url = url
        self.date = date
        failure = error.map { Failure(code: $0.code.description, reason: $0.reason) }
        nextDate = error?.retryDate
    }
}
