public import PropertyList

/// What a catalog lacks that is to be signed.
public enum SignedCatalogCheck {
    /// The name of the rule, which its findings carry.
    public static let rule = "signed-catalog"

    static let explanation =
        "A signature stays good for ever: without catalogVersion an old catalog can be sent in the place of a new one, "
        + "and without expires for as long as anybody likes."

    /// - Parameters:
    ///   - catalog: What is looked at.
    ///   - root: Where the catalog begins.
    public static func diagnostics(of catalog: Catalog, root: SourcePosition) -> [Diagnostic] {
        [
            catalog.version == nil ? "catalogVersion" : nil,
            catalog.expires == nil ? "expires" : nil,
        ].compactMap(\.self).map { key in
            Diagnostic(
                rule: rule, severity: .warning,
                message: "a catalog that is to be signed has \(key), and this one has none", position: root)
        }
    }
}
