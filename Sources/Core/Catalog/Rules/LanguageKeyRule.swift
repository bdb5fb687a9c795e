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
            texts.forEachKey { language, text in
                if !languages.contains(language) { others.append(text) }
            }
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
}

/// Cache of the valid language keys of a catalog. Most products use the same few languages.
private struct Languages {
    private var known: [[UInt8]] = []
    /// Maximum number of language keys in the cache: searching more keys is slower than checking a key again.
    private static let mostKnown = 64

    mutating func contains(_ key: UnsafeBufferPointer<UInt8>) -> Bool {
        if known.contains(where: { $0.count == key.count && $0.elementsEqual(key) }) {
            return true
        }
        guard Self.isLanguage(String(decoding: key, as: UTF8.self)) else { return false }
        if known.count < Self.mostKnown { known.append(Array(key)) }
        return true
    }

    private static func isLanguage(_ key: String) -> Bool {
        let subtags = key.replacing("_", with: "-").split(separator: "-", omittingEmptySubsequences: false)
        let areSubtags = subtags.allSatisfy { subtag in
            (1...8).contains(subtag.count) && subtag.utf8.allSatisfy(\.isASCIILetterOrDigit)
        }
        // A tag for private use begins with x (RFC 5646, section 2.2.7).
        let isPrivate = subtags.count > 1 && subtags[0].lowercased() == "x"
        if areSubtags, isPrivate || Locale.LanguageCode(subtags[0].lowercased()).isISOLanguage { return true }
        let name = key.lowercased()
        // Accepts "Portuguese (Brazil)" as well as "Portuguese".
        return names.contains(name)
            || name.hasSuffix(")") && names.contains(name.prefix { $0 != "(" }.trimmingCharacters(in: .whitespaces))
    }

    private static let names: Set<String> = {
        let english = Locale(identifier: "en")
        return Set(
            Locale.LanguageCode.isoLanguageCodes.compactMap {
                english.localizedString(forLanguageCode: $0.identifier)?.lowercased()
            })
    }()
}
