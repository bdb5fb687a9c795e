internal import PropertyList

struct NotActedOnRule: ProductRule {
    static let identifier = "not-acted-on"
    static let explanation = "The key is part of the format, but this version does nothing about it yet."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        CatalogKey.notActedOn.compactMap { key in
            guard key != .localContentPath || !declaration.product.isHosted, let value = declaration[key] else {
                return nil
            }
            return finding(.note, "\(key.name) is not acted on by this version", at: value.precedingKey.position)
        }
    }
}
