internal import VitrinePropertyList

struct MissingKindRule: SingleFindingRule {
    static let identifier = "missing-kind"
    static let explanation =
        "Without the key type or consumable, it is unknown whether a purchase is credited to a wallet or owned."
    static let concerns: ProductTraits = .unknownKind

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        guard declaration.keys != nil, declaration.product.kind == .unknown, declaration.text(.type) == nil,
            !declaration.hasValueOfWrongKind(.consumable), !declaration.hasValueOfWrongKind(.type)
        else { return nil }
        return finding(
            .error, "\(declaration.displayName) declares neither type nor consumable",
            at: declaration.position, leavingOut: [index])
    }
}
