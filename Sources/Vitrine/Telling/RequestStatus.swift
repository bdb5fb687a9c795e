/// How far the last request for products is, in the terms of Apple's StoreManager sample.
///
/// It is about what the store was asked. Where another catalog stands in for the server's, which could not be had, and the
/// store has answered about that, the request has succeeded; ``CatalogManager/lastRequestError`` and
/// ``CatalogManager/nextLoad`` tell of the rest.
public enum RequestStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nothing has been asked for.
    case idle
    case inProgress
    /// There is no catalog, or the store could not be asked about all of its products. It is tried again at
    /// ``CatalogManager/nextLoad``.
    case waitingForRetry
    case succeeded
    case failed
}
