/// Rule about the limit of
/// [App Store Connect](https://developer.apple.com/help/app-store-connect/manage-in-app-purchases/overview-for-configuring-in-app-purchases/):
/// an app has at most 10,000 in-app purchases.
struct TooManyProductsRule: CrossProductRule {
    static let identifier = "too-many-products"
    static let explanation =
        "The App Store accepts at most 10,000 in-app purchases for an app. "
        + "A larger catalog can be loaded, but not all of its products can be sold in the App Store."

    private static let limit = 10_000

    func findings(in draft: CatalogDraft) -> [Finding] {
        guard draft.declarations.count > Self.limit else { return [] }
        return [
            finding(
                .warning,
                "the catalog has \(draft.declarations.count) products, and the App Store accepts 10000 for an app",
                at: draft.declarations[Self.limit].product.position)
        ]
    }
}
