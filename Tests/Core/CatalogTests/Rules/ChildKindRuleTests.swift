import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct ChildKindRuleTests {
    private static func product(_ identifier: String, type: String) -> String {
        "<dict><key>productIdentifier</key><string>\(identifier)</string><key>type</key><string>\(type)</string></dict>\n"
    }

    @Test(arguments: [
        RuleCase(
            "a consumable", products: consumable("coins") + bundle("pack", "▸<string>coins</string>"),
            #""pack" contains "coins", which is a consumable"#, valid: ["coins"]),
        RuleCase(
            "a subscription",
            products: product("club", type: "autoRenewableSubscription") + bundle("pack", "<string>club</string>"),
            valid: ["club", "pack"]),
        RuleCase(
            "a subscription that ends",
            products: bundle("pack", "<string>year</string>") + product("year", type: "nonRenewingSubscription"),
            also: ["subscription"], valid: ["pack", "year"]),
        RuleCase(
            "two of three",
            products: """
                \(consumable("coins"))\(nonConsumable("guide"))\(consumable("gems"))
                \(bundle("pack", "▸<string>coins</string><string>guide</string>▸<string>gems</string>"))
                """,
            #""pack" contains "coins", which is a consumable"#,
            #""pack" contains "gems", which is a consumable"#, valid: ["coins", "guide", "gems"]),
        RuleCase(
            "a non-consumable, said either way",
            products: nonConsumable("guide") + product("map", type: "nonConsumable")
                + bundle("pack", "<string>guide</string><string>map</string>"),
            valid: ["guide", "map", "pack"]),
        RuleCase(
            "one whose kind the store will tell",
            products: "<string>guide</string>" + bundle("pack", "<string>guide</string>"), valid: ["guide", "pack"]),
    ])
    func `a consumable child of a bundle is reported`(_ test: RuleCase) throws {
        try test.check("child-kind", severity: .error)
    }
}
