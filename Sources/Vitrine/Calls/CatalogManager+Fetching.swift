public import ProductCatalog
public import Purchasing

/// What the store says about products that were named in code.
public struct FetchedProducts: Sendable, Hashable {
    /// In the order in which they were named.
    public let products: [StoreProduct]
    /// What the store does not know.
    public let invalidIdentifiers: [String]
}

extension CatalogManager {
    /// Asks the store about products that are named in code. ``requestStatus`` and ``lastRequestError`` are about loads, and
    /// stay as they are.
    ///
    /// - Parameters:
    ///   - identifiers: The products' identifiers, whether or not the catalog has them.
    ///   - cachesResult: What it says about products of the catalog takes its place in the listing. What the catalog does not
    ///     have is answered, and never sold; before a catalog is loaded, that is so for all of them.
    /// - Throws: `StoreError` where the store has not answered about all of them.
    public func fetchProducts(
        _ identifiers: [String], cachesResult: Bool = true
    ) async throws(StoreError) -> FetchedProducts {
        let answer = await requester.answer(about: identifiers.withoutDuplicates)
        if cachesResult { await cache(answer) }
        // Nobody can tell a store that knows none of them from one that fails without saying so.
        if let failure = answer.failure, failure.code != .emptyAnswer { throw failure }
        let products = Dictionary(answer.products.map { ($0.identifier, $0) }, uniquingKeysWith: { first, _ in first })
        let wanted = identifiers.withoutDuplicates
        return FetchedProducts(
            products: wanted.compactMap { products[$0] },
            invalidIdentifiers: wanted.filter { products[$0] == nil })
    }

    /// Forgets what the store has said about products, until it is asked again. What is owned stays owned.
    public func removeFromCache(_ identifiers: [String]) async {
        guard let answer = state.snapshot.storeAnswer else { return }
        await takeIn(answer.without(Set(identifiers)), isNew: false)
    }

    /// Forgets what the store has said about all products, until it is asked again. What is owned stays owned.
    public func removeAllFromCache() async {
        guard let answer = state.snapshot.storeAnswer else { return }
        await takeIn(answer.without(Set(answer.asked)), isNew: false)
    }

    /// Without a storefront an answer cannot take its place beside what is known of other products.
    private func cache(_ answer: ProductAnswer) async {
        guard let catalog = state.snapshot.catalog, answer.storefront != nil else { return }
        var known = answer
        known.asked = answer.asked.filter { catalog[$0] != nil }
        known.products = answer.products.filter { catalog[$0.identifier] != nil }
        guard !known.asked.isEmpty else { return }
        await takeIn(known, for: catalog.products.map(\.identifier))
    }
}
