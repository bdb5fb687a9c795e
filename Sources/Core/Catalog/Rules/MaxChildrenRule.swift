internal import VitrinePropertyList

struct MaxChildrenRule: SingleFindingRule {
    static let identifier = "max-children"
    static let explanation =
        "A bundle is no longer sold to a customer who owns as many of its direct children as maxChildren says."
    static let concerns: ProductTraits = .keys(.maxChildren)

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        guard let maximum = declaration.integer(.maxChildren) else { return nil }
        if maximum.value <= 0 {
            return finding(
                .warning, "maxChildren is \(maximum.value) and is ignored: it must be greater than zero",
                at: maximum.position,
                fix: declaration.fixable(.maxChildren).flatMap { .removingEntry($0, "remove maxChildren") })
        }
        let count = declaration.product.childProducts.count
        guard maximum.value > count, !declaration.hasValueOfWrongKind(.childProducts) else { return nil }
        let children = count == 1 ? "1 child" : "\(count) children"
        return finding(
            .warning,
            "maxChildren is \(maximum.value), but \(declaration.displayName) has only \(children): it is never "
                + "reached",
            at: maximum.position)
    }
}
