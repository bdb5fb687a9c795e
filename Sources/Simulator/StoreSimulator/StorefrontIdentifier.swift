/// Numbers of the App Store's storefronts, by which it also names the country of a transaction.
enum StorefrontIdentifier {
    /// Number of the first storefront in ``countries``.
    private static let first = 143_441

    /// Countries whose storefronts have consecutive numbers.
    private static let countries = [
        "USA", "FRA", "DEU", "GBR", "AUT", "BEL", "FIN", "GRC", "IRL", "ITA", "LUX", "NLD", "PRT", "ESP", "CAN", "SWE",
        "NOR", "DNK", "CHE", "AUS", "NZL", "JPN", "HKG", "SGP", "CHN", "KOR", "IND", "MEX", "RUS", "TWN", "VNM",
    ]

    /// Returns the identifier of a country's storefront. For a country whose number is not known here, it is the code of
    /// the country, as in Xcode.
    static func identifier(of country: String) -> String {
        countries.firstIndex(of: country).map { String(first + $0) } ?? country
    }
}
