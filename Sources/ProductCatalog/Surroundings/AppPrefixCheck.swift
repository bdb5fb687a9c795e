/// Where a catalog sells what belongs to another app.
public enum AppPrefixCheck {
    /// The name of the rule, which its findings carry.
    public static let rule = "app-prefix"

    static let explanation =
        "An identifier that does not begin as the app's own do is often one that was copied from another app, and no "
        + "store sells it in this one."

    /// - Parameters:
    ///   - catalog: What is looked at.
    ///   - prefix: What each identifier begins with, such as `com.example.voyager.`
    /// - Returns: A warning for each product whose identifier begins otherwise.
    public static func diagnostics(of catalog: Catalog, prefix: String) -> [Diagnostic] {
        catalog.products.filter { !$0.identifier.utf8.starts(with: prefix.utf8) }.map { product in
            Diagnostic(
                rule: rule, severity: .warning,
                message: "the identifier \(product.identifier.quoted) does not begin with \(prefix.quoted)",
                position: product.position(of: .productIdentifier))
        }
    }
}
