internal import PropertyList

struct UncreditedValueRule: ProductRule {
    static let identifier = "uncredited-value"
    static let explanation =
        "Only a consumable credits its productValue to a wallet: the store delivers any other product again to each device "
        + "of the customer, and each would credit the value. Such a product is not offered."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        let product = declaration.product
        guard product.kind != .consumable, product.kind != .unknown, let value = declaration.productValue,
            product.credit(forQuantity: 1) != nil
        else { return [] }
        return [
            finding(
                .error,
                "\(declaration.displayName) is not a consumable, and its productValue would never be credited",
                at: value.position)
        ]
    }
}
