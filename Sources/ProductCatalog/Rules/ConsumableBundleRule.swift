internal import PropertyList

struct ConsumableBundleRule: CatalogRule {
    static let identifier = "consumable-bundle"
    static let explanation = "A consumable is used up and unlocks nothing for good."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().compactMap { index, declaration in
            guard declaration.product.kind == .consumable, let child = declaration.children.first else { return nil }
            return finding(
                .error, "the consumable \(declaration.displayName) has childProducts",
                at: child.position, leavingOut: [index])
        }
    }
}
