internal import VitrinePropertyList

struct ConsumableBundleRule: SingleFindingRule {
    static let identifier = "consumable-bundle"
    static let explanation = "A consumable is used up and cannot unlock other products permanently."
    static let concerns: ProductTraits = .keys(.childProducts)

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        guard declaration.product.kind == .consumable, let child = declaration.children.first else { return nil }
        return finding(
            .error, "\(declaration.displayName(as: "consumable")) has childProducts, but cannot unlock products",
            at: child.position, leavingOut: [index])
    }
}
