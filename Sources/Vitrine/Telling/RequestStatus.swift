/// How far the last request for products is, in the terms of Apple's StoreManager sample.
public enum RequestStatus: String, Sendable, Hashable, Codable, CaseIterable {
    /// Nothing has been asked for.
    case idle
    case inProgress
    /// Something could not be had, and is tried again at ``CatalogManager/nextLoad``.
    case waitingForRetry
    case succeeded
    case failed
}
