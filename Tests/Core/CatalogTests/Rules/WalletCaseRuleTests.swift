import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct WalletCaseRuleTests {
    private static func pack(_ identifier: String, _ wallet: String) -> String {
        """
        <dict><key>productIdentifier</key><string>\(identifier)</string><key>consumable</key><true/>
        <key>productValue</key><integer>5</integer><key>storageKey</key>\(wallet)</dict>

        """
    }

    @Test(arguments: [
        RuleCase(
            "one of four",
            products: pack("a", "▹<string>coins</string>") + pack("b", "▸<string>Coins</string>")
                + pack("c", "<string>coins</string>") + pack("d", "<string>gems</string>"),
            #"the wallet "Coins" differs from "coins" only in case"#, notes: ["the other wallet is named here"],
            valid: ["a", "b", "c", "d"]),
        RuleCase(
            "two from the first",
            products: pack("a", "▹▹<string>coins</string>") + pack("b", "▸<string>Coins</string>")
                + pack("c", "▸<string>COINS</string>"),
            #"the wallet "Coins" differs from "coins" only in case"#,
            #"the wallet "COINS" differs from "coins" only in case"#,
            notes: ["the other wallet is named here", "the other wallet is named here"], valid: ["a", "b", "c"]),
        RuleCase(
            "by a letter",
            products: pack("a", "<string>coin</string>") + pack("b", "<string>coins</string>"), valid: ["a", "b"]),
    ])
    func `wallet names that differ only in case are reported, with a note at the first one`(_ test: RuleCase) throws {
        try test.check("wallet-case")
    }
}
