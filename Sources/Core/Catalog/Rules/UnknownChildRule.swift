struct UnknownChildRule: CrossProductRule {
    static let identifier = "unknown-child"
    static let explanation = "A bundle with a child that is not in the catalog would deliver less than it promises."

    /// Limits of spelling suggestions, which would take too long in a larger catalog or after more findings.
    private static let (largestCatalogForSuggestions, mostSuggestions) = (1_000, 20)

    func findings(in draft: CatalogDraft) -> [Finding] {
        // A bundle cannot contain a consumable.
        let identifiers =
            draft.list.firsts.count <= Self.largestCatalogForSuggestions
            ? draft.list.firsts.filter { draft.declarations[$0.value].product.kind != .consumable }.keys.sorted() : []
        var looked = 0
        return draft.bundles.flatMap { index, children -> [Finding] in
            guard children.contains(nil) else { return [] }
            let declaration = draft.declarations[index]
            return declaration.children.filter { draft.list.firsts[$0.value] == nil }.map { child in
                looked += 1
                let suggestion =
                    EditDistance.nearest(
                        to: child.value,
                        among: looked <= Self.mostSuggestions
                            ? identifiers.filter { $0 != declaration.product.identifier } : []
                    ).map { "; did you mean \($0.quoted)?" } ?? ""
                return finding(
                    .error,
                    "\(declaration.displayName) contains \(child.value.quoted), which is not in the catalog\(suggestion)",
                    at: child.position, leavingOut: [index])
            }
        }
    }
}
