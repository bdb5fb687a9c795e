import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct StorageKeyRuleTests {
    /// Returns a consumable with a value and the given keys for its wallet.
    private static func coins(_ wallet: String) -> String {
        """
        <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
        <key>productValue</key><integer>5</integer>\(wallet)</dict>
        """
    }

    @Test(arguments: [
        RuleCase("no wallet", products: "▸\(coins(""))", #"the consumable "coins" has no storageKey"#, valid: []),
        RuleCase(
            "no text", products: "▸\(coins("<key>storageKey</key><string/>"))",
            #"the consumable "coins" has no storageKey"#, also: ["empty-string"], valid: []),
        RuleCase(
            "no wallet in MKStoreKit",
            root: """
                <dict><key>Consumables</key><dict>
                ▸<key>eggs</key><dict><key>Count</key><integer>5</integer></dict></dict></dict>
                """,
            #"the consumable "eggs" has no storageKey"#, valid: []),
        RuleCase("a wallet", products: coins("<key>storageKey</key><string>c</string>"), valid: ["coins"]),
        RuleCase(
            "in the older spelling", products: coins("<key>localStorageKey</key><string>c</string>"),
            also: ["old-spelling"], valid: ["coins"]),
        RuleCase(
            "a number", products: coins("<key>storageKey</key><integer>1</integer>"), also: ["value-type"], valid: []),
        RuleCase("a non-consumable", ""),
        RuleCase(
            "no identifier either",
            products: "▸<dict><key>consumable</key><true/><key>productValue</key><integer>5</integer></dict>",
            "a consumable without identifier has no storageKey", also: ["missing-identifier"], valid: []),
    ])
    func `a consumable without a storageKey is reported`(_ test: RuleCase) throws {
        try test.check("missing-storage-key", severity: .error)
    }
}
