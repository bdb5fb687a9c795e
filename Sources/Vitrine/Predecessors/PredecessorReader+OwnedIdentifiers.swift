internal import ProductCatalog

extension PredecessorReader {
    /// Reads an array of identifiers in the preferences.
    ///
    /// - Parameter holdsConsumables: `true` if the library stores consumables there too; these are skipped.
    func readOwnedIdentifiers(
        under key: String, holdsConsumables: Bool, into findings: inout PredecessorFindings
    ) {
        guard let value = preferences.value(forKey: key) else { return }
        let source = "\(key) in the preferences"
        guard case .array(let elements) = value else {
            return findings.addUnreadable(
                UnusableValue(expected: "an array", found: value.inWords).reason, source: source)
        }
        for (index, element) in elements.enumerated() {
            guard case .string(let identifier) = element, !identifier.isEmpty else {
                let found = element == .string("") ? "empty" : element.inWords
                findings.addUnreadable("item \(index + 1) must be an identifier, but is \(found)", source: source)
                continue
            }
            if holdsConsumables, findings.kind(of: identifier) == .consumable { continue }
            findings.addOwned(PredecessorState.OwnedProduct(identifier: identifier, source: source))
        }
    }
}
