internal import PropertyList

/// A consumable is used up and cannot be owned, so no bundle can unlock it.
struct ConsumableChildRule: CatalogRule {
    static let identifier = "consumable-child"

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().flatMap { index, declaration in
            declaration.children.compactMap { child in
                guard let target = draft.declaration(of: child.value),
                    draft.declarations[target].product.kind == .consumable
                else { return nil }
                return finding(
                    .error, "\(declaration.displayName) contains the consumable \"\(child.value)\"",
                    at: child.position, leavingOut: [index])
            }
        }
    }
}
