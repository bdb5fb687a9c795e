/// Numbers of the App Store's storefronts, which signed transactions contain besides the country code.
enum StorefrontIdentifier {
    /// Storefront number of the first country in ``countries``.
    private static let first = 143_441

    /// Countries whose storefronts have consecutive numbers.
    private static let countries = [
        "USA", "FRA", "DEU", "GBR", "AUT", "BEL", "FIN", "GRC", "IRL", "ITA", "LUX", "NLD", "PRT", "ESP", "CAN", "SWE",
        "NOR", "DNK", "CHE", "AUS", "NZL", "JPN", "HKG", "SGP", "CHN", "KOR", "IND", "MEX", "RUS", "TWN", "VNM",
    ]

    /// Returns the storefront identifier of a country: its number or, for a country that is not listed here, the
    /// country code, as in Xcode.
    static func identifier(of country: String) -> String {
        countries.firstIndex(of: country).map { String(first + $0) } ?? country
    }
}
