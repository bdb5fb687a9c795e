internal import PropertyList

struct DuplicateIdentifierRule: CrossProductRule {
    static let identifier = "duplicate-identifier"
    static let explanation =
        "Two declarations of one product contradict each other, and nobody can say which one counts."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.repeatedDeclarations.map { index, first in
            finding(
                .error, "the identifier \(draft.declarations[index].displayName) is used twice",
                at: draft.declarations[index].identifier?.position,
                notes: [
                    Diagnostic.Note(
                        message: "first used here", position: draft.declarations[first].identifier?.position)
                ],
                leavingOut: [first, index])
        }
    }
}
