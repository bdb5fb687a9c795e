/// A bundle would be sold with less in it than it promises.
struct UnknownChildRule: CatalogRule {
    static let identifier = "unknown-child"

    /// In a larger catalog no name is suggested: looking for it costs more than it tells.
    private static let largestCatalogForSuggestions = 1_000

    func findings(in draft: CatalogDraft) -> [Finding] {
        let identifiers =
            draft.declarationsByIdentifier.count <= Self.largestCatalogForSuggestions
            ? draft.declarationsByIdentifier.keys.sorted() : []
        return draft.declarations.enumerated().flatMap { index, declaration in
            declaration.children.filter { draft.declarationsByIdentifier[$0.value] == nil }.map { child in
                let suggestion =
                    EditDistance.nearest(to: child.value, among: identifiers)
                    .map { "; did you mean \"\($0)\"?" } ?? ""
                return finding(
                    .error,
                    "\(declaration.displayName) contains \"\(child.value)\", which is not in the catalog\(suggestion)",
                    at: child.position, leavingOut: [index])
            }
        }
    }
}
