internal import PropertyList

struct OldSpellingRule: ProductRule {
    static let identifier = "old-spelling"
    static let explanation = "localStorageKey is what the documentation of VTAInAppPurchases called storageKey."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard let value = declaration[.localStorageKey] else { return [] }
        let fix: Diagnostic.Fix? =
            if declaration.fixable(.localStorageKey) == nil {
                nil
            } else if declaration[.storageKey] == nil {
                .replacing(value.precedingKey, with: "<key>storageKey</key>", "call it storageKey")
            } else if declaration.fixable(.storageKey) != nil, declaration.keys?.text(.storageKey) != nil {
                .removingEntry(value, "remove localStorageKey: storageKey counts")
            } else {
                nil
            }
        return [
            finding(
                .warning, "\"localStorageKey\" is an older spelling of \"storageKey\"",
                at: value.precedingKey.position, fix: fix)
        ]
    }
}
