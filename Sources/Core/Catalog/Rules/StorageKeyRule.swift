internal import VitrinePropertyList

struct StorageKeyRule: SingleFindingRule {
    static let identifier = "missing-storage-key"
    static let explanation =
        "The value of a consumable is credited to the wallet that storageKey names; without one, a "
        + "purchase credits nothing."
    static let concerns: ProductTraits = .consumable

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        guard declaration.product.kind == .consumable, declaration.product.storageKey == nil,
            !declaration.hasValueOfWrongKind(.storageKey), !declaration.hasValueOfWrongKind(.localStorageKey)
        else { return nil }
        return finding(
            .error, "\(declaration.displayName(as: "consumable")) has no storageKey",
            at: declaration.position, leavingOut: [index])
    }
}
