/// Texts for customers by language and key. A key names its text, so that texts cannot be exchanged by their position.
package struct PhraseTable<Key: Hashable & Sendable>: Sendable {
    private let texts: [String: [Key: String]]
    /// Tags of the languages as localized texts, so that a language is chosen as for the texts of a catalog.
    private let tags: LocalizedText

    /// - Parameter texts: Texts by key, by BCP 47 tag of the language. English must be one of the languages.
    package init(_ texts: [String: [Key: String]]) {
        self.texts = texts
        tags = LocalizedText(texts.keys.sorted().map { ($0, $0) })
    }

    /// Supported languages, as BCP 47 tags.
    package var languages: [String] { texts.keys.sorted() }

    /// Returns the first of a customer's languages that is supported, or else English.
    ///
    /// - Parameter languages: BCP 47 tags, in order of preference.
    package func language(for languages: [String]) -> String { tags.text(for: languages) }

    /// Returns the text of a key in a supported language; empty if the language lacks it.
    package func text(_ key: Key, in language: String) -> String { texts[language]?[key] ?? "" }
}
