internal import PropertyList

struct MissingKindRule: ProductRule {
    static let identifier = "missing-kind"
    static let explanation = "Without it nobody knows whether a purchase is credited or owned."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard declaration.keys != nil, declaration.product.kind == .unknown, declaration.type == nil,
            !declaration.hasValueOfWrongKind(.consumable), !declaration.hasValueOfWrongKind(.type)
        else { return [] }
        return [
            finding(
                .error, "\(declaration.displayName) does not say whether it is consumable",
                at: declaration.position, leavingOut: [index])
        ]
    }
}
