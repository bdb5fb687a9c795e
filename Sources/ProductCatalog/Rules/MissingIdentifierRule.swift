internal import PropertyList

struct MissingIdentifierRule: CatalogRule {
    static let identifier = "missing-identifier"
    static let explanation = "A product cannot be asked for without its identifier."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().filter { $1.identifier == nil && !$1.hasValueOfWrongKind(.productIdentifier) }
            .map { index, declaration in
                finding(
                    .error, "the product has no productIdentifier",
                    at: declaration.position, leavingOut: [index])
            }
    }
}
