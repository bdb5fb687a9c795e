internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineStoreSimulator

/// Texts and prices of other languages and storefronts, kept until the store's products change.
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

    /// Number of languages and storefronts that are kept.
    private static let mostEntries = 12

    /// Returns the translation of a revision.
    ///
    /// - Returns: `nil` if it must be made.
    func translation(_ key: Key, revision: Int) -> ListingTranslation? {
        entries[key].flatMap { $0.revision == revision ? $0.translation : nil }
    }

    mutating func keep(_ translation: ListingTranslation, for key: Key, revision: Int) {
        if entries.count >= Self.mostEntries { entries = [:] }
        entries[key] = Entry(translation: translation, revision: revision)
    }
}

extension PreviewShop {
    /// Returns the texts and prices of a language and storefront.
    ///
    /// - Returns: `nil` for those of the session itself.
    func translation(_ key: Translations.Key, _ state: ShopState) async -> ListingTranslation? {
        let own = store.configuration
        guard key.language != own.language || key.storefront != own.storefront else { return nil }
        // Which subscription offers the customer gets may change with each action; other texts stay.
        let version = own.subscriptions.isEmpty ? 0 : revision
        if let kept = translations.translation(key, revision: version) { return kept }
        let identifiers = state.catalog.products.map(\.identifier)
        do {
            let products = try await session.store.products(
                for: identifiers, storefront: key.storefront, language: key.language)
            let snapshot = StoreSnapshot(
                requested: identifiers, products: products, date: state.clock, storefront: key.storefront,
                language: key.language)
            let translation = ListingTranslation(state.catalog, store: snapshot, languages: [key.language])
            translations.keep(translation, for: key, revision: version)
            return translation
        } catch {
            // The session was replaced meanwhile: the page of the next revision has the texts.
            return nil
        }
    }
}
