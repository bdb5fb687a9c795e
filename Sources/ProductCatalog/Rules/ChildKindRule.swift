struct ChildKindRule: CrossProductRule {
    static let identifier = "child-kind"
    static let explanation =
        "A bundle makes its children owned, but a consumable is credited to a wallet and used up. A subscription in a "
        + "bundle is owned as long as the bundle is, and not renewed by it."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().flatMap { index, declaration in
            declaration.children.compactMap { child in
                guard let target = draft.declaration(of: child.value) else { return nil }
                let kind = draft.declarations[target].product.kind
                guard kind == .consumable else { return nil }
                return finding(
                    .error,
                    "\(declaration.displayName) contains \(child.value.quoted), which is a consumable",
                    at: child.position, leavingOut: [index])
            }
        }
    }
}
