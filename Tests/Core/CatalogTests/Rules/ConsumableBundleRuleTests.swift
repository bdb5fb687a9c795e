import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct ConsumableBundleRuleTests {
    @Test(arguments: [
        RuleCase(
            "one child",
            products: nonConsumable("guide")
                + consumable("coins", "<key>childProducts</key><array>▸<string>guide</string></array>"),
            #"the consumable "coins" has childProducts, but cannot unlock products"#, valid: ["guide"]),
        RuleCase(
            "two children",
            products: nonConsumable("guide") + nonConsumable("map")
                + consumable(
                    "coins", "<key>childProducts</key><array>▸<string>guide</string><string>map</string></array>"),
            #"the consumable "coins" has childProducts, but cannot unlock products"#, valid: ["guide", "map"]),
        RuleCase(
            "none", products: consumable("coins", "<key>childProducts</key><array/>"), also: ["empty-bundle"],
            valid: ["coins"]),
        RuleCase(
            "a non-consumable", products: nonConsumable("guide") + bundle("pack", "<string>guide</string>"),
            valid: ["guide", "pack"]),
    ])
    func `a consumable with child products is reported`(_ test: RuleCase) throws {
        try test.check("consumable-bundle", severity: .error)
    }
}
