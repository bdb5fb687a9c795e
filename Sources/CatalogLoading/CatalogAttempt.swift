public import Foundation
internal import ProductCatalog

/// Result of an attempt to fetch the remote catalog.
public struct CatalogAttempt: Sendable, Hashable, Codable {
    /// Reason why an attempt failed.
    public struct Failure: Sendable, Hashable, Codable {
        /// Name of a ``CatalogError/Code``.
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
