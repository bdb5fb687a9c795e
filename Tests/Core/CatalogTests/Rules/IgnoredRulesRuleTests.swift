import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

@Suite(.hangLimit) struct IgnoredRulesRuleTests {
    private static func ignoring(_ rules: String...) -> String {
        "<key>ignoredRules</key><array>\(rules.map { "<string>\($0)</string>" }.joined())</array>"
    }

    @Test(arguments: [
        RuleCase("a rule", ignoring("unknown-key")),
        RuleCase(
            "a misspelled name", "<key>ignoredRules</key><array>▸<string>unknown-keys</string></array>",
            #"there is no rule "unknown-keys"; did you mean "unknown-key"?"#),
        RuleCase(
            "a name like nothing", "<key>ignoredRules</key><array>▸<string>weather</string></array>",
            #"there is no rule "weather""#),
        RuleCase("a check of the command line", ignoring("missing-file", "store-drift", "app-prefix")),
        RuleCase("no array", "<key>ignoredRules</key><string>unknown-key</string>", also: ["value-type"]),
        RuleCase("no string", "<key>ignoredRules</key><array><true/></array>", also: ["value-type"]),
    ])
    func `a name in ignoredRules that is no rule is reported`(_ test: RuleCase) throws {
        try test.check("ignored-rules")
    }

    @Test(arguments: [
        RuleCase("an unknown key", ignoring("unknown-key") + "<key>colour</key><true/>"),
        RuleCase("one of two rules", ignoring("duplicate-child") + "▸<key>colour</key><true/>", unknownColour),
        RuleCase(
            "another product",
            products: nonConsumable("first", ignoring("unknown-key"))
                + nonConsumable("second", "▸<key>colour</key><true/>"), unknownColour, valid: ["first", "second"]),
        RuleCase(
            "a value of a wrong type, which is only a warning",
            "<key>ignoredRules</key><true/>▸<key>colour</key><true/>", unknownColour, also: ["value-type"]),
    ])
    func `a product ignores warnings of the rules in ignoredRules, and no other product does`(_ test: RuleCase) throws {
        try test.check("unknown-key")
    }

    private static let unknownColour = #"the key "colour" is unknown and is ignored"#

    @Test func `an error is reported although its product ignores the rule`() throws {
        let test = RuleCase(
            "a repeated key",
            products: "<dict><key>productIdentifier</key><string>first</string>▹<key>consumable</key><false/>"
                + Self.ignoring("duplicate-key") + "▸<key>consumable</key><false/></dict>",
            #"the key "consumable" is repeated in "first""#, notes: ["the key is first used here"], valid: [])
        try test.check("duplicate-key", severity: .error)
    }

    /// Rules that compare products, and checks that are made in addition to the rules.
    @Test(arguments: [false, true])
    func `a product ignores warnings that follow from comparing it with others`(isBinary: Bool) throws {
        func rules(first: String, second: String) throws -> [String] {
            func coins(_ name: String, _ wallet: String, _ keys: String) -> String {
                """
                <dict><key>productIdentifier</key><string>\(name)</string><key>consumable</key><true/>
                <key>storageKey</key><string>\(wallet)</string><key>productValue</key><integer>1</integer>\(keys)</dict>
                """
            }
            let text = PlistText.document("<array>\(coins("a", "coins", first))\(coins("b", "Coins", second))</array>")
            let document = try PlistText.read(text)
            let catalog = Catalog(
                document: isBinary ? try PropertyListDocument(bytes: document.bytes(as: .binary)) : document)
            return (catalog.diagnostics + catalog.withoutIgnored(AppPrefixCheck.diagnostics(of: catalog, prefix: "x.")))
                .map { "\($0.rule) \($0.message.contains("\"a\"") ? "a" : "b")" }
        }
        #expect(try rules(first: "", second: "") == ["wallet-case b", "app-prefix a", "app-prefix b"])
        let both = Self.ignoring("wallet-case", "app-prefix")
        #expect(try rules(first: both, second: "") == ["wallet-case b", "app-prefix b"])
        #expect(try rules(first: "", second: both) == ["app-prefix a"])
    }

    @Test func `a finding outside of the products is not ignored`() throws {
        let text = PlistText.document(
            "<dict><key>products</key><array>\(nonConsumable("a", Self.ignoring("unknown-key")))</array>"
                + "<key>weather</key><true/></dict>")
        #expect(Catalog(document: try PlistText.read(text)).diagnostics.map(\.rule) == ["unknown-key"])
    }
}
