internal import PropertyList

struct DuplicateKeyRule: CatalogRule {
    static let identifier = "duplicate-key"
    static let explanation = "Of a key that stands there twice some readers take the first value and some the last."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().flatMap { index, declaration in
            var first: [String: PropertyListValue.Entry] = [:]
            return declaration.entries.compactMap { entry -> Finding? in
                guard let earlier = first.updateValue(entry, forKey: entry.key)?.keyPosition else { return nil }
                return finding(
                    .error, "the key \(entry.key.quoted) stands twice in \(declaration.displayName)",
                    at: entry.keyPosition,
                    notes: [Diagnostic.Note(message: "first used here", position: earlier)],
                    leavingOut: [index])
            }
        }
    }
}
