internal import Foundation

/// A language with the script and region of its tag, or the likely ones if the tag has none.
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

    /// Returns `true` if both are the same language in the same script, regardless of the region.
    package func reads(_ other: LikelyLanguage) -> Bool { family == other.family && script == other.script }

    /// Returns a score for the use of this language in place of a wanted language of the same family. Higher is better.
    func fit(to wanted: LikelyLanguage) -> Int {
        (code == wanted.code ? 16 : 0) + (script == wanted.script ? 8 : 0) + (region == wanted.region ? 4 : 0)
            + (namedRegion.map { $0.isNumbered ? 2 : 0 } ?? 1)
    }

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
