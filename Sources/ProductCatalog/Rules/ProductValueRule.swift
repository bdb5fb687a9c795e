internal import PropertyList

struct ProductValueRule: CatalogRule {
    static let identifier = "product-value"
    static let explanation = "A consumable credits productValue units for each unit bought."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().compactMap { index, declaration in
            if let value = declaration.productValue, value.value <= 0 {
                return finding(
                    .error, "productValue is \(value.value), and must be above zero",
                    at: value.position, leavingOut: [index])
            }
            guard declaration.product.kind == .consumable, declaration.productValue == nil,
                !declaration.hasValueOfWrongKind(.productValue)
            else { return nil }
            return finding(
                .error, "the consumable \(declaration.displayName) has no productValue",
                at: declaration.position, leavingOut: [index])
        }
    }
}
