struct DuplicateChildRule: ProductRule {
    static let identifier = "duplicate-child"
    static let explanation = "A child that is listed twice is only used once."
    static let concerns: ProductTraits = .keys(.childProducts)

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard declaration.children.count > declaration.product.childProducts.count else { return [] }
        var seen: Set<String> = []
        return declaration.children.filter { !seen.insert($0.value).inserted }.map { child in
            finding(
                .warning, "\(declaration.displayName) contains \(child.value.quoted) twice", at: child.position,
                fix: declaration.fixable(.childProducts) == nil
                    ? nil : child.location.value.flatMap { .removing($0, "remove the second \(child.value.quoted)") })
        }
    }
}
