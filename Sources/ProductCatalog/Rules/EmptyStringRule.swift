internal import PropertyList

struct EmptyStringRule: ProductRule {
    static let identifier = "empty-string"
    static let explanation = "An empty text counts as none."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard let keys = declaration.keys else { return [] }
        var findings: [Finding] = []
        keys.forEach { key, glance in
            let mayHoldOne = glance.isEmptyString || glance.kind == .array || glance.kind == .dictionary
            guard key != .userInfo, key != .grandfathered, mayHoldOne else { return }
            let value = keys.dictionary.value(at: glance)
            for empty in value.emptyStrings {
                let isEntry = value.kind != .array
                let message = "remove the empty text"
                findings.append(
                    finding(
                        .warning, "an empty text in \(key.name) counts as absent", at: empty.position,
                        fix: key == .productIdentifier
                            ? nil : isEntry ? .removingEntry(empty, message) : .removing(empty, message)))
            }
        }
        return findings
    }
}
