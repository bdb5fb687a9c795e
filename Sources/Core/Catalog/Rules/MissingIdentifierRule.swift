internal import VitrinePropertyList

struct MissingIdentifierRule: SingleFindingRule {
    static let identifier = "missing-identifier"
    static let explanation = "A product cannot be requested from the store without its identifier."
    static let concerns: ProductTraits = .noIdentifier

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        guard declaration.product.identifier.isEmpty, !declaration.hasValueOfWrongKind(.productIdentifier) else {
            return nil
        }
        return finding(.error, "the product has no productIdentifier", at: declaration.position, leavingOut: [index])
    }
}
