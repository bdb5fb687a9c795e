internal import PropertyList

struct UnknownKeyRule: ProductRule {
    static let identifier = "unknown-key"
    static let explanation = "A key that nobody reads is often a misspelt one."

    /// After so many findings nobody is helped by another suggestion.
    private static let mostSuggestions = 20
    private static let suggested = CatalogKey.allCases.filter { $0 != .localStorageKey }.map(\.name)
    private var looked = 0

    mutating func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        (declaration.keys?.unknown ?? []).filter { $0.key != CatalogKey.ownershipKey }.map { entry in
            looked += 1
            let known = looked <= Self.mostSuggestions ? Self.suggested : []
            let suggestion =
                EditDistance.nearest(to: entry.key, among: known).map { "; did you mean \"\($0)\"?" }
                ?? " and is ignored"
            return finding(.warning, "the key \(entry.key.quoted) is unknown\(suggestion)", at: entry.keyPosition)
        }
    }
}
