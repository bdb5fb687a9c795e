import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct OldSpellingRuleTests {
    @Test(arguments: [
        RuleCase(
            "alone",
            products: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                ▸<key>localStorageKey</key><string>c</string><key>productValue</key><integer>5</integer></dict>
                """,
            #""localStorageKey" is an older spelling of "storageKey""#, valid: ["a"]),
        RuleCase(
            "beside the newer", products: consumable("a", "▸<key>localStorageKey</key><string>coins</string>"),
            #""localStorageKey" is an older spelling of "storageKey""#, valid: ["a"]),
        RuleCase(
            "contradicting the newer", products: consumable("a", "▸<key>localStorageKey</key><string>gems</string>"),
            #""localStorageKey" is an older spelling of "storageKey": "coins" is used, and this value is not"#,
            valid: ["a"]),
        RuleCase(
            "of a non-consumable", "▸<key>localStorageKey</key><string>c</string>",
            #""localStorageKey" is an older spelling of "storageKey""#, also: ["uncredited-value"]),
        RuleCase("the newer alone", products: consumable("a"), valid: ["a"]),
        RuleCase(
            "misspelt", "<key>LocalStorageKey</key><string>c</string>", also: ["unknown-key"]),
    ])
    func `the key localStorageKey is reported as an older spelling of storageKey`(_ test: RuleCase) throws {
        try test.check("old-spelling")
    }
}
