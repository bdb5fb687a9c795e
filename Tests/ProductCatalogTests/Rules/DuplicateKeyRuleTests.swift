import ProductCatalog
import Testing

@Suite struct DuplicateKeyRuleTests {
    @Test(arguments: [
        RuleCase(
            "with the same value",
            products: """
                <dict><key>productIdentifier</key><string>a</string>▹<key>consumable</key><false/>
                ▸<key>consumable</key><false/></dict>
                """,
            #"the key "consumable" stands twice in "a""#, notes: ["first used here"], kept: []),
        RuleCase(
            "two keys, one of which nobody knows",
            "▹<key>hosted</key><false/>▹<key>weather</key><true/>▸<key>hosted</key><false/>▸<key>weather</key><true/>",
            #"the key "hosted" stands twice in "first""#, #"the key "weather" stands twice in "first""#,
            notes: ["first used here", "first used here"], also: ["unknown-key", "unknown-key"], kept: []),
        RuleCase(
            "in a product without identifier",
            products: "<dict>▹<key>consumable</key><false/>▸<key>consumable</key><false/></dict>",
            #"the key "consumable" stands twice in a product without identifier"#, notes: ["first used here"],
            also: ["missing-identifier"], kept: []),
        RuleCase(
            "by case alone", "<key>hosted</key><false/><key>Hosted</key><false/>", also: ["unknown-key"]),
        RuleCase(
            "deeper", "<key>userInfo</key><dict><key>a</key><true/><key>a</key><true/></dict>"),
        RuleCase(
            "in another product", products: nonConsumable("a") + nonConsumable("b"), kept: ["a", "b"]),
    ])
    func `a key that stands there again is told, with its first use`(_ test: RuleCase) throws {
        try test.check("duplicate-key", severity: .error)
    }
}
