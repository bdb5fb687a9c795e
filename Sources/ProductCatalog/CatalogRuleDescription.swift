/// A rule that catalogs are held to, for whoever wants to look up what a finding means.
public struct CatalogRuleDescription: Sendable, Hashable {
    /// The name that the rule's findings carry.
    public let identifier: String
    /// Why it matters, in whole sentences.
    public let explanation: String

    /// Every rule, by name.
    public static let all: [CatalogRuleDescription] =
        ((AllRules.forProducts as [any CatalogRule] + AllRules.acrossProducts).map { type(of: $0) }.map {
            CatalogRuleDescription(identifier: $0.identifier, explanation: $0.explanation)
        }
        + [
            CatalogRuleDescription(
                identifier: CatalogRoot.rule,
                explanation: "What is no catalog, or stands where nothing is expected, would be lost without a word."),
            CatalogRuleDescription(identifier: StoreDrift.rule, explanation: StoreDrift.explanation),
            CatalogRuleDescription(identifier: AppPrefixCheck.rule, explanation: AppPrefixCheck.explanation),
            CatalogRuleDescription(identifier: MissingFileCheck.rule, explanation: MissingFileCheck.explanation),
            CatalogRuleDescription(identifier: SignedCatalogCheck.rule, explanation: SignedCatalogCheck.explanation),
            CatalogRuleDescription(
                identifier: CatalogError.Code.notAPropertyList.description,
                explanation: "Nothing can be read from a file that is no property list."),
            CatalogRuleDescription(
                identifier: brokenChildRule,
                explanation: "A bundle with a child that is left out would give less than it promises."),
        ]).sorted { $0.identifier < $1.identifier }
}
