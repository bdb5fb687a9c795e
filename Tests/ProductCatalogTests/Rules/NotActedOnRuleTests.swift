import ProductCatalog
import Testing

@Suite struct NotActedOnRuleTests {
    @Test(arguments: [
        RuleCase(
            "keys that nothing is done about yet",
            "▸<key>minimumAppVersion</key><string>2.0</string>▸<key>localContentPath</key><string>a</string>",
            "minimumAppVersion is not acted on by this version", "localContentPath is not acted on by this version"),
        RuleCase(
            "subscriptions and versions",
            products: """
                <dict><key>productIdentifier</key><string>first</string>
                <key>type</key><string>nonRenewingSubscription</string>
                <key>subscriptionGroup</key><string>a</string><key>level</key><integer>1</integer>
                <key>subscriptionDuration</key><string>P1M</string>
                ▸<key>minimumAppVersion</key><string>2.0</string></dict>
                """,
            "minimumAppVersion is not acted on by this version"),
        RuleCase(
            "wallets at the root",
            root: """
                <dict><key>products</key><array><string>a</string></array>
                <key>wallets</key><dict/></dict>
                """,
            kept: ["a"]),
        RuleCase(
            "where hosted content goes", "<key>hosted</key><true/><key>localContentPath</key><string>a</string>"),
        RuleCase("a key that nobody knows", "<key>weather</key><true/>", also: ["unknown-key"]),
    ])
    func `a key that nothing is done about is told`(_ test: RuleCase) throws {
        try test.check("not-acted-on", severity: .note)
    }

    @Test(arguments: [
        RuleCase(
            "MKStoreKit",
            root: """
                <dict><key>Others</key><array><string>a</string></array>
                ▸<key>Weather</key><true/>
                ▸<key>Non-Consumables-batch</key><dict><key>b</key><array/></dict></dict>
                """,
            #""Weather" is not read from a file of MKStoreKit"#,
            #""Non-Consumables-batch" is not read from a file of MKStoreKit"#, kept: ["a"]),
        RuleCase(
            "MKStoreKit, with a batch of nothing",
            root: """
                <dict><key>Others</key><array><string>a</string></array>
                <key>Non-Consumables-batch</key><dict/></dict>
                """, kept: ["a"]),
        RuleCase(
            "StoreHelper",
            root: "<dict><key>Products</key><array><string>a</string></array>▸<key>Weather</key><true/></dict>",
            #""Weather" is not read from a file of StoreHelper"#, kept: ["a"]),
    ])
    func `what is not read from a file of another library is a warning`(_ test: RuleCase) throws {
        try test.check("not-acted-on")
    }
}
