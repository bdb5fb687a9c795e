internal import VitrinePropertyList

struct OldSpellingRule: SingleFindingRule {
    static let identifier = "old-spelling"
    static let explanation =
        "localStorageKey is an older name of storageKey, from the documentation of VTAInAppPurchases."
    static let concerns: ProductTraits = .keys(.localStorageKey)

    func finding(in declaration: ProductDeclaration, at index: Int) -> Finding? {
        guard let value = declaration[.localStorageKey] else { return nil }
        let fix: Diagnostic.Fix? =
            if declaration.fixable(.localStorageKey) == nil {
                nil
            } else if declaration[.storageKey] == nil {
                .replacing(value.precedingKey, with: "<key>storageKey</key>", "rename localStorageKey to storageKey")
            } else if declaration.fixable(.storageKey) != nil, value.string == declaration.text(.storageKey)?.value {
                .removingEntry(value, "remove localStorageKey: storageKey is used")
            } else {
                nil
            }
        let isContradicted = declaration.text(.storageKey).map { $0.value != value.string } ?? false
        let result =
            isContradicted ? ": \((declaration.product.storageKey ?? "").quoted) is used, and this value is not" : ""
        return finding(
            .warning, "\"localStorageKey\" is an older spelling of \"storageKey\"\(result)",
            at: value.precedingKey.position, fix: fix)
    }
}
