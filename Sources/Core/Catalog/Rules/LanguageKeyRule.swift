internal import Foundation
internal import VitrinePropertyList

struct LanguageKeyRule: ProductRule {
    static let identifier = "language-key"
    static let explanation =
        "The key of a text must be a language tag such as pt-BR or a language name such as English. A text with "
        + "another key is shown to no customer, or to every customer."
    static let concerns: ProductTraits = .keys(.productTitle, .longDescription)

    private static let keys: [CatalogKey] = [.productTitle, .longDescription]
    private var languages = Languages()
    /// Hashes of the language keys of the text that is being checked.
    private var tags: [UInt32] = []

    mutating func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        var findings: [Finding] = []
        for key in Self.keys {
            guard let texts = declaration[key] else { continue }
            let count = texts.count
            guard count <= CatalogLimits.languages else {
                findings.append(
                    finding(
                        .warning, "\(key.name) has texts in too many languages: \(count)",
                        at: texts.position))
                continue
            }
            var others: [PropertyListValue.Glance] = []
            var isRepeated = false
            tags.removeAll(keepingCapacity: true)
            texts.forEachKey { language, text in
                let known = languages.hash(of: language)
                if known == nil { others.append(text) }
                let tag = known ?? Self.hash(language)
                isRepeated = isRepeated || tags.contains(tag)
                tags.append(tag)
            }
            if isRepeated { findings += repetitions(in: texts, of: key) }
            for text in others {
                let language = texts.value(numbered: text.number).precedingKey
                findings.append(
                    finding(
                        .warning, "\((language.string ?? "").quoted) in \(key.name) is not a language",
                        at: language.position))
            }
        }
        return findings
    }

    /// Returns findings for the keys that differ from an earlier one only in case, or in a hyphen and an underscore, and for
    /// the name of a language beside its tag. Equal keys are reported by ``DuplicateKeyRule``.
    private func repetitions(in texts: PropertyListValue, of key: CatalogKey) -> [Finding] {
        var firsts: [String: String] = [:]
        return texts.entries.compactMap { entry in
            let tag = LanguageName.comparableTag(of: entry.key)
            guard let first = firsts[tag] else {
                firsts[tag] = entry.key
                return nil
            }
            guard first != entry.key else { return nil }
            return finding(
                .warning,
                "\(entry.key.quoted) in \(key.name) is the same language as \(first.quoted): the last text is used",
                at: entry.keyPosition)
        }
    }

    /// Returns the same number for keys that are the same language in another spelling (FNV-1a).
    fileprivate static func hash(_ key: some Sequence<UInt8>) -> UInt32 {
        key.reduce(2_166_136_261) { hash, byte in
            let isUppercase = UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
            let folded = isUppercase ? byte | 0x20 : byte == UInt8(ascii: "_") ? UInt8(ascii: "-") : byte
            return (hash ^ UInt32(folded)) &* 16_777_619
        }
    }
}

/// Cache of the valid language keys of a catalog. Most products use the same few languages.
private struct Languages {
    private var known: [(range: Range<Int>, hash: UInt32)] = []
    /// The keys in the cache, one after another: an array for each would be retained for each comparison.
    private var characters: [UInt8] = []
    /// Maximum number of language keys in the cache: searching more keys is slower than checking a key again.
    private static let mostKnown = 64

    /// Returns the hash of the tag of a language; `nil` for a key that is not a language.
    mutating func hash(of key: UnsafeBufferPointer<UInt8>) -> UInt32? {
        let equal = characters.withUnsafeBufferPointer { characters in
            known.first { $0.range.count == key.count && characters[$0.range].elementsEqual(key) }
        }
        if let equal { return equal.hash }
        let language = String(decoding: key, as: UTF8.self)
        guard LanguageName.isKnownTag(language) || LanguageName.tag(of: language) != nil else { return nil }
        let hash = LanguageKeyRule.hash(LanguageName.comparableTag(of: language).utf8)
        if known.count < Self.mostKnown {
            known.append((characters.count..<(characters.count + key.count), hash))
            characters += key
        }
        return hash
    }
}
