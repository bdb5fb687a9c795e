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
            "by case alone", products: product("<string>a</string>") + product("<string>A</string>"), valid: ["a", "A"]),
        RuleCase(
            "none twice", products: product("<string/>") + product("<string/>"),
            also: ["missing-identifier", "empty-string", "missing-identifier", "empty-string"], valid: []),
    ])
    func `a repeated product identifier is reported, with a note at its first use`(_ test: RuleCase) throws {
        try test.check("duplicate-identifier", severity: .error)
    }
}
