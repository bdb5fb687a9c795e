internal import PropertyList

/// One thing that is looked for in a catalog. Each rule is a file of its own in this folder.
protocol CatalogRule: Sendable {
    /// The name of the rule, which its findings carry.
    static var identifier: String { get }

    /// Why it matters, in whole sentences.
    static var explanation: String { get }

    func findings(in draft: CatalogDraft) -> [Finding]
}

extension CatalogRule {
    func finding(
        _ severity: Diagnostic.Severity,
        _ message: String,
        at position: SourcePosition?,
        notes: [Diagnostic.Note] = [],
        leavingOut declarations: [Int] = []
    ) -> Finding {
        Finding(
            rule: Self.identifier,
            severity: severity,
            message: message,
            position: position,
            notes: notes,
            declarations: declarations
        )
    }
}

/// Every rule.
let allRules: [any CatalogRule] = [
    MissingIdentifierRule(), DuplicateIdentifierRule(), MissingKindRule(), ContradictoryKindRule(),
    StorageKeyRule(), ProductValueRule(),
    UnknownChildRule(), ChildKindRule(), DuplicateChildRule(), ConsumableBundleRule(), BundleCycleRule(),
    MaxChildrenRule(),
    OwnershipKeyRule(), ValueTypeRule(), TooManyKeysRule(), DuplicateKeyRule(), UnknownKeyRule(), OldSpellingRule(),
    EmptyStringRule(), NotActedOnRule(), ContentPathRule(), ContentOverlapRule(), GrandfatheredRule(),
    IdentifierFormatRule(), WalletCaseRule(), EmptyBundleRule(), LanguageKeyRule(), SecretRule(),
    SelfHostedContentRule(),
]
