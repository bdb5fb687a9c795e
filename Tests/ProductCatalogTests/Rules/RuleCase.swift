import ProductCatalog
import TestSupport
import Testing

/// A product whose keys are looked at by one rule.
struct RuleCase: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Keys and values, with a mark at each place that a finding is to have.
    let keys: String
    /// What the findings say, in the order of the file.
    let messages: [String]

    init(_ description: String, _ keys: String, _ messages: String...) {
        testDescription = description
        self.keys = keys
        self.messages = messages
    }

    /// Checks that a rule finds just this. What other rules find does not matter.
    func check(_ rule: String, severity: Diagnostic.Severity = .warning, kind: String = "<false/>") throws {
        let marked = MarkedText(
            PlistText.document(
                """
                <array>
                <dict><key>productIdentifier</key><string>first</string><key>consumable</key>\(kind)
                \(keys)</dict>
                </array>
                """))
        let catalog = Catalog(document: try PlistText.read(marked.text))
        let findings = catalog.diagnostics.filter { $0.rule == rule }

        #expect(findings.map(\.message) == messages)
        #expect(findings.map(\.position) == marked.positions)
        #expect(findings.allSatisfy { $0.severity == severity })
        #expect(CatalogRuleDescription.all.contains { $0.identifier == rule })
    }
}
