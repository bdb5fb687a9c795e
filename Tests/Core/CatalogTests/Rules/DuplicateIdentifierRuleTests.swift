import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct DuplicateIdentifierRuleTests {
    private static func product(_ identifier: String) -> String {
        "<dict><key>productIdentifier</key>\(identifier)<key>consumable</key><false/></dict>\n"
    }

    @Test(arguments: [
        RuleCase(
            "twice", products: product("▹<string>a</string>") + product("▸<string>a</string>") + nonConsumable("b"),
            #"the identifier "a" is used twice"#, notes: ["the identifier is first used here"], valid: ["b"]),
        RuleCase(
            "three times",
            products: product("▹▹<string>a</string>") + product("▸<string>a</string>") + product("▸<string>a</string>"),
            #"the identifier "a" is used twice"#, #"the identifier "a" is used twice"#,
            notes: ["the identifier is first used here", "the identifier is first used here"], valid: []),
        RuleCase(
            "two of them",
            products: product("▹<string>a</string>") + product("▸<string>a</string>") + product("▹<string>b</string>")
                + product("▸<string>b</string>"),
            #"the identifier "a" is used twice"#, #"the identifier "b" is used twice"#,
            notes: ["the identifier is first used here", "the identifier is first used here"], valid: []),
        RuleCase(
            "by itself, and of a product", products: "▹<string>a</string>\n" + product("▸<string>a</string>"),
            #"the identifier "a" is used twice"#, notes: ["the identifier is first used here"], valid: []),
        RuleCase(
            "by case alone", products: product("<string>a</string>") + product("<string>A</string>"),
            also: ["identifier-case"], valid: ["a", "A"]),
        RuleCase(
            "none twice", products: product("<string/>") + product("<string/>"),
            also: ["missing-identifier", "empty-string", "missing-identifier", "empty-string"], valid: []),
    ])
    func `a repeated product identifier is reported, with a note at its first use`(_ test: RuleCase) throws {
        try test.check("duplicate-identifier", severity: .error)
    }

    @Test(arguments: [
        RuleCase(
            "twice", products: "▹<string>a</string><string>b</string>▸<string>a</string>",
            #"the identifier "a" is listed twice"#, notes: ["the identifier is first listed here"], valid: ["a", "b"]),
        RuleCase(
            "three times", products: "▹▹<string>a</string>▸<string>a</string>▸<string>a</string>",
            #"the identifier "a" is listed twice"#, #"the identifier "a" is listed twice"#,
            notes: ["the identifier is first listed here", "the identifier is first listed here"], valid: ["a"]),
        RuleCase(
            "in a file of StoreHelper",
            root: """
                <dict><key>Products</key><array>▹<string>a.b</string>▸<string>a.b</string></array></dict>
                """,
            #"the identifier "a.b" is listed twice"#, notes: ["the identifier is first listed here"], valid: ["a.b"]),
    ])
    func `an identifier that is listed twice without other values is left out once`(_ test: RuleCase) throws {
        try test.check("duplicate-identifier")
    }

    @Test func `a list of identifiers in code leaves out a repeated one`() {
        let catalog = Catalog(identifiers: ["a", "b", "a"])

        #expect(catalog.products.map(\.identifier) == ["a", "b"])
        #expect(catalog.diagnostics.map(\.rule) == ["duplicate-identifier"])
        #expect(!catalog.hasErrors)
    }
}
