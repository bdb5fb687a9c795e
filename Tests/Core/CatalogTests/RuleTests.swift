import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

/// Catalogs with diagnostics of several rules, or of none.
@Suite(.hangLimit) struct RuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        /// Content of the root, with a mark at the position of each expected diagnostic.
        let marked: String
        /// Severity and rule of each diagnostic, in the order of the file.
        let findings: [String]
        /// Identifiers of the products that remain in the catalog.
        let valid: [String]
        var testDescription: String { id }
    }

    @Test(arguments: [
        Case(
            id: "a product of each kind is fine",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>type</key><string>nonConsumable</string>
                <key>childProducts</key><array><string>guide</string></array></dict>
                <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key><integer>5</integer></dict>
                """,
            findings: [], valid: ["guide", "pack", "coins"]),
        Case(
            id: "an empty identifier",
            marked: "▸<dict><key>productIdentifier</key>▸<string/><key>consumable</key><false/></dict>",
            findings: ["error missing-identifier", "warning empty-string"], valid: []),
        Case(
            id: "a child twice, and one without name",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>guide</string>▸<string>guide</string>▸<string/></array></dict>
                """,
            findings: ["warning duplicate-child", "warning empty-string"], valid: ["guide", "pack"]),
        Case(
            id: "a type without text",
            marked: """
                ▸<dict><key>productIdentifier</key><string>a</string><key>type</key>▸<string/></dict>
                """,
            findings: ["error missing-kind", "warning empty-string"], valid: []),
        Case(
            id: "two bundles that contain each other, and one that contains them",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>b</string></array></dict>
                <dict><key>productIdentifier</key><string>b</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>a</string></array></dict>
                <dict><key>productIdentifier</key><string>c</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>a</string></array></dict>
                <dict><key>productIdentifier</key><string>d</string><key>consumable</key><false/></dict>
                """,
            findings: ["error bundle-cycle", "note broken-child"], valid: ["d"]),
    ])
    func `diagnostics of several catalog rules are listed in the order of the catalog file`(_ test: Case) throws {
        let marked = MarkedText(PlistText.document("<array>\(test.marked)</array>"))
        let catalog = Catalog(document: try PlistText.read(marked.text))

        #expect(catalog.diagnostics.map { "\($0.severity) \($0.rule)" } == test.findings)
        #expect(catalog.diagnostics.map(\.position) == marked.positions)
        #expect(catalog.products.map(\.identifier) == test.valid)
        #expect(catalog.hasErrors == test.findings.contains { $0.hasPrefix("error") })
    }
}
