internal import PropertyList

struct EmptyStringRule: CatalogRule {
    static let identifier = "empty-string"
    static let explanation = "An empty text counts as none."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.flatMap { declaration in
            declaration.entries.flatMap { entry -> [Finding] in
                guard let key = CatalogKey(rawValue: entry.key), key != .userInfo else { return [] }
                let values = [entry.value] + entry.value.elements + entry.value.entries.map(\.value)
                return values.filter { $0.string?.isEmpty == true }.map { value in
                    finding(.warning, "an empty text in \(key.rawValue) counts as absent", at: value.position)
                }
            }
        }
    }
}
