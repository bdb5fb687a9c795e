struct TooManyKeysRule: SingleFindingRule {
    static let identifier = "too-many-keys"
    static let explanation = "A product with an implausible number of keys is not read."
    /// Empty set, because all rules are applied to a product with too many keys, whose dictionary is not read.
    static let concerns: ProductTraits = []

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        guard declaration.hasTooManyKeys else { return nil }
        return finding(
            .error, "the product has more than \(CatalogLimits.keys) keys", at: declaration.position,
            leavingOut: [index])
    }
}
