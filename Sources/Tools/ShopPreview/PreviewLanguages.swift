internal import Foundation
internal import VitrineCatalog

/// Languages and storefronts that the user of a preview can choose.
enum PreviewLanguages {
    /// Maximum number of languages to choose from.
    private static let mostLanguages = 60

    /// Storefronts to choose from, in addition to the storefront of the store.
    private static let countries = [
        ("AUS", "Australia"), ("AUT", "Austria"), ("BRA", "Brazil"), ("CAN", "Canada"), ("CHN", "China mainland"),
        ("FRA", "France"), ("DEU", "Germany"), ("IND", "India"), ("ITA", "Italy"), ("JPN", "Japan"),
        ("MEX", "Mexico"), ("NLD", "Netherlands"), ("POL", "Poland"), ("PRT", "Portugal"), ("KOR", "South Korea"),
        ("ESP", "Spain"), ("SWE", "Sweden"), ("CHE", "Switzerland"), ("GBR", "United Kingdom"),
        ("USA", "United States"),
    ]

    /// Returns the storefronts to choose from.
    ///
    /// - Parameter own: Storefront of the store.
    static func storefronts(with own: String) -> [PreviewChoice] {
        let known = countries.map { PreviewChoice(identifier: $0.0, name: $0.1) }
        return known.contains { $0.identifier == own } ? known : [PreviewChoice(identifier: own, name: own)] + known
    }

    /// Returns the languages to choose from: the languages of the catalog and the store, English, and the given
    /// language.
    ///
    /// - Parameters:
    ///   - tags: Languages of the catalog and the store, as BCP 47 tags.
    ///   - own: Language of the store's customer, as BCP 47 tag.
    static func choices(_ tags: Set<String>, with own: String) -> [PreviewChoice] {
        let english = Locale(identifier: "en")
        let all = tags.union(["en", own]).sorted().prefix(mostLanguages).map { tag in
            PreviewChoice(identifier: tag, name: english.localizedString(forIdentifier: tag) ?? tag)
        }
        return all.sorted { ($0.name, $0.identifier) < ($1.name, $1.identifier) }
    }

    /// Indicates that a text has the form of a BCP 47 language tag.
    static func isTag(_ text: String) -> Bool {
        text.utf8.count <= 35 && text.wholeMatch(of: /[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*/) != nil
    }

    /// Indicates that a text is the three-letter code of a country with a known currency.
    static func isStorefront(_ code: String) -> Bool {
        code.wholeMatch(of: /[A-Z]{3}/) != nil && Locale(identifier: "en_\(code)").currency != nil
    }
}

extension StoreConfiguration {
    /// Languages of the store's product texts, as BCP 47 tags.
    var languages: Set<String> {
        let localizations = (items + subscriptions.map(\.item)).prefix(500).flatMap(\.localizations)
        return Set(localizations.map { $0.locale.asTag }.filter { PreviewLanguages.isTag($0) })
    }

    /// Language of the store's customer, as BCP 47 tag.
    var language: String { PreviewLanguages.isTag(locale.asTag) ? locale.asTag : "en-US" }
}

extension String {
    fileprivate var asTag: String { replacing("_", with: "-") }
}
