/// Limits of a catalog, far above practical needs, which bound the processing time of a hostile catalog.
package enum CatalogLimits {
    package static let products = 200_000
    package static let wallets = 1_000
    /// Maximum number of keys in the dictionary of one product.
    package static let keys = 1_000
    /// Maximum number of former durations of one product.
    package static let formerDurations = 100
    /// Maximum number of languages of one text, such as a product's title.
    package static let languages = 1_000
    /// Maximum number of reported findings per rule. Further findings are only counted.
    package static let findings = 1_000
}
