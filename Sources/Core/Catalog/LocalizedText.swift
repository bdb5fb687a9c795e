internal import Foundation
internal import VitrinePropertyList

/// A text in one or more languages.
///
/// Languages are BCP 47 tags (`de`, `pt-BR`), or English names (`English`, `Portuguese (Brazil)`), which property lists of
/// VTAInAppPurchases use.
public struct LocalizedText: Sendable, Hashable {
    private let source: Source

    private enum Source {
        case texts([Translation])
        /// String or dictionary in a catalog file from which a localized text is parsed on access, because most texts
        /// are never shown.
        case value(PropertyListValue)
    }

    private struct Translation: Hashable {
        /// Language of the text; `nil` for a text that is used for all languages.
        let language: String?
        let text: String

        /// Language tag in normalized form for comparison, also for a language that is given by its name.
        var tag: String? { language.map(LanguageName.comparableTag) }
    }

    /// Creates a text for all languages.
    public init(_ text: String) {
        source = .texts([Translation(language: nil, text: text)])
    }

    /// Creates a text from translations. The fallback for other languages is the English translation, otherwise the one
    /// whose language is first in alphabetical order.
    public init(_ texts: [(language: String, text: String)]) {
        source = .texts(texts.map { Translation(language: $0.language, text: $0.text) })
    }

    /// Creates a text from a string or dictionary in a catalog file.
    ///
    /// - Returns: `nil` for a value without a text. An empty string is treated as absent.
    init?(_ value: PropertyListValue) {
        var hasText = value.withUTF8 { !$0.isEmpty } ?? false
        value.forEachKey { if $1.kind == .string, !$1.isEmptyString { hasText = true } }
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

    /// Languages of the texts as they are written in the catalog; empty for a text that is used for all languages.
    package var languages: [String] { texts.compactMap(\.language) }

    /// Indicates that two texts have the same translations, in any order.
    public static func == (left: LocalizedText, right: LocalizedText) -> Bool {
        left.texts == right.texts || left.sortedTexts == right.sortedTexts
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(sortedTexts) }

    /// The texts in the order of their languages. Texts of one language stay in their order, because the last one counts.
    private var sortedTexts: [Translation] {
        texts.enumerated().sorted { ($0.element.language ?? "", $0.offset) < ($1.element.language ?? "", $1.offset) }
            .map(\.element)
    }

    /// Returns the text for the first given language that has a text; otherwise the English text, otherwise the text
    /// whose key is first in alphabetical order: tools that write property lists change the order of keys.
    ///
    /// A text with the same tag is preferred. Otherwise, among the texts in the same language, the order of preference
    /// is: same script; same region; a region whose texts are read in that region (`pt-PT` in Angola); a region of several
    /// countries (`es-419`); no region. A script or region that is
    /// missing in a tag is assumed to be the likely one (Unicode UTS #35, likely subtags): `zh-HK` has the script of
    /// `zh-Hant`. The tags `no`, `nb` and `nn` are treated as one language, Norwegian, but an equal tag is preferred.
    public func text(for languages: [String]) -> String {
        let texts = texts
        guard texts.count > 1 else { return texts.first?.text ?? "" }
        for language in languages + ["en"] {
            let tag = LanguageName.comparableTag(of: language)
            if let text = texts.last(where: { $0.tag == tag }) { return text.text }
            if let text = Self.related(to: tag, in: texts) { return text }
        }
        return texts.min { ($0.language ?? "") < ($1.language ?? "") }?.text ?? ""
    }

    /// Returns the best text for a language tag among the texts in the same language. Script and region may differ.
    private static func related(to tag: String, in texts: [Translation]) -> String? {
        let family = LikelyLanguage.family(of: tag)
        let candidates = texts.compactMap { text in
            text.tag.flatMap { LikelyLanguage.family(of: $0) == family ? (tag: $0, text: text.text) : nil }
        }
        guard candidates.count > 1 else { return candidates.first?.text }
        let wanted = LikelyLanguage(tag)
        return candidates.map { (text: $0.text, tag: $0.tag, fit: LikelyLanguage($0.tag).fit(to: wanted)) }
            .max { ($0.fit, $1.tag) < ($1.fit, $0.tag) }?.text
    }
}

/// A language with its script and region. A script or region that is missing in the language tag is assumed to be the
/// likely one.
package struct LikelyLanguage {
    private let code: Substring
    private let family: Substring
    private let script: Locale.Script?
    private let region: Locale.Region?
    private let namedRegion: Locale.Region?

    /// Creates the language of a tag, with the likely script and region if the tag has none.
    ///
    /// - Parameter tag: A BCP 47 tag.
    package init(_ tag: String) {
        let tag = tag.lowercased()
        let language = Locale.Language(identifier: tag)
        let likely = Locale.Language(identifier: language.maximalIdentifier)
        (code, family) = (Self.code(of: tag), Self.family(of: tag))
        (script, region, namedRegion) = (likely.script, likely.region, language.region)
    }

    /// Returns `true` if this language and another one are the same language in the same script, in any region.
    package func reads(_ other: LikelyLanguage) -> Bool { family == other.family && script == other.script }

    /// Returns a score for how well this language replaces a wanted language of the same family. A higher score is
    /// better.
    func fit(to wanted: LikelyLanguage) -> Int {
        (code == wanted.code ? 32 : 0) + (script == wanted.script ? 16 : 0) + (region == wanted.region ? 8 : 0)
            + (parent == wanted.parent ? 4 : 0) + (namedRegion.map { $0.isNumbered ? 2 : 0 } ?? 1)
    }

    /// Region whose texts are read in the region of this language, or that region itself if texts in it are read
    /// elsewhere; `nil` if the language without a region stands for it. Parent locales of Unicode's CLDR.
    private var parent: String? {
        guard let region else { return nil }
        return Self.parents["\(code)-\(region.identifier)"]
    }

    private static let parents: [String: String] = {
        let regions: [(language: String, parent: String, regions: String)] = [
            (
                "en", "001",
                """
                001 150 AG AI AT AU BB BE BM BS BW BZ CC CH CK CM CX CY DE DG DK DM ER FI FJ FK FM GB GD GG GH GI GM GY HK \
                IE IL IM IN IO JE JM KE KI KN KY LC LR LS MG MO MS MT MU MV MW MY NA NF NG NL NR NU NZ PG PK PN PW RW SB \
                SC SD SE SG SH SI SL SS SX SZ TC TK TO TT TV TZ UG VC VG VU WS ZA ZM ZW
                """
            ),
            ("es", "419", "419 AR BO BR BZ CL CO CR CU DO EC GT HN MX NI PA PE PR PY SV US UY VE"),
            ("pt", "PT", "PT AO CH CV FR GQ GW LU MO MZ ST TL"),
            ("zh", "HK", "HK MO"),
        ]
        return Dictionary(
            uniqueKeysWithValues: regions.flatMap { row in
                row.regions.split(separator: " ").map { ("\(row.language)-\($0)", row.parent) }
            })
    }()

    /// Returns the code shared by equivalent languages: `no` for Norwegian, otherwise the tag's own code.
    static func family(of tag: String) -> Substring {
        let code = code(of: tag)
        // `no` is the macrolanguage of `nb` and `nn` (ISO 639-3).
        return code == "nb" || code == "nn" ? "no" : code
    }

    private static func code(of tag: String) -> Substring { tag.prefix { $0 != "-" && $0 != "_" } }
}

extension Locale.Region {
    /// `true` for a region of several countries, which has a numeric code (UN M.49).
    fileprivate var isNumbered: Bool { identifier.first?.isNumber ?? false }
}
