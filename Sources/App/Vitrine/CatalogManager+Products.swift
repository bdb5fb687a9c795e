internal import Foundation
public import VitrineCatalog
internal import VitrineEntitlements
public import VitrinePurchasing

extension CatalogManager {
    /// Queries the store again after a change of storefront, because prices differ by country. Nothing is offered until
    /// the store has answered.
    func storefrontChanged() async {
        state.forgetStoreSnapshot()
        if let loading {
            _ = await loading.value
            // The result may be from the previous storefront.
            state.forgetStoreSnapshot()
        }
        guard record.catalog != nil, !Task.isCancelled else { return }
        await load(byItself: true)
    }

    /// Queries the store about the products of a catalog, and reads the purchases that it knows before the products are
    /// offered, if that was not done yet.
    ///
    /// - Parameter before: Ownership before the load, so that the found purchases can be told.
    /// - Returns: `true` if the store has answered about all products.
    func askStore(for catalog: Catalog, ownedBefore before: EntitlementSnapshot) async -> Bool {
        let identifiers = catalog.products.map(\.identifier)
        state.set(paymentRestriction: await store.paymentRestriction())
        let answer = await requester.answer(about: identifiers)
        record.apply(answer.failure)
        await readKnownPurchases(ownedBefore: before)
        await apply(answer, for: identifiers)
        await readChangedPurchases(ownedBefore: before)
        let asked = Set(answer.asked)
        state.set(
            unreturned: answer.failure?.code == .emptyAnswer ? identifiers.filter { !asked.contains($0) } : [])
        guard let failure = answer.failure else { return true }
        state.send(.loading(.productsFailed(failure)))
        return false
    }

    /// Queries the store about one product.
    ///
    /// - Returns: Reason why the store has not answered; `nil` if it has answered.
    func askStore(about identifier: String) async -> StoreError? {
        let answer = await requester.answer(about: [identifier])
        // Without a storefront, the response cannot be merged with the data of the other products.
        if answer.storefront != nil {
            await apply(answer, for: state.snapshot.catalog?.products.map(\.identifier) ?? [])
        }
        record.noteReach(answer.failure)
        return answer.failure
    }

    func apply(_ answer: ProductAnswer, for identifiers: [String]) async {
        let earlier = state.snapshot.storeSnapshot
        guard answer.asked.isEmpty else {
            await apply(
                StoreSnapshot(
                    requested: answer.asked, products: answer.products, date: now(), storefront: answer.storefront,
                    language: options.languages.first
                ).completed(by: earlier, for: identifiers))
            return
        }
        // Prices from another country do not apply.
        if let storefront = answer.storefront, let other = earlier?.storefront, other != storefront {
            state.forgetStoreSnapshot()
        }
    }

    /// Applies a response of the store to the listing, and stores it for later launches.
    ///
    /// - Parameter isNew: `true` for a response that was just received; `false` for an earlier response without the
    ///   data of some products.
    func apply(_ answer: StoreSnapshot, isNew: Bool = true) async {
        state.set(answer, isNew: isNew)
        guard options.loading.keepsStoreSnapshot else { return }
        if let storedSnapshot, answer.isCovered(by: storedSnapshot) { return }
        do {
            try await answer.store(in: entitlements.ledger)
            storedSnapshot = answer
        } catch {
            state.send(.loading(.productsNotStored(error)))
        }
    }

    /// Removes the store's data about products from the listing.
    ///
    /// - Parameter identifiers: Products whose store data is removed; `nil` for all of them.
    func removeFromCache(_ identifiers: [String]?) async {
        guard let answer = state.snapshot.storeSnapshot else { return }
        await apply(answer.without(Set(identifiers ?? answer.requested)), isNew: false)
    }

    /// Queries the store for products by identifier.
    ///
    /// - Parameter cachesResult: `true` to use the response for the listing.
    func fetch(_ identifiers: [String], cachesResult: Bool) async -> ProductAnswer {
        let answer = await requester.answer(about: identifiers)
        record.noteReach(answer.failure)
        if cachesResult {
            await loadCatalogIfMissing()
            await cache(answer)
        }
        return answer
    }

    /// Applies the response to a query by identifier to the listing. A response without a storefront is not applied,
    /// because it cannot be combined with the data of other products.
    private func cache(_ answer: ProductAnswer) async {
        guard let catalog = state.snapshot.catalog, answer.storefront != nil else { return }
        var known = answer
        known.asked = answer.asked.filter { catalog[$0] != nil }
        known.products = answer.products.filter { catalog[$0.identifier] != nil }
        guard !known.asked.isEmpty else { return }
        await apply(known, for: catalog.products.map(\.identifier))
    }
}

/// Store data of products that were queried by identifier.
public struct FetchedProducts: Sendable, Hashable {
    /// Products that the store knows, in the order of the query.
    public let products: [StoreProduct]
    /// Identifiers that the store does not know.
    public let invalidIdentifiers: [String]
}

extension CatalogManager.CatalogAccess {
    /// Queries the store for products by identifier. ``requestStatus`` and ``lastRequestError`` concern loads and do
    /// not change.
    ///
    /// - Parameters:
    ///   - identifiers: Identifiers of the products, in the catalog or not.
    ///   - cachesResult: `true` to use the response for the listing of the catalog's products, which can then be
    ///     bought; the catalog is loaded if necessary. With `false`, a product can be bought by
    ///     ``CatalogManager/purchase(product:options:)``. Products that the catalog does not contain are returned and
    ///     never sold.
    /// - Throws: `StoreError` if the store did not answer about all of the products.
    public func fetchProducts(
        _ identifiers: [String], cachesResult: Bool = true
    ) async throws(StoreError) -> FetchedProducts {
        let answer = await manager.fetch(identifiers.withoutDuplicates, cachesResult: cachesResult)
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
