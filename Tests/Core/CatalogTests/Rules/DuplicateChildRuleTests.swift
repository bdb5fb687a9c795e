import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct DuplicateChildRuleTests {
    @Test(arguments: [
        RuleCase(
            "twice",
            products: nonConsumable("guide") + bundle("pack", "<string>guide</string>▸<string>guide</string>"),
            #""pack" contains "guide" twice"#, valid: ["guide", "pack"]),
        RuleCase(
            "three times, and another between",
            products: nonConsumable("guide") + nonConsumable("map")
                + bundle(
                    "pack",
                    "<string>guide</string>▸<string>guide</string><string>map</string>▸<string>guide</string>"),
            #""pack" contains "guide" twice"#, #""pack" contains "guide" twice"#, valid: ["guide", "map", "pack"]),
        RuleCase(
            "in two bundles",
            products: nonConsumable("guide") + bundle("pack", "<string>guide</string>")
                + bundle("box", "<string>guide</string>"),
            valid: ["guide", "pack", "box"]),
        RuleCase(
            "by case alone",
            products: nonConsumable("guide") + nonConsumable("Guide")
                + bundle("pack", "<string>guide</string><string>Guide</string>"),
            also: ["identifier-case"], valid: ["guide", "Guide", "pack"]),
        RuleCase(
            "no text twice",
            products: nonConsumable("guide") + bundle("pack", "<string>guide</string><string/><string/>"),
            also: ["empty-string", "empty-string"], valid: ["guide", "pack"]),
    ])
    func `a child that a bundle lists more than once is reported`(_ test: RuleCase) throws {
        try test.check("duplicate-child")
    }
}
