/// Limits of a catalog, far above practical needs, which bound the processing time of a hostile catalog.
enum CatalogLimits {
    static let products = 200_000
    static let wallets = 1_000
    /// Maximum number of keys of one product.
    static let keys = 1_000
    /// Maximum number of languages of one text.
    static let languages = 1_000
    /// Maximum number of reported findings per rule. Further findings are counted.
    static let findings = 1_000
}
