internal import PropertyList

struct ContentPathRule: CatalogRule {
    static let identifier = "content-path"
    static let explanation = "Content lies inside its folder, and hosted content in a place of its own."

    /// Names at the top of the content directory that it needs for itself, folded.
    private static let reservedNames = ["cachedir.tag", ".staging"]

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().compactMap { index, declaration in
            if declaration.product.isHosted, declaration.product.kind == .consumable {
                return finding(
                    .warning,
                    "\(declaration.displayName) is a consumable, which nobody owns: its hosted content is ignored",
                    at: declaration.position)
            }
            guard let path = declaration.localContentPath else {
                guard declaration.product.isHosted, declaration.product.localContentPath == nil,
                    !declaration.hasValueOfWrongKind(.localContentPath)
                else { return nil }
                return finding(
                    .error, "\(declaration.displayName) is hosted, and has no localContentPath",
                    at: declaration.position, leavingOut: [index])
            }
            return problem(of: path.value, isHosted: declaration.product.isHosted).map { problem in
                finding(
                    .error, "localContentPath \(path.value.quoted) \(problem)", at: path.position,
                    leavingOut: [index])
            }
        }
    }

    private func problem(of text: String, isHosted: Bool) -> String? {
        let path: ContentPath
        do {
            path = try ContentPath(text)
        } catch {
            return error.reason
        }
        guard isHosted else { return nil }
        guard let first = path.folded.first else { return "is the content directory itself" }
        return Self.reservedNames.contains(first) ? "begins with a name that the content directory needs itself" : nil
    }
}
