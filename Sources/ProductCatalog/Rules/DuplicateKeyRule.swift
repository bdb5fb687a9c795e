internal import PropertyList

struct DuplicateKeyRule: ProductRule {
    static let identifier = "duplicate-key"
    static let explanation = "Of a key that stands there twice some readers take the first value and some the last."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard let keys = declaration.keys else { return [] }
        let languages = [CatalogKey.productTitle, .longDescription].flatMap { key in
            (keys[key]?.repeatedKeys ?? []).map { language in
                finding(
                    .warning,
                    "\((language.string ?? "").quoted) stands twice in \(key.name): the last text counts",
                    at: language.position)
            }
        }
        return languages
            + keys.repetitions.map { repetition in
                let isSame = keys.repetitions.allSatisfy { other in
                    other.key.string != repetition.key.string || other.key.followingValue == other.first.followingValue
                }
                let name = (repetition.key.string ?? "").quoted
                return finding(
                    .error, "the key \(name) stands twice in \(declaration.displayName)",
                    at: repetition.key.position,
                    notes: [Diagnostic.Note(message: "first used here", position: repetition.first.position)],
                    fix: isSame ? .removingEntry(repetition.key.followingValue, "remove the second \(name)") : nil,
                    leavingOut: [index])
            }
    }
}
