import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct UncreditedValueRuleTests {
    private static let wallet = "<key>storageKey</key><string>slots</string>"

    @Test(arguments: [
        RuleCase(
            "a non-consumable with a wallet and a value",
            products: nonConsumable("slots", wallet + "<key>productValue</key>▸<integer>5</integer>"),
            #""slots" is not a consumable, and its productValue would never be credited: remove productValue to sell it"#,
            valid: ["slots"]),
        RuleCase("a consumable", products: consumable("coins"), valid: ["coins"]),
        RuleCase(
            "a subscription whose periods credit units",
            products: autoRenewable("club", wallet + "<key>productValue</key><integer>5</integer>"), valid: ["club"]),
    ])
    func `a productValue with a wallet is reported, unless it is of a consumable or an auto-renewable subscription`(
        _ test: RuleCase
    ) throws {
        try test.check("uncredited-value", severity: .error)
    }

    @Test(arguments: [
        RuleCase(
            "a non-consumable with a wallet alone",
            products: nonConsumable("slots", "<key>storageKey</key>▸<string>slots</string>"),
            #""slots" is not a consumable, and its storageKey is not used: a preference under this key is written by "#
                + "PreferenceMirror(ownershipKey:)", valid: ["slots"]),
        RuleCase("a non-consumable without a wallet", products: nonConsumable("slots"), valid: ["slots"]),
        RuleCase(
            "a subscription with a wallet alone",
            products: autoRenewable("club", "<key>storageKey</key>▸<string>slots</string>"),
            #""club" has no productValue, and its storageKey is not used"#, valid: ["club"]),
        RuleCase(
            "a subscription with a value alone",
            products: autoRenewable("club", "<key>productValue</key>▸<integer>5</integer>"),
            #""club" has no storageKey, and its productValue is not credited"#, valid: ["club"]),
    ])
    func `a storageKey or productValue that no purchase uses is reported`(_ test: RuleCase) throws {
        try test.check("uncredited-value", severity: .warning)
    }
}
