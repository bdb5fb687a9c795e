import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct AppPrefixCheckTests {
    @Test func `a product identifier without the required prefix is reported at its position`() throws {
        let marked = MarkedText(
            PlistText.document(
                """
                <array>\(nonConsumable("com.example.a"))
                <dict><key>productIdentifier</key>▸<string>com.exampleb</string><key>consumable</key><false/></dict>
                </array>
                """))
        let catalog = Catalog(document: try PlistText.read(marked.text))
        let findings = AppPrefixCheck.diagnostics(of: catalog, prefix: "com.example.")

        #expect(findings.map(\.message) == [#"the identifier "com.exampleb" does not begin with "com.example.""#])
        #expect(findings.map(\.position) == marked.positions)
        #expect(findings.allSatisfy { $0.severity == .warning && $0.rule == "app-prefix" })
        #expect(CatalogRuleDescription.all.contains { $0.identifier == "app-prefix" })
    }
}
