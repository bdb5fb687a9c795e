/// All rules, in their initial state.
enum AllRules {
    static let forProducts: [any ProductRule] = [
        MissingIdentifierRule(), MissingKindRule(), ContradictoryKindRule(), StorageKeyRule(), ProductValueRule(),
        DuplicateChildRule(), ConsumableBundleRule(), MaxChildrenRule(), OwnershipKeyRule(), ValueTypeRule(),
        TooManyKeysRule(), DuplicateKeyRule(), UnknownKeyRule(), OldSpellingRule(), EmptyStringRule(),
        MinimumAppVersionRule(), ContentPathRule(), GrandfatheredRule(), IdentifierFormatRule(), EmptyBundleRule(),
        LanguageKeyRule(), SecretRule(), SelfHostedContentRule(), SubscriptionRule(),
    ]

    static let acrossProducts: [any CrossProductRule] = [
        DuplicateIdentifierRule(), UnknownChildRule(), ChildKindRule(), BundleCycleRule(), ContentOverlapRule(),
        WalletCaseRule(), WalletIdentifierRule(), UnusedWalletRule(),
    ]

    /// Names of all rules, in the order in which they run.
    static let identifiers: [String] =
        [CatalogRoot.rule] + forProducts.map { type(of: $0).identifier }
        + acrossProducts.map { type(of: $0).identifier }
        + [brokenChildRule]
}
