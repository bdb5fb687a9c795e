internal import VitrinePropertyList

struct ContentPathRule: SingleFindingRule {
    static let identifier = "content-path"
    static let explanation =
        "A content path must not leave the content directory, and hosted content needs its own folder in it."
    static let concerns: ProductTraits = .keys(.localContentPath, .hosted)

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        let isIgnored = declaration.product.isHosted && declaration.product.kind == .consumable
        if isIgnored, declaration.product.localContentPath != nil || declaration.localContentPath == nil {
            return finding(
                .warning,
                "\(declaration.displayName) is a consumable and never owned: its hosted content is ignored",
                at: declaration.position)
        }
        if let path = declaration.product.localContentPath {
            guard declaration.product.isHosted else { return nil }
            return problem(ofHosted: path).map { problemFinding(declaration, $0, index) }
        }
        guard let text = declaration.localContentPath else {
            guard declaration.product.isHosted, !declaration.hasValueOfWrongKind(.localContentPath) else { return nil }
            return finding(
                .error, "\(declaration.displayName) is hosted, but has no localContentPath",
                at: declaration.position, leavingOut: [index])
        }
        do {
            _ = try ContentPath(text.value)
            return nil
        } catch {
            return problemFinding(declaration, error.reason, index)
        }
    }

    private func problemFinding(_ declaration: ProductDeclaration, _ problem: String, _ index: Int) -> Finding {
        let path = declaration.localContentPath
        return finding(
            .error, "localContentPath \((path?.value ?? "").quoted) \(problem)", at: path?.position,
            leavingOut: [index])
    }

    private func problem(ofHosted path: ContentPath) -> String? {
        guard !path.isEmpty else { return "is the content directory itself" }
        return path.isReserved ? "contains a name reserved in the content directory" : nil
    }
}
