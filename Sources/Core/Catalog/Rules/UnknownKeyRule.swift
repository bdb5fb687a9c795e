internal import VitrinePropertyList

struct UnknownKeyRule: ProductRule {
    static let identifier = "unknown-key"
    static let explanation = "A key that Vitrine does not know is ignored, and is often misspelled."
    static let concerns: ProductTraits = .unknownKeys

    /// Maximum number of different unknown keys for which a spelling suggestion is computed.
    private static let mostSuggestions = 20
    private static let suggested = CatalogKey.allCases.filter { $0 != .localStorageKey }.map(\.name)
    /// Cached spelling suggestions by unknown key. The same unknown keys often occur in every product.
    private var answers: [String: String?] = [:]

    mutating func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        var present = Self.present(in: declaration)
        return (declaration.keys?.unknown ?? []).filter { $0.key != CatalogKey.ownershipKey }.map { entry in
            let meant = meant(by: entry.key)
            // Two keys with one name would be a duplicate key.
            let isNew = meant.map { present.insert($0).inserted } ?? false
            let suggestion =
                switch meant {
                case nil: " and is ignored"
                case let name? where isNew: "; did you mean \"\(name)\"?"
                case let name?: " and is ignored: the product already has \"\(name)\""
                }
            return finding(.warning, "the key \(entry.key.quoted) is unknown\(suggestion)", at: entry.keyPosition)
        }
    }

    /// Returns the names of the product's known keys. The older spelling of a key counts as that key.
    private static func present(in declaration: ProductDeclaration) -> Set<String> {
        Set(
            CatalogKey.allCases.filter { declaration[$0] != nil }
                .map { $0 == .localStorageKey ? CatalogKey.storageKey.name : $0.name })
    }

    private mutating func meant(by key: String) -> String? {
        if let answer = answers[key] { return answer }
        guard answers.count < Self.mostSuggestions else { return nil }
        let answer =
            Self.otherNames[CatalogKeyDescription.word(key)] ?? EditDistance.nearest(to: key, among: Self.suggested)
        answers[key] = answer
        return answer
    }

    /// Catalog key names by the names that other catalog formats use for the same keys, in lower case without `_` and
    /// `-`.
    private static let otherNames = Dictionary(
        uniqueKeysWithValues: CatalogKey.rows.flatMap { row in row.otherNames.map { ($0, row.name) } })
}
