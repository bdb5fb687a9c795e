struct TooManyKeysRule: CatalogRule {
    static let identifier = "too-many-keys"
    static let explanation = "A product with more keys than anybody writes is not looked into."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().filter(\.element.hasTooManyKeys).map { index, declaration in
            finding(
                .error, "the product has more than \(CatalogLimits.keys) keys", at: declaration.position,
                leavingOut: [index])
        }
    }
}
