struct DuplicateIdentifierRule: CrossProductRule {
    static let identifier = "duplicate-identifier"
    static let explanation =
        "If a product is declared twice, it is undefined which declaration applies. An identifier that is only listed "
        + "twice is left out once."

    /// Returns the finding for an identifier that is listed again without any other value.
    static func repetition(of declaration: ProductDeclaration, _ first: ProductDeclaration) -> Finding {
        Finding(
            rule: identifier, severity: .warning,
            message: "the identifier \(declaration.displayName) is listed twice", position: declaration.position,
            notes: [Diagnostic.Note(message: "the identifier is first listed here", position: first.position)])
    }

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
