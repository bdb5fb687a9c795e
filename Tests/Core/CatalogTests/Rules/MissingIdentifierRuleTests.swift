import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct MissingIdentifierRuleTests {
    @Test(arguments: [
        RuleCase(
            "no identifier", products: "▸<dict><key>consumable</key><false/></dict>",
            "the product has no productIdentifier", valid: []),
        RuleCase(
            "the second of three",
            products: nonConsumable("a") + "▸<dict><key>consumable</key><false/></dict>" + nonConsumable("b"),
            "the product has no productIdentifier", valid: ["a", "b"]),
        RuleCase(
            "by itself", products: "<string>a</string>\n▸<string/>", "the product has no productIdentifier",
            valid: ["a"]),
        RuleCase(
            "a misspelt key",
            products: """
                ▸<dict><key>productIdentifer</key><string>a</string><key>consumable</key><false/></dict>
                """,
            "the product has no productIdentifier", also: ["unknown-key"], valid: []),
        RuleCase(
            "no text",
            products: "<dict><key>productIdentifier</key><integer>1</integer>"
                + "<key>consumable</key><false/></dict>",
            also: ["value-type"], valid: []),
        RuleCase("a blank", products: nonConsumable(" "), also: ["identifier-format"], valid: [" "]),
    ])
    func `a product without an identifier is reported`(_ test: RuleCase) throws {
        try test.check("missing-identifier", severity: .error)
    }

    @Test func `a product created in code with an empty identifier is reported`() {
        let catalog = Catalog(products: [CatalogProduct(identifier: ""), CatalogProduct(identifier: "a")])

        #expect(catalog.diagnostics.map(\.rule) == ["missing-identifier"])
        #expect(catalog.diagnostics.map(\.position) == [nil])
        #expect(catalog.products.map(\.identifier) == ["a"])
    }
}
