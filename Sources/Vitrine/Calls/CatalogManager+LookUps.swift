public import ProductCatalog

/// What is known of one product, without waiting.
extension CatalogManager {
    /// What a product is called; `nil` for one that the catalog does not have.
    public nonisolated func title(for identifier: String) -> String? { listing(for: identifier)?.title }

    /// The description of a product; `nil` for one that the catalog does not have.
    public nonisolated func description(for identifier: String) -> String? { listing(for: identifier)?.description }

    /// The price of a product as the customer's storefront writes it; `nil` where the store has not said it.
    public nonisolated func displayPrice(for identifier: String) -> String? { listing(for: identifier)?.displayPrice }

    /// What the store says about a product of the catalog; `nil` where it does not know it, or was not asked.
    public nonisolated func storeProduct(for identifier: String) -> StoreProduct? {
        state.snapshot.listings?.shelf.stored(identifier)
    }

    /// What the store says about the products of the catalog that it knows, in the order of the catalog.
    public nonisolated var storeProducts: [StoreProduct] { state.snapshot.listings?.shelf.storedProducts ?? [] }

    /// How far the last load of the products is.
    public nonisolated var requestStatus: RequestStatus {
        let snapshot = state.snapshot
        if snapshot.isLoading { return .inProgress }
        switch snapshot.status {
        case .productsLoading: return .idle
        case .listLoaded, .listLoadFailed, .productsLoadFailed: return nextLoad == nil ? .failed : .waitingForRetry
        case .productsLoaded: return .succeeded
        }
    }

    /// Why something could not be had in the last load of the products; `nil` where nothing went wrong.
    public nonisolated var lastRequestError: LoadFailure? { state.snapshot.loadFailure }
}

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
