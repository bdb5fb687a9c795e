struct DuplicateChildRule: CatalogRule {
    static let identifier = "duplicate-child"
    static let explanation = "A child that is named twice counts once."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.flatMap { declaration in
            var seen: Set<String> = []
            return declaration.children.filter { !seen.insert($0.value).inserted }.map { child in
                finding(
                    .warning, "\(declaration.displayName) contains \(child.value.quoted) twice", at: child.position)
            }
        }
    }
}
