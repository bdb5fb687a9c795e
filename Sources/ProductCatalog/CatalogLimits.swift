/// What a catalog may have at most, so that a hostile one costs little. No shop comes near.
package enum CatalogLimits {
    package static let products = 200_000
    package static let wallets = 1_000
    /// Keys of one product.
    package static let keys = 1_000
    /// Languages of one text.
    package static let languages = 1_000
    /// Findings of one rule that are told; the others are counted.
    package static let findings = 1_000
}
