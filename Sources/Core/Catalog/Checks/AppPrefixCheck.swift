/// Check for product identifiers without the app's prefix, which probably belong to another app.
public enum AppPrefixCheck {
    /// Name of the rule, contained in its diagnostics.
    public static let rule = "app-prefix"

    static let explanation =
        "An identifier without the prefix of the app is often copied from another app, and the store does not sell "
        + "it in this one."

    /// Checks the product identifiers of a catalog.
    ///
    /// - Parameters:
    ///   - catalog: Catalog to check.
    ///   - prefix: Prefix of each identifier, such as `com.example.voyager.`.
    /// - Returns: A warning for each product whose identifier does not have the prefix.
    public static func diagnostics(of catalog: Catalog, prefix: String) -> [Diagnostic] {
        catalog.products.filter { !$0.identifier.utf8.starts(with: prefix.utf8) }.map { product in
            Diagnostic(
                rule: rule, severity: .warning,
                message: "the identifier \(product.identifier.quoted) does not begin with \(prefix.quoted)",
                position: product.position(of: .productIdentifier))
        }
    }
}
