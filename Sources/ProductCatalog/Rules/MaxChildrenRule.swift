internal import PropertyList

struct MaxChildrenRule: CatalogRule {
    static let identifier = "max-children"
    static let explanation = "A bundle is taken off sale once maxChildren of its direct children are owned."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.compactMap { declaration in
            guard let maximum = declaration.maxChildren else { return nil }
            if maximum.value <= 0 {
                return finding(
                    .warning, "maxChildren is \(maximum.value), and is ignored: it must be above zero",
                    at: maximum.position)
            }
            guard maximum.value > Set(declaration.children.map(\.value)).count else { return nil }
            return finding(
                .warning,
                "maxChildren is \(maximum.value), but \(declaration.displayName) has only "
                    + "\(declaration.children.count) children: it is never reached",
                at: maximum.position)
        }
    }
}
