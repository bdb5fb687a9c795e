public import Foundation
internal import ProductCatalog

/// What came of asking the server for its catalog.
public struct CatalogAttempt: Sendable, Hashable, Codable {
    /// Why nothing came of it.
    public struct Failure: Sendable, Hashable, Codable {
        /// A code of ``CatalogError``.
        public let code: String
        /// What was wrong, as the rest of a sentence.
        public let reason: String
    }

    /// The server's address.
    public let url: URL
    /// When it had answered, or was given up.
    public let date: Date
    /// `nil` where the catalog is the server's now.
    public let failure: Failure?
    /// Before this it is not asked again by itself; `nil` where nobody has said.
    public var nextDate: Date?

    init(url: URL, date: Date, error: CatalogError?) {
        self.url = url
        self.date = date
        failure = error.map { Failure(code: $0.code.description, reason: $0.reason) }
        nextDate = error?.retryDate
    }
}
