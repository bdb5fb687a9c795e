internal import Foundation

/// A text in one or more languages.
///
/// Languages are BCP 47 tags (`de`, `pt-BR`), or the English names that VTA's property lists use (`English`).
public struct LocalizedText: Sendable, Hashable {
    private let texts: [Translation]
    /// At least one language is given by name rather than by tag: a primary subtag has no more than three letters
    /// (RFC 5646, section 2.2.1).
    private let hasLanguageNames: Bool

    private struct Translation: Hashable {
        /// The language; `nil` where the file gives one text without saying.
        let language: String?
        let text: String
    }

    /// One text for every language.
    public init(_ text: String) {
        texts = [Translation(language: nil, text: text)]
        hasLanguageNames = false
    }

    /// Texts by language, in the order in which they are fallen back on.
    public init(_ texts: [(language: String, text: String)]) {
        self.texts = texts.map { Translation(language: $0.language, text: $0.text) }
        hasLanguageNames = texts.contains { $0.language.prefix(while: \.isLetter).count > 3 }
    }

    /// The text for the first of the languages that there is one for: the tag itself, then the tag shortened part by
    /// part (RFC 4647, section 3.4). After that English, after that the first text in the file.
    public func text(for languages: [String]) -> String {
        for language in languages + ["en"] {
            if let text = lookUp(language) { return text }
        }
        return texts.first?.text ?? ""
    }

    private func lookUp(_ language: String) -> String? {
        var subtags = language.replacing("_", with: "-").split(separator: "-")
        while !subtags.isEmpty {
            let tag = subtags.joined(separator: "-").lowercased()
            let name = hasLanguageNames ? englishName(of: tag) : nil
            let match = texts.first {
                let candidate = $0.language?.lowercased().replacing("_", with: "-")
                return candidate == tag || candidate != nil && candidate == name
            }
            if let match { return match.text }
            subtags.removeLast()
        }
        return nil
    }

    private func englishName(of tag: String) -> String? {
        Locale(identifier: "en").localizedString(forIdentifier: tag)?.lowercased()
    }
}
