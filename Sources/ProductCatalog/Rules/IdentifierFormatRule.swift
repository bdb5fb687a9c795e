internal import PropertyList

struct IdentifierFormatRule: CatalogRule {
    static let identifier = "identifier-format"
    static let explanation =
        "App Store Connect takes letters, digits, underscores, hyphens and full stops in a product's identifier, and "
        + "no store will know one that has something else in it."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.compactMap { declaration in
            guard let name = declaration.identifier, let strange = name.value.unicodeScalars.first(where: isStrange)
            else { return nil }
            return finding(
                .warning,
                "the identifier \(name.value.quoted) has \(String(strange).quoted) in it, which no store takes",
                at: name.position)
        }
    }

    private func isStrange(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", "-", ".": false
        default: true
        }
    }
}
