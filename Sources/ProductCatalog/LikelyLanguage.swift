internal import Foundation

/// A language with the script and region that its tag names, or else the likely ones.
package struct LikelyLanguage {
    private let code: Substring
    private let family: Substring
    private let script: Locale.Script?
    private let region: Locale.Region?
    private let namedRegion: Locale.Region?

    /// - Parameter tag: A BCP 47 tag.
    package init(_ tag: String) {
        let tag = tag.lowercased()
        let language = Locale.Language(identifier: tag)
        let likely = Locale.Language(identifier: language.maximalIdentifier)
        (code, family) = (Self.code(of: tag), Self.family(of: tag))
        (script, region, namedRegion) = (likely.script, likely.region, language.region)
    }

    /// Whether who reads one reads the other: the same language in the same script, for whatever region.
    package func reads(_ other: LikelyLanguage) -> Bool { family == other.family && script == other.script }

    /// How well it suits a reader of another language of the same family: the higher, the better.
    func fit(to wanted: LikelyLanguage) -> Int {
        (code == wanted.code ? 16 : 0) + (script == wanted.script ? 8 : 0) + (region == wanted.region ? 4 : 0)
            + (namedRegion.map { $0.isNumbered ? 2 : 0 } ?? 1)
    }

    /// The code under which languages count as one: the tag's own, but for Norwegian.
    static func family(of tag: String) -> Substring {
        let code = code(of: tag)
        // `no` is the macrolanguage of both (ISO 639-3).
        return code == "nb" || code == "nn" ? "no" : code
    }

    private static func code(of tag: String) -> Substring { tag.prefix { $0 != "-" && $0 != "_" } }
}

extension Locale.Region {
    /// It is a region of several countries: UN M.49 names those by numbers.
    fileprivate var isNumbered: Bool { identifier.first?.isNumber ?? false }
}
