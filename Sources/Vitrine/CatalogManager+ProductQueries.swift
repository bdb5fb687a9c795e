public import ProductCatalog
public import Purchasing

/// Store data of products that were queried by identifier.
public struct FetchedProducts: Sendable, Hashable {
    /// Products that the store knows, in the order of the query.
    public let products: [StoreProduct]
    /// Identifiers that the store does not know.
    public let invalidIdentifiers: [String]
}

extension CatalogManager.CatalogAccess {
    /// Queries the store for products by identifier. ``requestStatus`` and ``lastRequestError`` concern loads and do not change.
    ///
    /// - Parameters:
    ///   - identifiers: Identifiers of the products, in the catalog or not.
    ///   - cachesResult: `true` to use the response for the listing of the catalog's products. Products that the catalog does
    ///     not contain are returned and never sold; before a catalog is loaded, that applies to all products.
    /// - Throws: `StoreError` if the store did not answer about all of them.
    public func fetchProducts(
        _ identifiers: [String], cachesResult: Bool = true
    ) async throws(StoreError) -> FetchedProducts {
        let answer = await manager.requester.answer(about: identifiers.withoutDuplicates)
        if cachesResult { await manager.cache(answer) }
        // An empty response may mean that the store knows none of the products, or that it failed silently.
        if let failure = answer.failure, failure.code != .emptyAnswer { throw failure }
        let products = Dictionary(answer.products.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        let wanted = identifiers.withoutDuplicates
        return FetchedProducts(
            products: wanted.compactMap { products[$0] },
            invalidIdentifiers: wanted.filter { products[$0] == nil })
    }

    /// Removes the store's data of some products until the store is queried again. Owned products stay owned.
    public func removeFromCache(_ identifiers: [String]) async { await manager.removeFromCache(identifiers) }

    /// Removes the store's data of all products until the store is queried again. Owned products stay owned.
    public func removeAllFromCache() async { await manager.removeFromCache(nil) }

    /// Queries the store for products by identifier, as ``fetchProducts(_:cachesResult:)`` does.
    public func fetchProducts(
        _ identifiers: [String], cachesResult: Bool = true,
        onSuccess: @escaping @MainActor @Sendable (FetchedProducts) -> Void,
        onFailure: @escaping @MainActor @Sendable (StoreError) -> Void
    ) {
        Task {
            do throws(StoreError) {
                let products = try await fetchProducts(identifiers, cachesResult: cachesResult)
                await onSuccess(products)
            } catch {
                await onFailure(error)
            }
        }
    }

    /// Queries the store for products by identifier, as ``fetchProducts(_:cachesResult:)`` does.
    public func fetchProducts(
        _ identifiers: [String], cachesResult: Bool = true, delegate: any StoreCallDelegate
    ) {
        fetchProducts(identifiers, cachesResult: cachesResult) { [weak delegate] fetched in
            delegate?.productsFetched(fetched.products, invalidIdentifiers: fetched.invalidIdentifiers)
        } onFailure: { [weak delegate] error in
            delegate?.productsFetchFailed(error)
        }
    }
}
