internal import VitrinePropertyList

struct UncreditedValueRule: SingleFindingRule {
    static let identifier = "uncredited-value"
    static let explanation =
        "A consumable, and each period of an auto-renewable subscription, credit productValue units to the wallet that "
        + "storageKey names. The store delivers any other product again to each device of the customer, and each would "
        + "credit the value: such a product with both keys is not offered. One of the keys alone is not used. "
        + "VTAInAppPurchases keeps the purchase of a non-consumable in the preferences under its storageKey: for code that "
        + "reads it there, PreferenceMirror(ownershipKey:) writes it."
    static let concerns: ProductTraits = .keys(.storageKey, .localStorageKey, .productValue)

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        let product = declaration.product
        if product.kind == .autoRenewableSubscription {
            if product.storageKey != nil, product.productValue == nil {
                return finding(
                    .warning, "\(declaration.displayName) has no productValue, and its storageKey is not used",
                    at: declaration.storageKey?.position)
            }
            if product.storageKey == nil, let value = declaration.productValue {
                return finding(
                    .warning, "\(declaration.displayName) has no storageKey, and its productValue is not credited",
                    at: value.position)
            }
            return nil
        }
        guard product.wallet == nil, product.storageKey != nil else { return nil }
        guard let value = declaration.productValue, product.credit(forQuantity: 1) != nil else {
            return finding(
                .warning,
                "\(declaration.displayName) is not a consumable, and its storageKey is not used: a preference under this "
                    + "key is written by PreferenceMirror(ownershipKey:)",
                at: declaration.storageKey?.position)
        }
        return finding(
            .error,
            "\(declaration.displayName) is not a consumable, and its productValue would never be credited: remove "
                + "productValue to sell it",
            at: value.position)
    }
}
