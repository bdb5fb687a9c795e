struct ChildKindRule: CrossProductRule {
    static let identifier = "child-kind"
    static let explanation =
        "A bundle makes its children owned, but a consumable is credited to a wallet and used up. A subscription in a "
        + "bundle is owned as long as the bundle is, and not renewed by it."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.bundles.flatMap { index, children -> [Finding] in
            children.enumerated().compactMap { position, target in
                guard let target, draft.declarations[target].product.kind == .consumable else { return nil }
                let declaration = draft.declarations[index]
                let child = declaration.children[position]
                return finding(
                    .error,
                    "\(declaration.displayName) contains \(child.value.quoted), which is a consumable",
                    at: child.position, leavingOut: [index])
            }
        }
    }
}
