internal import PropertyList

struct NotActedOnRule: ProductRule {
    static let identifier = "not-acted-on"
    static let explanation = "The key is part of the format, but this version does nothing about it yet."

    /// For each key what is said about it: it may stand in every product.
    private static let messages = CatalogKey.names.map { "\($0) is not acted on by this version" }

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        CatalogKey.notActedOn.compactMap { key in
            guard key != .localContentPath || !declaration.product.isHosted, let value = declaration[key] else {
                return nil
            }
            return Finding(
                rule: Self.identifier, severity: .note, constant: Self.messages[key.rawValue],
                place: Place(of: value.precedingKey))
        }
    }
}
