import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct ContradictoryKindRuleTests {
    /// A product with a value each for `consumable` and `type`.
    private static func product(_ isConsumable: String, _ type: String, _ keys: String = "") -> String {
        """
        <dict><key>productIdentifier</key><string>first</string><key>consumable</key>\(isConsumable)
        <key>type</key>\(type)\(keys)</dict>
        """
    }

    @Test(
        arguments: [
            ("RecurringSubscription", "autoRenewableSubscription"), ("Consumable", "consumable"),
            ("NonConsumable", "nonConsumable"), ("NonRenewingSubscription", "nonRenewingSubscription"),
            ("Auto-Renewable", "autoRenewableSubscription"), ("auto_renewing", "autoRenewableSubscription"),
            ("Auto-Renewable Subscription", "autoRenewableSubscription"), ("non-renewing", "nonRenewingSubscription"),
            ("Non-Renewing Subscription", "nonRenewingSubscription"), ("weekly", nil),
        ] as [(String, String?)])
    func `a type in the words of other formats is reported with the type that it means`(name: String, type: String?)
        throws
    {
        let text = PlistText.document(
            "<array><dict><key>productIdentifier</key><string>a</string>"
                + "<key>type</key><string>\(name)</string></dict></array>")
        let messages = Catalog(document: try PlistText.read(text)).diagnostics.map(\.message)

        #expect(messages.count == 1)
        let end = type.map { "; did you mean \"\($0)\"?" } ?? "autoRenewableSubscription"
        #expect(messages.first?.hasSuffix(end) == true, "\(messages)")
    }

    @Test(arguments: [
        RuleCase(
            "a consumable that is said to be none",
            products: product(
                "▹<false/>", "▸<string>consumable</string>",
                "<key>storageKey</key><string>c</string><key>productValue</key><integer>5</integer>"),
            #"the type "consumable" contradicts consumable = false"#, notes: ["the key consumable is declared here"],
            valid: []),
        RuleCase(
            "a non-consumable that is said to be one",
            products: product("▹<true/>", "▸<string>nonConsumable</string>"),
            #"the type "nonConsumable" contradicts consumable = true"#, notes: ["the key consumable is declared here"],
            valid: []),
        RuleCase(
            "a subscription that is said to be one",
            products: product("▹<true/>", "▸<string>autoRenewableSubscription</string>"),
            #"the type "autoRenewableSubscription" contradicts consumable = true"#,
            notes: ["the key consumable is declared here"], valid: []),
        RuleCase(
            "a type that is none",
            products: """
                <dict><key>productIdentifier</key><string>a</string>
                <key>type</key>▸<string>Non-Consumable</string></dict>
                """,
            #""Non-Consumable" is not one of the types "#
                + "consumable, nonConsumable, nonRenewingSubscription, autoRenewableSubscription; did you mean \"nonConsumable\"?",
            valid: []),
        RuleCase(
            "a type that only code has", products: product("<false/>", "▸<string>unknown</string>"),
            #""unknown" is not one of the types "#
                + "consumable, nonConsumable, nonRenewingSubscription, autoRenewableSubscription",
            valid: []),
        RuleCase("both the same", products: product("<false/>", "<string>nonConsumable</string>")),
        RuleCase("a subscription is none", products: product("<false/>", "<string>autoRenewableSubscription</string>")),
        RuleCase("both consumable", products: consumable("first", "<key>type</key><string>consumable</string>")),
        RuleCase("no text", products: product("<false/>", "<string/>"), also: ["empty-string"]),
        RuleCase(
            "type alone",
            products: """
                <dict><key>productIdentifier</key><string>first</string>
                <key>type</key><string>autoRenewableSubscription</string></dict>
                """),
    ])
    func `an unknown type, or a type that contradicts the key consumable, is reported`(_ test: RuleCase) throws {
        try test.check("contradictory-kind", severity: .error)
    }
}
