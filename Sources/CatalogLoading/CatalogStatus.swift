public import Foundation
public import ProductCatalog

/// Status of the catalog, determined without a request.
public struct CatalogStatus: Sendable {
    /// Address of the remote catalog; `nil` if the source is not a server.
    public let url: URL?
    /// URL of the local property list; `nil` if there is none.
    public let local: URL?
    /// Best catalog on this device; `nil` if there is none.
    public let kept: LoadedCatalog?
    /// Error of the local property list; `nil` if it is usable or there is none.
    public let localFailure: CatalogError?
    /// `true` if a load uses the catalog on this device without a request.
    public let isFresh: Bool
    /// Download date of the cached copy; `nil` if there is no usable copy.
    public let fetchedDate: Date?
    /// Last attempt to fetch the remote catalog; `nil` if none is recorded.
    public let lastAttempt: CatalogAttempt?
    /// Error of the cache; `nil` if there is none.
    public let cacheFailure: CatalogCacheError?

    init(
        url: URL? = nil, local: URL? = nil, kept: LoadedCatalog?, localFailure: CatalogError? = nil,
        isFresh: Bool = true, fetchedDate: Date? = nil,
        lastAttempt: CatalogAttempt? = nil, cacheFailure: CatalogCacheError? = nil
    ) {
        self.url = url
        self.local = local
        self.kept = kept
        self.localFailure = localFailure
        self.isFresh = isFresh
        self.fetchedDate = fetchedDate
        self.lastAttempt = lastAttempt
        self.cacheFailure = cacheFailure
    }
}

/// Result of an attempt to fetch the remote catalog.
public struct CatalogAttempt: Sendable, Hashable, Codable {
    /// Reason why an attempt failed.
    public struct Failure: Sendable, Hashable, Codable {
        /// Name of a `CatalogError.Code`.
        public let code: String
        /// Description of the error as part of a sentence.
        public let reason: String
    }

    /// Address of the remote catalog.
    public let url: URL
    /// Date at which the server had responded or the attempt was abandoned.
    public let date: Date
    /// Failure of the attempt; `nil` if the server's catalog was received or confirmed.
    public let failure: Failure?
    /// Earliest date of the next automatic attempt; `nil` if none is known.
    public var nextDate: Date?

    init(url: URL, date: Date, error: CatalogError?) {
        self.url = url
        self.date = date
        failure = error.map { Failure(code: $0.code.description, reason: $0.reason) }
        nextDate = error?.retryDate
    }
}
