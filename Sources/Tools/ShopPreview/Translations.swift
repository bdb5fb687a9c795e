internal import Vitrine
internal import VitrineStoreSimulator

/// Cache of product texts and prices for languages and storefronts other than the session's own.
struct Translations {
    struct Key: Hashable {
        let language: String
        let storefront: String
    }

    private struct Entry {
        let translation: ListingTranslation
        let revision: Int
    }

    private var entries: [Key: Entry] = [:]

    /// Maximum number of cached combinations of language and storefront.
    private static let mostEntries = 12

    /// Returns the cached texts and prices for a language and storefront.
    ///
    /// - Returns: `nil` if they are not cached for the given revision of the shop.
    func translation(_ key: Key, revision: Int) -> ListingTranslation? {
        entries[key].flatMap { $0.revision == revision ? $0.translation : nil }
    }

    mutating func store(_ translation: ListingTranslation, for key: Key, revision: Int) {
        if entries.count >= Self.mostEntries { entries = [:] }
        entries[key] = Entry(translation: translation, revision: revision)
    }
}

extension PreviewShop {
    /// Returns the texts and prices for a language and storefront.
    ///
    /// - Returns: `nil` for the session's own language and storefront.
    func translation(_ key: Translations.Key, _ state: ShopState) async -> ListingTranslation? {
        let own = store.configuration
        guard key.language != own.language || key.storefront != own.storefront else { return nil }
        // Each action may change the subscription offers for the customer; all other texts remain the same.
        let version = own.subscriptions.isEmpty ? 0 : revision
        if let stored = translations.translation(key, revision: version) { return stored }
        let identifiers = state.catalog.products.map(\.identifier)
        do {
            let products = try await session.store.products(
                for: identifiers, storefront: key.storefront, language: key.language)
            let snapshot = StoreSnapshot(
                requested: identifiers, products: products, date: state.clock, storefront: key.storefront,
                language: key.language)
            let translation = ListingTranslation(state.catalog, store: snapshot, languages: [key.language])
            translations.store(translation, for: key, revision: version)
            return translation
        } catch {
            // The session was replaced during the request. The page of the next revision gets the texts.
            return nil
        }
    }
}
