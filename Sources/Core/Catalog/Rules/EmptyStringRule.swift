internal import VitrinePropertyList

struct EmptyStringRule: ProductRule {
    static let identifier = "empty-string"
    static let explanation = "A key whose value is an empty string is treated as absent."
    static let concerns: ProductTraits = .emptyStrings

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard let keys = declaration.keys else { return [] }
        var findings: [Finding] = []
        keys.forEach { key, glance in
            let mayHoldOne = glance.isEmptyString || glance.isContainer
            guard ![.userInfo, .grandfathered, .formerDurations].contains(key), mayHoldOne else { return }
            let value = keys.dictionary.value(numbered: glance.number)
            for empty in value.emptyStrings {
                findings.append(
                    finding(
                        .warning, "an empty string in \(key.name) is treated as absent", at: empty.position,
                        fix: Self.fix(empty, in: value, of: key, keys)))
            }
        }
        return findings
    }

    private static func fix(
        _ empty: PropertyListValue, in value: PropertyListValue, of key: CatalogKey, _ keys: ProductKeys
    ) -> Diagnostic.Fix? {
        guard key != .productIdentifier, keys.isUnambiguous(key), value.repeatedKeys.isEmpty else { return nil }
        let description = "remove the empty string in \(key.name)"
        return value.kind == .array ? .removing(empty, description) : .removingEntry(empty, description)
    }
}
