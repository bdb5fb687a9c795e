internal import PropertyList

struct DuplicateIdentifierRule: CatalogRule {
    static let identifier = "duplicate-identifier"
    static let explanation =
        "Two declarations of one product contradict each other, and nobody can say which one counts."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarationsByIdentifier.values.filter { $0.count > 1 }.flatMap { indexes in
            let first = draft.declarations[indexes[0]]
            return indexes.dropFirst().map { index in
                finding(
                    .error, "the identifier \(draft.declarations[index].displayName) is used twice",
                    at: draft.declarations[index].identifier?.position,
                    notes: [Diagnostic.Note(message: "first used here", position: first.identifier?.position)],
                    leavingOut: [indexes[0], index])
            }
        }
    }
}
