internal import PropertyList

struct StorageKeyRule: CatalogRule {
    static let identifier = "missing-storage-key"
    static let explanation =
        "The value of a consumable is credited to the wallet that storageKey names; without one a "
        + "purchase would come to nothing."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().compactMap { index, declaration in
            guard declaration.product.kind == .consumable, declaration.storageKey == nil,
                !declaration.hasValueOfWrongKind(.storageKey)
            else { return nil }
            return finding(
                .error, "the consumable \(declaration.displayName) has no storageKey",
                at: declaration.position, leavingOut: [index])
        }
    }
}
