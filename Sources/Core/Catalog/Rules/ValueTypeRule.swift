internal import VitrinePropertyList

struct ValueTypeRule: ProductRule {
    static let identifier = "value-type"
    static let explanation = "A value cannot be used if its type is not the type that its key requires."
    static let concerns: ProductTraits = .wrongTypes

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        guard let keys = declaration.keys else { return [] }
        var findings: [Finding] = []
        keys.forEach { key, glance in
            // An empty string is treated as absent.
            guard !key.accepts(glance.kind) || glance.kind == .integer || glance.isContainer, !glance.isEmptyString
            else {
                return
            }
            let value = keys.dictionary.value(numbered: glance.number)
            findings += wrongValues(of: key, value).map { wrong in
                finding(
                    key.row.isPresentation || key == .ignoredRules ? .warning : .error,
                    "\(key.name) \(wrong.expectation), but this is \(wrong.value.kind.typeName)",
                    at: wrong.value.position,
                    fix: keys.isUnambiguous(key) ? ValueTypeFix.fix(of: key, wrong.value) : nil, leavingOut: [index])
            }
        }
        return findings
    }

    private func wrongValues(
        of key: CatalogKey,
        _ value: PropertyListValue
    ) -> [(value: PropertyListValue, expectation: String)] {
        guard key.accepts(value.kind) else {
            let names = PropertyListValue.Kind.allCases.filter(key.accepts).map(\.typeName).joined(separator: " or ")
            return [(value, "must be \(names)")]
        }
        if value.kind == .integer, value.integer == nil, key != .userInfo { return [(value, "must be below 2^63")] }
        guard let expected = key.valueType.elementKind(in: value.kind) else { return [] }
        var wrong: [PropertyListValue.Glance] = []
        value.forEachContent { if $1.kind != expected { wrong.append($1) } }
        let names = expected == .dictionary ? "dictionaries" : "\(expected.rawValue)s"
        return wrong.map { (value.value(numbered: $0.number), "must contain \(names)") }
    }
}
