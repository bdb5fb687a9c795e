import Foundation
import VitrineCatalog
internal import VitrineCommandSupport

/// Two versions of a product, before and after a change of its catalog.
struct ComparedProduct {
    let identifier: String
    let changes: [CatalogComparison.Change]
    /// Product in the older catalog; `nil` if the older catalog does not contain it, or excludes it because of errors.
    private let old: CatalogProduct?
    private let new: CatalogProduct?

    /// Returns the products with changes, in the order of their first changes.
    static func all(
        _ changes: [CatalogComparison.Change], from old: Catalog, to new: Catalog
    ) -> [ComparedProduct] {
        var (identifiers, changesByProduct) = ([String](), [String: [CatalogComparison.Change]]())
        for change in changes {
            guard let product = change.product else { continue }
            if changesByProduct[product] == nil { identifiers.append(product) }
            changesByProduct[product, default: []].append(change)
        }
        return identifiers.map { identifier in
            ComparedProduct(
                identifier: identifier, changes: changesByProduct[identifier] ?? [], old: old[identifier],
                new: new[identifier])
        }
    }

    /// Properties that the product has before or after the change, with both values.
    var properties: [ComparedProperty] {
        CatalogKeyDescription.all.flatMap { key -> [ComparedProperty] in
            guard let comparison = key.comparison, let name = comparison.heading else { return [] }
            return comparison.text.map { texts(name, $0) } ?? [property(name, comparison.describe)]
        }
        .filter { !$0.old.isEmpty || !$0.new.isEmpty }
    }

    private func property(_ name: String, _ describe: (CatalogProduct) -> [String]) -> ComparedProperty {
        ComparedProperty(name: name, old: old.map(describe) ?? [], new: new.map(describe) ?? [])
    }

    /// Returns the values of a localized text: in English, and in each other language with a change of its own.
    private func texts(_ name: String, _ text: (CatalogProduct) -> LocalizedText?) -> [ComparedProperty] {
        let (before, after) = (old.flatMap(text), new.flatMap(text))
        let first = property(name) { text($0).map { [$0.text(for: [])] } ?? [] }
        guard let before, let after, before != after else { return [first] }
        var properties = [first]
        for language in Self.languages {
            let (old, new) = (before.text(for: [language]), after.text(for: [language]))
            guard old != new, !properties.contains(where: { $0.old == [old] && $0.new == [new] }) else { continue }
            properties.append(ComparedProperty(name: "\(name) (\(language))", old: [old], new: [new]))
        }
        guard !properties.contains(where: { $0.old != $0.new }) else { return properties }
        return [ComparedProperty(name: "\(name) (a translation changes)", old: first.old, new: first.new)]
    }

    /// Language codes that the App Store supports.
    private static let languages = [
        "ar", "bn", "ca", "cs", "da", "de", "el", "en-AU", "en-CA", "en-GB", "es", "es-MX", "fi", "fr", "fr-CA", "gu",
        "he", "hi", "hr", "hu", "id", "it", "ja", "kn", "ko", "ml", "mr", "ms", "nb", "nl", "or", "pa", "pl", "pt-BR",
        "pt-PT", "ro", "ru", "sk", "sl", "sv", "ta", "te", "th", "tr", "uk", "ur", "vi", "zh-Hans", "zh-Hant",
    ]
}

/// Values of one property of a product before and after a change.
struct ComparedProperty {
    let name: String
    let old: [String]
    let new: [String]
}
