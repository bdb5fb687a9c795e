internal import VitrinePropertyList

struct EmptyBundleRule: ProductRule {
    static let identifier = "empty-bundle"
    static let explanation = "A bundle without children unlocks only itself."
    static let concerns: ProductTraits = .keys(.childProducts)

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard let children = declaration[.childProducts], children.kind == .array, children.count == 0 else {
            return []
        }
        return [
            finding(
                .warning, "\(declaration.displayName) is a bundle without children: childProducts is empty",
                at: children.position)
        ]
    }
}
