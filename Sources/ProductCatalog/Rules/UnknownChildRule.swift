struct UnknownChildRule: CatalogRule {
    static let identifier = "unknown-child"
    static let explanation = "A bundle would be sold with less in it than it promises."

    /// Looking for what was meant costs more than it tells in a larger catalog, and after so many findings.
    private static let (largestCatalogForSuggestions, mostSuggestions) = (1_000, 20)

    func findings(in draft: CatalogDraft) -> [Finding] {
        let identifiers =
            draft.declarationsByIdentifier.count <= Self.largestCatalogForSuggestions
            ? draft.declarationsByIdentifier.keys.sorted() : []
        var looked = 0
        return draft.declarations.enumerated().flatMap { index, declaration in
            declaration.children.filter { draft.declarationsByIdentifier[$0.value] == nil }.map { child in
                looked += 1
                let suggestion =
                    EditDistance.nearest(to: child.value, among: looked <= Self.mostSuggestions ? identifiers : [])
                    .map { "; did you mean \"\($0)\"?" } ?? ""
                return finding(
                    .error,
                    "\(declaration.displayName) contains \(child.value.quoted), which is not in the catalog\(suggestion)",
                    at: child.position, leavingOut: [index])
            }
        }
    }
}
