struct DuplicateIdentifierRule: CrossProductRule {
    static let identifier = "duplicate-identifier"
    static let explanation =
        "If a product is declared twice, it is undefined which declaration applies."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.list.repeated.map { index, first in
            finding(
                .error, "the identifier \(draft.declarations[index].displayName) is used twice",
                at: draft.declarations[index].identifier?.position,
                notes: [
                    Diagnostic.Note(
                        message: "the identifier is first used here",
                        position: draft.declarations[first].identifier?.position)
                ],
                leavingOut: [first, index])
        }
    }
}
