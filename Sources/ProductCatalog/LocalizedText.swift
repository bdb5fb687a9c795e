internal import Foundation
internal import PropertyList

/// A text in one or more languages.
///
/// Languages are BCP 47 tags (`de`, `pt-BR`), or the English names that VTA's property lists use (`English`).
public struct LocalizedText: Sendable, Hashable {
    private let source: Source

    private enum Source {
        case texts([Translation])
        /// A string or dictionary in a file, read when it is asked for: most texts are never shown.
        case value(PropertyListValue)
    }

    private struct Translation: Hashable {
        /// The language; `nil` where the file gives one text without saying.
        let language: String?
        let text: String

        /// The language is given by name rather than by tag: a primary subtag has no more than three letters
        /// (RFC 5646, section 2.2.1).
        var hasLanguageName: Bool { language.map { $0.prefix(while: \.isLetter).count > 3 } ?? false }
    }

    /// One text for every language.
    public init(_ text: String) {
        source = .texts([Translation(language: nil, text: text)])
    }

    /// Texts by language, in the order in which they are fallen back on.
    public init(_ texts: [(language: String, text: String)]) {
        source = .texts(texts.map { Translation(language: $0.language, text: $0.text) })
    }

    /// - Returns: `nil` for a value without any text. An empty one counts as none.
    init?(_ value: PropertyListValue) {
        var hasText = value.withUTF8 { !$0.isEmpty } ?? false
        value.forEachKey { if $1.firstByte != 0 { hasText = true } }
        guard hasText else { return nil }
        source = .value(value)
    }

    private var texts: [Translation] {
        switch source {
        case .texts(let texts): return texts
        case .value(let value):
            if let text = value.string { return [Translation(language: nil, text: text)] }
            return value.entries.compactMap { entry in
                entry.value.string.flatMap { $0.isEmpty ? nil : Translation(language: entry.key, text: $0) }
            }
        }
    }

    public static func == (left: LocalizedText, right: LocalizedText) -> Bool { left.texts == right.texts }

    public func hash(into hasher: inout Hasher) { hasher.combine(texts) }

    /// The text for the first of the languages that there is one for: the tag itself, then the tag shortened part by
    /// part (RFC 4647, section 3.4). After that English, after that the first text in the file.
    public func text(for languages: [String]) -> String {
        let texts = texts
        guard texts.count > 1 else { return texts.first?.text ?? "" }
        let hasLanguageNames = texts.contains(where: \.hasLanguageName)
        for language in languages + ["en"] {
            if let text = Self.lookUp(language, in: texts, hasLanguageNames) { return text }
        }
        return texts.first?.text ?? ""
    }

    private static func lookUp(_ language: String, in texts: [Translation], _ hasLanguageNames: Bool) -> String? {
        var subtags = language.replacing("_", with: "-").split(separator: "-")
        while !subtags.isEmpty {
            let tag = subtags.joined(separator: "-").lowercased()
            let name = hasLanguageNames ? englishName(of: tag) : nil
            let match = texts.last {
                let candidate = $0.language?.lowercased().replacing("_", with: "-")
                return candidate == tag || candidate != nil && candidate == name
            }
            if let match { return match.text }
            subtags.removeLast()
        }
        return nil
    }

    private static func englishName(of tag: String) -> String? {
        Locale(identifier: "en").localizedString(forIdentifier: tag)?.lowercased()
    }
}
