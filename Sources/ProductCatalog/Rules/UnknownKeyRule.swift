internal import PropertyList

/// A key that nobody reads is often a misspelt one.
struct UnknownKeyRule: CatalogRule {
    static let identifier = "unknown-key"

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.flatMap { declaration in
            declaration.entries.filter { CatalogKey(rawValue: $0.key) == nil && $0.key != CatalogKey.ownershipKey }.map
            { entry in
                let suggestion =
                    EditDistance.nearest(to: entry.key, among: CatalogKey.allCases.map(\.rawValue))
                    .map { "; did you mean \"\($0)\"?" } ?? " and is ignored"
                return finding(
                    .warning, "the key \(entry.key.quoted) is unknown\(suggestion)", at: entry.keyPosition)
            }
        }
    }
}
