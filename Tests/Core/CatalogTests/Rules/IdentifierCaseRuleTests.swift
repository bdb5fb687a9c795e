import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct IdentifierCaseRuleTests {
    private static func product(_ identifier: String) -> String {
        "<dict><key>productIdentifier</key>\(identifier)<key>consumable</key><false/></dict>\n"
    }

    @Test(arguments: [
        RuleCase(
            "lower case first",
            products: product("▹<string>com.a.gold</string>") + product("▸<string>com.a.Gold</string>"),
            #"the identifier "com.a.Gold" differs from "com.a.gold" only in case"#,
            notes: ["the other product is declared here"], valid: ["com.a.gold", "com.a.Gold"]),
        RuleCase(
            "lower case last", products: product("▹<string>Gold</string>") + product("▸<string>gold</string>"),
            #"the identifier "gold" differs from "Gold" only in case"#, notes: ["the other product is declared here"],
            valid: ["Gold", "gold"]),
        RuleCase(
            "both with capitals", products: product("▹<string>GoLd</string>") + product("▸<string>gOlD</string>"),
            #"the identifier "gOlD" differs from "GoLd" only in case"#, notes: ["the other product is declared here"],
            valid: ["GoLd", "gOlD"]),
        RuleCase(
            "in a list", products: "▹<string>a</string>▸<string>A</string>",
            #"the identifier "A" differs from "a" only in case"#, notes: ["the other product is declared here"],
            valid: ["a", "A"]),
        RuleCase(
            "by a letter", products: product("<string>Gold</string>") + product("<string>Golds</string>"),
            valid: ["Gold", "Golds"]),
        RuleCase(
            "equal", products: product("<string>Gold</string>") + product("<string>Gold</string>"),
            also: ["duplicate-identifier"], valid: []),
    ])
    func `identifiers that differ only in case are reported, with a note at the first one`(_ test: RuleCase) throws {
        try test.check("identifier-case")
    }
}
