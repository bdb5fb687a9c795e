internal import PropertyList

struct OldSpellingRule: ProductRule {
    static let identifier = "old-spelling"
    static let explanation = "localStorageKey is what the documentation of VTAInAppPurchases called storageKey."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard let value = declaration[.localStorageKey] else { return [] }
        let fix: Diagnostic.Fix? =
            if declaration[.storageKey] == nil {
                .replacing(value.precedingKey, with: "<key>storageKey</key>", "call it storageKey")
            } else if declaration.keys?.text(.storageKey) != nil {
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
