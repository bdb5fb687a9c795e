internal import PropertyList

/// An empty text counts as none.
struct EmptyStringRule: CatalogRule {
    static let identifier = "empty-string"

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.flatMap { declaration in
            declaration.entries.compactMap { entry in
                guard CatalogKey(rawValue: entry.key) != nil, entry.value.string?.isEmpty == true else { return nil }
                return finding(
                    .warning, "\(entry.key) is empty, which counts as absent", at: entry.value.position)
            }
        }
    }
}
