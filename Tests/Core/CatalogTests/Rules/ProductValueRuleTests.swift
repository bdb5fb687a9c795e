import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct ProductValueRuleTests {
    /// Returns a consumable with a wallet and the given keys for its value.
    private static func coins(_ value: String) -> String {
        """
        <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
        <key>storageKey</key><string>c</string>\(value)</dict>
        """
    }

    /// Returns a consumable in the format of MKStoreKit, with the given keys for its count.
    private static func eggs(_ count: String) -> String {
        "<dict><key>Consumables</key><dict>▸<key>eggs</key><dict><key>Name</key><string>a</string>\(count)</dict></dict>"
            + "</dict>"
    }

    @Test(arguments: [
        RuleCase(
            "no value", products: "▸\(coins(""))", #"the consumable "coins" has no productValue"#, valid: []),
        RuleCase(
            "zero", products: coins("<key>productValue</key>▸<integer>0</integer>"),
            "productValue is 0, but must be greater than zero", valid: []),
        RuleCase(
            "below zero", products: coins("<key>productValue</key>▸<integer>-5</integer>"),
            "productValue is -5, but must be greater than zero", valid: []),
        RuleCase(
            "zero, of a non-consumable", "<key>productValue</key>▸<integer>0</integer>",
            "productValue is 0, but must be greater than zero", valid: []),
        RuleCase(
            "no count in MKStoreKit", root: eggs(""), #"the consumable "eggs" has no productValue"#, valid: []),
        RuleCase(
            "a fraction in MKStoreKit", root: eggs("<key>Count</key><real>1.5</real>"),
            #"the consumable "eggs" has no productValue"#, valid: []),
        RuleCase(
            "a text in MKStoreKit", root: eggs("<key>Count</key><string>5</string>"),
            #"the consumable "eggs" has no productValue"#, valid: []),
        RuleCase("one", products: coins("<key>productValue</key><integer>1</integer>"), valid: ["coins"]),
        RuleCase(
            "a fraction", products: coins("<key>productValue</key><real>1.5</real>"), also: ["value-type"], valid: []),
        RuleCase("no value, of a non-consumable", ""),
    ])
    func `a productValue that is below one, or missing in a consumable, is reported`(_ test: RuleCase) throws {
        try test.check("product-value", severity: .error)
    }
}
