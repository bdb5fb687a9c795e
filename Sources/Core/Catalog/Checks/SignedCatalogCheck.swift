public import VitrinePropertyList

/// Check for the keys `catalogVersion` and `expires`, which a signed catalog needs.
public enum SignedCatalogCheck {
    /// Name of the rule, contained in its diagnostics.
    public static let rule = "signed-catalog"

    static let explanation =
        "A signature alone does not expire: without catalogVersion, an old catalog can be served in place of a new "
        + "one, and without expires, this is possible forever."

    /// Returns a warning if `catalogVersion` is missing in a catalog, and one if `expires` is missing.
    ///
    /// - Parameters:
    ///   - catalog: Catalog to check.
    ///   - root: Position of the start of the catalog.
    public static func diagnostics(of catalog: Catalog, root: SourcePosition) -> [Diagnostic] {
        [
            catalog.version == nil ? "catalogVersion" : nil,
            catalog.expires == nil ? "expires" : nil,
        ].compactMap(\.self).map { key in
            Diagnostic(
                rule: rule, severity: .warning,
                message: "a catalog to be signed must have \(key), but this one has none", position: root)
        }
    }
}
