internal import VitrinePropertyList

struct UncreditedValueRule: SingleFindingRule {
    static let identifier = "uncredited-value"
    static let explanation =
        "Only a consumable credits its productValue to the wallet that its storageKey names: the store delivers any other "
        + "product again to each device of the customer, and each would credit the value. A product with both keys is not "
        + "offered unless it is a consumable; a storageKey alone is not used."
    static let concerns: ProductTraits = .keys(.storageKey, .localStorageKey)

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        let product = declaration.product
        guard product.wallet == nil, product.storageKey != nil else { return nil }
        guard let value = declaration.productValue, product.credit(forQuantity: 1) != nil else {
            return finding(
                .warning, "\(declaration.displayName) is not a consumable, and its storageKey is not used",
                at: declaration.storageKey?.position)
        }
        return finding(
            .error,
            "\(declaration.displayName) is not a consumable, and its productValue would never be credited",
            at: value.position)
    }
}
