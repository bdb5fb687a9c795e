internal import Foundation

/// English names of languages, such as `Portuguese (Brazil)`, which catalogs may use in place of language tags.
enum LanguageName {
    /// Returns the tag of a language of a catalog in a form for comparison; the language itself for neither a tag nor a name.
    static func comparableTag(of language: String) -> String {
        (isTag(language) ? language : tag(of: language) ?? language).lowercased().replacing("_", with: "-")
    }

    /// Returns `false` for a text that can only be a name: the primary subtag of a tag has at most three letters (RFC 5646,
    /// section 2.2.1).
    static func isTag(_ language: String) -> Bool { language.prefix(while: \.isLetter).count <= 3 }

    /// Returns `true` for a tag whose language has a code of ISO 639, and for a tag for private use.
    static func isKnownTag(_ language: String) -> Bool {
        let subtags = language.replacing("_", with: "-").split(separator: "-", omittingEmptySubsequences: false)
        let areSubtags = subtags.allSatisfy { subtag in
            (1...8).contains(subtag.count) && subtag.utf8.allSatisfy(\.isASCIILetterOrDigit)
        }
        // A tag for private use begins with x (RFC 5646, section 2.2.7).
        let isPrivate = subtags.count > 1 && subtags[0].lowercased() == "x"
        return areSubtags && (isPrivate || Locale.LanguageCode(subtags[0].lowercased()).isISOLanguage)
    }

    /// Returns the language tag for a name in the forms of Unicode's CLDR and of App Store Connect: `German`,
    /// `Portuguese (Brazil)`, `English (U.K.)`, `Chinese, Simplified (Hong Kong)`.
    ///
    /// - Returns: `nil` for a text that is no name of a language, or has a script or region that is unknown.
    static func tag(of name: String) -> String? {
        let parts = name.lowercased().split { "(),".contains($0) }
            .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
        guard let language = parts.first else { return nil }
        // Norwegian (Bokmål) is a language of its own.
        if let code = codes[parts.joined(separator: " ")] { return code }
        guard let code = codes[language] else { return nil }
        let others = parts.dropFirst().compactMap { subtags[$0.replacing(".", with: "")] }
        guard others.count == parts.count - 1 else { return nil }
        // A script has four letters, and comes before the region.
        return ([code] + others.sorted { $0.count > $1.count }).joined(separator: "-")
    }

    private static let english = Locale(identifier: "en")

    private static let codes: [String: String] = {
        let named = Locale.LanguageCode.isoLanguageCodes.compactMap { code in
            english.localizedString(forLanguageCode: code.identifier).map { ($0.lowercased(), code.identifier) }
        }
        // A language may have codes of two and of three letters; the shorter one is usual.
        return Dictionary(named, uniquingKeysWith: { $0.count <= $1.count ? $0 : $1 })
    }()

    /// Subtags by the English names of scripts and regions, without periods.
    private static let subtags: [String: String] = {
        let regions = Locale.Region.isoRegions.compactMap { region in
            english.localizedString(forRegionCode: region.identifier).map {
                ($0.lowercased().replacing(".", with: ""), region.identifier)
            }
        }
        let others = [
            "arabic": "Arab", "cyrillic": "Cyrl", "latin": "Latn", "simplified": "Hans", "traditional": "Hant",
            "china": "CN", "czech republic": "CZ", "great britain": "GB", "hong kong": "HK", "korea": "KR",
            "latin america": "419", "macau": "MO", "mainland china": "CN", "turkey": "TR", "türkiye": "TR", "uk": "GB",
            "us": "US", "usa": "US",
        ]
        return Dictionary(regions, uniquingKeysWith: { first, _ in first }).merging(others) { $1 }
    }()
}
