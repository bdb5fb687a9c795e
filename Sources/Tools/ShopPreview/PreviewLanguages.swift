internal import Foundation
internal import VitrineCatalog

/// Languages and storefronts that the user of a preview can choose.
enum PreviewLanguages {
    /// Maximum number of languages of a catalog and a store to choose from.
    private static let mostLanguages = 60

    /// Storefronts to choose from, in addition to those of the store and the page.
    private static let countries = [
        ("AUS", "Australia"), ("AUT", "Austria"), ("BRA", "Brazil"), ("CAN", "Canada"), ("CHN", "China mainland"),
        ("FRA", "France"), ("DEU", "Germany"), ("IND", "India"), ("ITA", "Italy"), ("JPN", "Japan"),
        ("MEX", "Mexico"), ("NLD", "Netherlands"), ("POL", "Poland"), ("PRT", "Portugal"), ("KOR", "South Korea"),
        ("ESP", "Spain"), ("SWE", "Sweden"), ("CHE", "Switzerland"), ("GBR", "United Kingdom"),
        ("USA", "United States"),
    ]

    /// Returns the storefronts to choose from.
    ///
    /// - Parameter others: Storefronts of the store and the page.
    static func storefronts(with others: Set<String>) -> [PreviewChoice] {
        let known = countries.map { PreviewChoice(identifier: $0.0, name: $0.1) }
        let unknown = others.subtracting(known.map(\.identifier)).sorted()
        return unknown.map { PreviewChoice(identifier: $0, name: $0) } + known
    }

    /// Returns the languages to choose from: English, and the given ones.
    ///
    /// - Parameters:
    ///   - tags: Languages of the catalog and the store, as BCP 47 tags.
    ///   - others: Further languages, of which none is left out.
    static func choices(_ tags: Set<String>, with others: Set<String>) -> [PreviewChoice] {
        let english = Locale(identifier: "en")
        let all = Set(tags.sorted().prefix(mostLanguages)).union(others).union(["en"]).map { tag in
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
