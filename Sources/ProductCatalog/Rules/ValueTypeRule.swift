internal import PropertyList

struct ValueTypeRule: CatalogRule {
    static let identifier = "value-type"
    static let explanation = "A value of another type than its key asks for is not understood."

    func findings(in draft: CatalogDraft) -> [Finding] {
        draft.declarations.enumerated().flatMap { index, declaration in
            declaration.entries.flatMap { entry -> [Finding] in
                guard let key = CatalogKey(rawValue: entry.key) else { return [] }
                return wrongValues(of: key, entry.value).map { wrong in
                    finding(
                        key.isPresentation ? .warning : .error,
                        "\(key.rawValue) \(wrong.expectation), and this is \(wrong.value.kind.inWords)",
                        at: wrong.value.position, leavingOut: [index])
                }
            }
        }
    }

    private func wrongValues(
        of key: CatalogKey,
        _ value: PropertyListValue
    ) -> [(value: PropertyListValue, expectation: String)] {
        guard key.expectedKinds.contains(value.kind) else {
            let names = key.expectedKinds.map(\.inWords).joined(separator: " or ")
            return [(value, "must be \(names)")]
        }
        if value.kind == .integer, value.integer == nil { return [(value, "must be below 2^63")] }
        switch key {
        case .childProducts: return value.elements.filter { $0.kind != .string }.map { ($0, "holds strings") }
        case .productTitle, .longDescription:
            return value.entries.map(\.value).filter { $0.kind != .string }.map { ($0, "holds strings") }
        case .grandfathered where value.kind == .array:
            return value.elements.filter { $0.kind != .dictionary }.map { ($0, "holds dictionaries") }
        default: return []
        }
    }
}
