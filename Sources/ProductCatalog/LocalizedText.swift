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

    /// The text for the first of the languages that there is one for: of the tag itself, or else of the same language, in
    /// the same script rather than in another, then for the same region, then for any region of several countries
    /// (`es-419`), then for no region. Script and region are the likely ones where a tag names none (Unicode UTS #35, likely
    /// subtags): `zh-HK` is written as `zh-Hant` is. Norwegian is one language, whether a tag calls it `no`, `nb` or `nn`,
    /// though what has the same name comes first. After that English, after that the first text in the file.
    public func text(for languages: [String]) -> String {
        let texts = texts
        guard texts.count > 1 else { return texts.first?.text ?? "" }
        let hasLanguageNames = texts.contains(where: \.hasLanguageName)
        for language in languages + ["en"] {
            let tag = language.tag
            if let text = texts.last(where: { $0.language?.tag == tag }) { return text.text }
            if hasLanguageNames, let text = Self.named(tag, in: texts) { return text }
            if let text = Self.related(to: tag, in: texts) { return text }
        }
        return texts.first?.text ?? ""
    }

    /// The text under the English name of a language, with the region and script that its tag names, or without.
    private static func named(_ tag: String, in texts: [Translation]) -> String? {
        var subtags = tag.split(separator: "-")
        while !subtags.isEmpty {
            let name = englishName(of: subtags.joined(separator: "-"))
            if let name, let match = texts.last(where: { $0.language?.tag == name }) { return match.text }
            subtags.removeLast()
        }
        return nil
    }

    /// The text of the same language that reads best to who wants another script or region.
    private static func related(to tag: String, in texts: [Translation]) -> String? {
        let family = LikelyLanguage.family(of: tag)
        let candidates = texts.compactMap { text in
            text.language.flatMap { LikelyLanguage.family(of: $0.tag) == family ? (tag: $0.tag, text: text.text) : nil }
        }
        guard candidates.count > 1 else { return candidates.first?.text }
        let wanted = LikelyLanguage(tag)
        return candidates.map { (text: $0.text, fit: LikelyLanguage($0.tag).fit(to: wanted)) }
            .max { $0.fit < $1.fit }?.text
    }

    private static func englishName(of tag: String) -> String? {
        Locale(identifier: "en").localizedString(forIdentifier: tag)?.lowercased()
    }
}

extension String {
    /// A language's tag as it is compared.
    fileprivate var tag: String { lowercased().replacing("_", with: "-") }
}
