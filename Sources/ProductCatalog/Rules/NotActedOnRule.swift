internal import PropertyList

/// The key is part of the format, but this version does nothing about it yet.
struct NotActedOnRule: CatalogRule {
    static let identifier = "not-acted-on"

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.flatMap { declaration in
            declaration.entries.filter { CatalogKey(rawValue: $0.key)?.isNotActedOn == true }.map { entry in
                finding(.note, "\(entry.key) is not acted on by this version", at: entry.keyPosition)
            }
        }
    }
}
