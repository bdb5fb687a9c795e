internal import PropertyList

struct UnknownKeyRule: CatalogRule {
    static let identifier = "unknown-key"
    static let explanation = "A key that nobody reads is often a misspelt one."

    /// After so many findings nobody is helped by another suggestion.
    private static let mostSuggestions = 20

    func findings(in draft: CatalogDraft) -> [Finding] {
        let known = CatalogKey.allCases.map(\.rawValue)
        var looked = 0
        return draft.declarations.flatMap { declaration in
            declaration.entries.filter { CatalogKey(rawValue: $0.key) == nil && $0.key != CatalogKey.ownershipKey }
                .map { entry in
                    looked += 1
                    let suggestion =
                        EditDistance.nearest(to: entry.key, among: looked <= Self.mostSuggestions ? known : [])
                        .map { "; did you mean \"\($0)\"?" } ?? " and is ignored"
                    return finding(
                        .warning, "the key \(entry.key.quoted) is unknown\(suggestion)", at: entry.keyPosition)
                }
        }
    }
}
