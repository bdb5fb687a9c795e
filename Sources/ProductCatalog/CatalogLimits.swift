/// What a catalog may have at most, so that a hostile one costs little. No shop comes near.
enum CatalogLimits {
    static let products = 200_000
    static let wallets = 1_000
    /// Keys of one product.
    static let keys = 1_000
    /// Languages of one text.
    static let languages = 1_000
    /// Findings of one rule that are told; the others are counted.
    static let findings = 1_000
}
