public import Foundation
public import VitrinePropertyList
internal import VitrineSupport

/// Check for a catalog whose expiration date has passed.
public enum ExpiredCatalogCheck {
    /// Name of the rule, contained in its diagnostics.
    public static let rule = "expired-catalog"

    static let explanation =
        "Apps request an expired catalog again at each load, and sell nothing new from it if it has to be signed."

    /// Returns a warning if a catalog has expired.
    ///
    /// - Parameters:
    ///   - catalog: Catalog to check.
    ///   - document: Property list of the catalog.
    ///   - now: Current time.
    public static func diagnostics(
        of catalog: Catalog, in document: PropertyListDocument, at now: Date
    ) -> [Diagnostic] {
        guard let expires = catalog.expires, expires <= now else { return [] }
        return [
            Diagnostic(
                rule: rule, severity: .warning, message: "the catalog expired on \(expires.inSeconds)",
                position: document.root["expires"]?.position)
        ]
    }
}
