/// Name and explanation of a catalog rule.
public struct CatalogRuleDescription: Sendable, Hashable {
    /// Name of the rule, contained in its diagnostics.
    public let identifier: String
    /// Reason for the rule, in complete sentences.
    public let explanation: String

    /// All rules, sorted by name.
    public static let all: [CatalogRuleDescription] =
        ((AllRules.forProducts as [any CatalogRule] + AllRules.acrossProducts).map { type(of: $0) }.map {
            CatalogRuleDescription(identifier: $0.identifier, explanation: $0.explanation)
        }
        + [
            CatalogRuleDescription(
                identifier: CatalogRoot.rule,
                explanation: "A value that does not belong to a catalog would otherwise be ignored without notice."),
            CatalogRuleDescription(
                identifier: CatalogRoot.noProductsRule,
                explanation: "An app with an empty catalog sells nothing, and such a catalog is refused from a server."),
            CatalogRuleDescription(identifier: StoreDrift.rule, explanation: StoreDrift.explanation),
            CatalogRuleDescription(identifier: AppPrefixCheck.rule, explanation: AppPrefixCheck.explanation),
            CatalogRuleDescription(identifier: MissingFileCheck.rule, explanation: MissingFileCheck.explanation),
            CatalogRuleDescription(identifier: SignedCatalogCheck.rule, explanation: SignedCatalogCheck.explanation),
            CatalogRuleDescription(identifier: ExpiredCatalogCheck.rule, explanation: ExpiredCatalogCheck.explanation),
            CatalogRuleDescription(
                identifier: CatalogError.Code.notAPropertyList.description,
                explanation: "A file that is not a property list cannot be read."),
            CatalogRuleDescription(
                identifier: brokenChildRule,
                explanation:
                    "A bundle with a child that is excluded because of an error would deliver less than it promises."),
        ]).sorted { $0.identifier < $1.identifier }
}
