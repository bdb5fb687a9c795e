internal import PropertyList

struct EmptyBundleRule: CatalogRule {
    static let identifier = "empty-bundle"
    static let explanation = "A bundle without children unlocks nothing but itself."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.compactMap { declaration in
            guard let children = declaration.dictionary?[CatalogKey.childProducts.rawValue],
                children.kind == .array, children.count == 0
            else { return nil }
            return finding(
                .warning, "\(declaration.displayName) is a bundle of nothing: childProducts is empty",
                at: children.position)
        }
    }
}
