internal import VitrinePropertyList

struct ProductValueRule: SingleFindingRule {
    static let identifier = "product-value"
    static let explanation =
        "A consumable credits productValue units for each unit of the purchased quantity, and an auto-renewable "
        + "subscription with a storageKey credits productValue units for each paid period."
    static let concerns: ProductTraits = [.consumable, .keys(.productValue)]

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        if declaration.product.productValue ?? 1 <= 0, let value = declaration.productValue {
            return finding(
                .error, "productValue is \(value.value), but must be greater than zero",
                at: value.position, leavingOut: [index])
        }
        guard declaration.product.kind == .consumable, declaration.product.productValue == nil,
            !declaration.hasValueOfWrongKind(.productValue)
        else { return nil }
        return finding(
            .error, "\(declaration.displayName(as: "consumable")) has no productValue",
            at: declaration.position, leavingOut: [index])
    }
}
