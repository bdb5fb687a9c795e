import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct UnknownKeyRuleTests {
    @Test(arguments: [
        RuleCase(
            "a letter too few", "▸<key>childProduct</key><true/>",
            #"the key "childProduct" is unknown; did you mean "childProducts"?"#),
        RuleCase(
            "another case", "▸<key>StorageKey</key><true/>",
            #"the key "StorageKey" is unknown; did you mean "storageKey"?"#),
        RuleCase(
            "two letters changed over", "▸<key>prodcutValue</key><true/>",
            #"the key "prodcutValue" is unknown; did you mean "productValue"?"#),
        RuleCase(
            "a word that another format has",
            "▸<key>product_id</key><string>a</string>▸<key>productType</key><string>a</string>",
            #"the key "product_id" is unknown and is ignored: the product already has "productIdentifier""#,
            #"the key "productType" is unknown; did you mean "type"?"#),
        RuleCase(
            "like an old spelling", "▸<key>localstoragekey</key><string>a</string>",
            #"the key "localstoragekey" is unknown; did you mean "storageKey"?"#),
        RuleCase(
            "two words for one key", "▸<key>title</key><string>a</string>▸<key>name</key><string>b</string>",
            #"the key "title" is unknown; did you mean "productTitle"?"#,
            #"the key "name" is unknown and is ignored: the product already has "productTitle""#),
        RuleCase(
            "like nothing", "▸<key>colour</key><true/>", #"the key "colour" is unknown and is ignored"#),
        RuleCase(
            "one that is misspelt, and one that nobody knows",
            "▸<key>childproduct</key><array/>▸<key>weather</key><true/>",
            #"the key "childproduct" is unknown; did you mean "childProducts"?"#,
            #"the key "weather" is unknown and is ignored"#),
        RuleCase("no text", "▸<key></key><true/>", #"the key "" is unknown and is ignored"#),
        RuleCase(
            "at the root",
            root: """
                <dict><key>products</key><array><string>a</string></array>
                ▸<key>product</key><array/></dict>
                """,
            #"the catalog has the unknown key "product"; did you mean "products"?"#, valid: ["a"]),
        RuleCase(
            "at the root, like nothing",
            root: """
                <dict><key>products</key><array><string>a</string></array>
                ▸<key>weather</key><array/></dict>
                """,
            #"the catalog has the unknown key "weather"; known keys are products, catalogVersion, expires, wallets, "#
                + "grandfathering",
            valid: ["a"]),
        RuleCase(
            "of a wallet",
            root: """
                <dict><key>products</key><array>\(consumable("a"))</array><key>wallets</key><dict><key>coins</key>
                <dict>▸<key>startBalance</key><integer>5</integer></dict></dict></dict>
                """,
            #"the wallet "coins" has the unknown key "startBalance"; known keys are startingBalance, refundPolicy"#,
            valid: ["a"]),
        RuleCase("ownership", "<key>purchased</key><true/>", also: ["ownership-key"], valid: []),
        RuleCase("the app's own", "<key>userInfo</key><dict><key>weather</key><true/></dict>"),
        RuleCase("a language", "<key>productTitle</key><dict><key>de</key><string>a</string></dict>"),
    ])
    func `an unknown catalog key is reported, with a suggestion if it resembles a known key`(_ test: RuleCase) throws {
        try test.check("unknown-key")
    }

    @Test func `only the first twenty unknown catalog keys are reported with a spelling suggestion`() throws {
        let products = (0..<30).map { nonConsumable("p\($0)", "<key>productValue\($0)</key><true/>") }.joined()
        let text = PlistText.document("<array>\(products)</array>")
        let messages = Catalog(document: try PlistText.read(text)).diagnostics.map(\.message)

        #expect(messages.count == 30)
        #expect(messages.filter { $0.hasSuffix(#"did you mean "productValue"?"#) }.count == 20)
    }
}
