internal import PropertyList

struct NotActedOnRule: CatalogRule {
    static let identifier = "not-acted-on"
    static let explanation = "The key is part of the format, but this version does nothing about it yet."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.flatMap { declaration in
            declaration.entries.filter { isNotActedOn($0.key, in: declaration) }.map { entry in
                finding(.note, "\(entry.key) is not acted on by this version", at: entry.keyPosition)
            }
        }
    }

    private func isNotActedOn(_ name: String, in declaration: ProductDeclaration) -> Bool {
        switch CatalogKey(rawValue: name) {
        case .localContentPath: !declaration.product.isHosted
        case let key?: key.isNotActedOn
        case nil: false
        }
    }
}
