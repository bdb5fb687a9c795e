import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct DuplicateKeyRuleTests {
    @Test(arguments: [
        RuleCase(
            "with the same value",
            products: """
                <dict><key>productIdentifier</key><string>a</string>▹<key>consumable</key><false/>
                ▸<key>consumable</key><false/></dict>
                """,
            #"the key "consumable" is repeated in "a""#, notes: ["the key is first used here"], valid: []),
        RuleCase(
            "two keys, one of which nobody knows",
            "▹<key>hosted</key><false/>▹<key>weather</key><true/>▸<key>hosted</key><false/>▸<key>weather</key><true/>",
            #"the key "hosted" is repeated in "first""#, #"the key "weather" is repeated in "first""#,
            notes: ["the key is first used here", "the key is first used here"], also: ["unknown-key", "unknown-key"],
            valid: []),
        RuleCase(
            "in a product without identifier",
            products: "<dict>▹<key>consumable</key><false/>▸<key>consumable</key><false/></dict>",
            #"the key "consumable" is repeated in a product without identifier"#, notes: ["the key is first used here"],
            also: ["missing-identifier"], valid: []),
        RuleCase(
            "three times",
            "▹▹<key>hosted</key><false/>▸<key>hosted</key><true/>▸<key>hosted</key><false/>",
            #"the key "hosted" is repeated in "first""#, #"the key "hosted" is repeated in "first""#,
            notes: ["the key is first used here", "the key is first used here"], valid: []),
        RuleCase(
            "two spellings of an accent", "<key>caf\u{e9}</key><true/><key>cafe\u{301}</key><true/>",
            also: ["unknown-key", "unknown-key"]),
        RuleCase(
            "at the root of a file of MKStoreKit",
            root: "<dict><key>Others</key><array><string>a</string></array>▸<key>Others</key><array/></dict>",
            #"the key "Others" is repeated in the dictionary"#, valid: ["a"]),
        RuleCase(
            "by case alone", "<key>hosted</key><false/><key>Hosted</key><false/>", also: ["unknown-key"]),
        RuleCase(
            "in another product", products: nonConsumable("a") + nonConsumable("b"), valid: ["a", "b"]),
    ])
    func `a repeated key of a product or at the root of a catalog is reported as an error`(_ test: RuleCase) throws {
        try test.check("duplicate-key", severity: .error)
    }

    @Test(arguments: [
        RuleCase(
            "in the outermost dictionary",
            "<key>userInfo</key><dict><key>a</key><true/>▸<key>a</key><true/><key>b</key><true/></dict>",
            #"the key "a" is repeated in userInfo"#),
        RuleCase(
            "at any depth",
            "<key>userInfo</key><array><dict><key>a</key><dict><key>b</key><true/>▸<key>b</key><true/></dict></dict>"
                + "<array><dict><key>c</key><true/>▸<key>c</key><false/></dict></array></array>",
            #"the key "b" is repeated in userInfo"#, #"the key "c" is repeated in userInfo"#),
        RuleCase(
            "in two dictionaries",
            "<key>userInfo</key><dict><key>a</key><dict><key>b</key><true/></dict><key>b</key><true/></dict>"),
    ])
    func `a repeated key in a product's userInfo is reported as a warning`(_ test: RuleCase) throws {
        try test.check("duplicate-key")
    }

    @Test(arguments: [
        RuleCase(
            "twice",
            "<key>productTitle</key><dict><key>en</key><string>a</string>▸<key>en</key><string>b</string></dict>",
            #""en" is repeated in productTitle: the last text is used"#),
        RuleCase(
            "among many",
            "<key>longDescription</key><dict>"
                + [
                    "aa", "ab", "af", "ak", "am", "an", "ar", "as", "av", "ay", "az", "ba", "be", "bg", "bi", "bm",
                    "bn",
                ]
                .map { "<key>\($0)</key><string>a</string>" }.joined() + "▸<key>af</key><string>b</string></dict>",
            #""af" is repeated in longDescription: the last text is used"#),
        RuleCase(
            "once each",
            "<key>productTitle</key><dict><key>en</key><string>a</string><key>de</key><string>b</string></dict>"),
    ])
    func `a repeated language of a localized text is reported as a warning`(_ test: RuleCase) throws {
        try test.check("duplicate-key")
    }
}
