/// Progress of the last request for products, in the terms of Apple's StoreManager sample.
///
/// The status concerns the store. If the server's catalog was unavailable and the store answered about a fallback
/// catalog, the request succeeded; ``CatalogManager/CatalogAccess/lastRequestError`` and
/// ``CatalogManager/CatalogAccess/nextLoad`` describe the failure.
public enum RequestStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// No products were requested.
    case idle
    case inProgress
    /// The request has failed, and is repeated at ``CatalogManager/CatalogAccess/nextLoad``. The status was ``failed``
    /// just before.
    case waitingForRetry
    case succeeded
    /// There is no catalog, or the store did not answer about all of its products.
    case failed
}
