internal import VitrinePropertyList

struct EmptyBundleRule: SingleFindingRule {
    static let identifier = "empty-bundle"
    static let explanation = "A bundle without children unlocks only itself."
    static let concerns: ProductTraits = .keys(.childProducts)

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        guard let children = declaration[.childProducts], children.kind == .array, children.count == 0 else {
            return nil
        }
        return finding(
            .warning, "\(declaration.displayName) is a bundle without children: childProducts is empty",
            at: children.position)
    }
}
