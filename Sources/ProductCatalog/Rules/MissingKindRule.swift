internal import PropertyList

struct MissingKindRule: CatalogRule {
    static let identifier = "missing-kind"
    static let explanation = "Without it nobody knows whether a purchase is credited or owned."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().compactMap { index, declaration in
            guard declaration.dictionary != nil, declaration.isConsumable == nil, declaration.type == nil,
                !declaration.hasValueOfWrongKind(.consumable), !declaration.hasValueOfWrongKind(.type)
            else { return nil }
            return finding(
                .error, "\(declaration.displayName) does not say whether it is consumable",
                at: declaration.position, leavingOut: [index])
        }
    }
}
