/// Every rule, as it is before it has looked at anything.
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

    /// The names of all rules, in the order in which they look.
    static let identifiers: [String] =
        [CatalogRoot.rule] + forProducts.map { type(of: $0).identifier }
        + acrossProducts.map { type(of: $0).identifier }
        + [brokenChildRule]
}
