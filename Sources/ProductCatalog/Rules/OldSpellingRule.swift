internal import PropertyList

struct OldSpellingRule: CatalogRule {
    static let identifier = "old-spelling"
    static let explanation = "localStorageKey is what the documentation of VTAInAppPurchases called storageKey."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.flatMap { declaration in
            declaration.entries.filter { $0.key == CatalogKey.localStorageKey.rawValue }.map { entry in
                finding(
                    .warning, "\"localStorageKey\" is an older spelling of \"storageKey\"", at: entry.keyPosition)
            }
        }
    }
}
