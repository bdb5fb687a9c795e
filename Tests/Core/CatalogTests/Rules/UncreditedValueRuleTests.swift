import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct UncreditedValueRuleTests {
    private static let wallet = "<key>storageKey</key><string>slots</string>"

    @Test(arguments: [
        RuleCase(
            "a non-consumable with a wallet and a value",
            products: nonConsumable("slots", wallet + "<key>productValue</key>▸<integer>5</integer>"),
            #""slots" is not a consumable, and its productValue would never be credited"#, valid: ["slots"]),
        RuleCase("a consumable", products: consumable("coins"), valid: ["coins"]),
    ])
    func `a productValue of a product that is not a consumable is reported`(_ test: RuleCase) throws {
        try test.check("uncredited-value", severity: .error)
    }

    @Test(arguments: [
        RuleCase(
            "a non-consumable with a wallet alone",
            products: nonConsumable("slots", "<key>storageKey</key>▸<string>slots</string>"),
            #""slots" is not a consumable, and its storageKey is not used"#, valid: ["slots"]),
        RuleCase("a non-consumable without a wallet", products: nonConsumable("slots"), valid: ["slots"]),
    ])
    func `a storageKey of a product that is not a consumable is reported`(_ test: RuleCase) throws {
        try test.check("uncredited-value", severity: .warning)
    }
}
