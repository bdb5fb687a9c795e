/// All catalog rules. Each catalog is checked with copies of the rules, because some rules collect data while they
/// check.
enum AllRules {
    static let forProducts: [any ProductRule] = [
        MissingIdentifierRule(), MissingKindRule(), ContradictoryKindRule(), StorageKeyRule(), ProductValueRule(),
        UncreditedValueRule(), DuplicateChildRule(), ConsumableBundleRule(), MaxChildrenRule(), OwnershipKeyRule(),
        ValueTypeRule(),
        TooManyKeysRule(), DuplicateKeyRule(), UnknownKeyRule(), OldSpellingRule(), EmptyStringRule(),
        MinimumAppVersionRule(), ContentPathRule(), GrandfatheredRule(), IdentifierFormatRule(), EmptyBundleRule(),
        LanguageKeyRule(), SecretRule(), SelfHostedContentRule(), ContentAddressRule(),
        SubscriptionRule(), ImageAddressRule(),
    ]

    static let acrossProducts: [any CrossProductRule] = [
        DuplicateIdentifierRule(), IdentifierCaseRule(), UnknownChildRule(),
        ChildKindRule(), BundleCycleRule(), BundleDepthRule(),
        ContentOverlapRule(),
        WalletCaseRule(), WalletIdentifierRule(), UnusedWalletRule(), SubscriptionLevelRule(), TooManyProductsRule(),
    ]

    /// Names of all rules, in the order of execution.
    static let identifiers: [String] =
        [CatalogRoot.rule, CatalogRoot.noProductsRule] + forProducts.map { type(of: $0).identifier }
        + acrossProducts.map { type(of: $0).identifier }
        + [brokenChildRule]
}
