internal import Foundation
internal import PropertyList

struct LanguageKeyRule: CatalogRule {
    static let identifier = "language-key"
    static let explanation =
        "A text under something that is no language, neither a tag such as pt-BR nor a name such as English, is shown "
        + "to nobody, or to everybody."

    func findings(in draft: CatalogDraft) -> [Finding] {
        // The same few languages stand in every product.
        var known: [String: Bool] = [:]
        return draft.declarations.flatMap { declaration in
            [CatalogKey.productTitle, .longDescription].flatMap { key -> [Finding] in
                let texts = declaration.dictionary?[key.rawValue]?.entries ?? []
                return texts.compactMap { entry -> Finding? in
                    let isLanguage = known[entry.key] ?? self.isLanguage(entry.key)
                    known[entry.key] = isLanguage
                    guard !isLanguage else { return nil }
                    return finding(
                        .warning, "\(entry.key.quoted) in \(key.rawValue) is no language", at: entry.keyPosition)
                }
            }
        }
    }

    private func isLanguage(_ key: String) -> Bool {
        let subtags = key.replacing("_", with: "-").split(separator: "-", omittingEmptySubsequences: false)
        if subtags.count > 1 || key.count <= 3 {
            let areSubtags = subtags.allSatisfy { subtag in
                (1...8).contains(subtag.count) && subtag.utf8.allSatisfy { $0.isLetter || $0.isDigit }
            }
            return areSubtags && Self.codes.contains(subtags[0].lowercased())
        }
        return Self.names.contains(key.lowercased())
    }

    /// Of two and of three letters.
    private static let codes = Set(
        Locale.LanguageCode.isoLanguageCodes.flatMap { code in
            [code.identifier, code.identifier(.alpha2), code.identifier(.alpha3)].compactMap(\.self)
        })

    private static let names: Set<String> = {
        let english = Locale(identifier: "en")
        return Set(codes.compactMap { english.localizedString(forLanguageCode: $0)?.lowercased() })
    }()
}

extension UInt8 {
    fileprivate var isLetter: Bool {
        UInt8(ascii: "a")...UInt8(ascii: "z") ~= self || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self
    }

    fileprivate var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
}
