struct ChildKindRule: CrossProductRule {
    static let identifier = "child-kind"
    static let explanation =
        "A bundle unlocks its children permanently, but a consumable is used up and a subscription ends."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().flatMap { index, declaration in
            declaration.children.compactMap { child in
                guard let target = draft.declaration(of: child.value) else { return nil }
                let kind = draft.declarations[target].product.kind
                guard kind != .nonConsumable, kind != .unknown else { return nil }
                return finding(
                    .error,
                    "\(declaration.displayName) contains \(child.value.quoted), which is not a non-consumable",
                    at: child.position, leavingOut: [index])
            }
        }
    }
}
