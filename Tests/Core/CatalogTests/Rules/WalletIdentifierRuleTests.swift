import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct WalletIdentifierRuleTests {
    private static func pack(_ identifier: String, wallet: String) -> String {
        """
        <dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><true/>
        <key>productValue</key><integer>5</integer><key>storageKey</key>\(wallet)</dict>
        """
    }

    @Test(arguments: [
        RuleCase(
            "called like another product",
            products: pack("a", wallet: "▸<string>guide</string>")
                + "<dict><key>productIdentifier</key>▹<string>guide</string><key>consumable</key><false/></dict>",
            #"the wallet "guide" has the name of another product"#, notes: ["the product is declared here"],
            valid: ["a", "guide"]),
        RuleCase(
            "called like its own product",
            products: pack("coins", wallet: "<string>coins</string>") + pack("b", wallet: "<string>coins</string>"),
            valid: ["coins", "b"]),
        RuleCase("called otherwise", products: pack("a", wallet: "<string>coins</string>"), valid: ["a"]),
    ])
    func `a wallet whose name equals another product's identifier is reported`(_ test: RuleCase) throws {
        try test.check("wallet-identifier")
    }
}
