import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct MaxChildrenRuleTests {
    /// Returns a bundle with a limit, and its two children.
    private static func pack(_ limit: String) -> String {
        nonConsumable("guide") + nonConsumable("map")
            + bundle("pack", "<string>guide</string><string>map</string>", "<key>maxChildren</key>\(limit)")
    }

    @Test(arguments: [
        RuleCase(
            "none", products: pack("▸<integer>0</integer>"),
            "maxChildren is 0 and is ignored: it must be greater than zero", valid: ["guide", "map", "pack"]),
        RuleCase(
            "fewer than none", products: pack("▸<integer>-1</integer>"),
            "maxChildren is -1 and is ignored: it must be greater than zero", valid: ["guide", "map", "pack"]),
        RuleCase(
            "more than there are", products: pack("▸<integer>3</integer>"),
            #"maxChildren is 3, but "pack" has only 2 children: it is never reached"#, valid: ["guide", "map", "pack"]),
        RuleCase(
            "of no bundle", "<key>maxChildren</key>▸<integer>1</integer>",
            #"maxChildren is 1, but "first" has only 0 children: it is never reached"#),
        RuleCase(
            "more than one child",
            products: nonConsumable("guide")
                + bundle("pack", "<string>guide</string>", "<key>maxChildren</key>▸<integer>2</integer>"),
            #"maxChildren is 2, but "pack" has only 1 child: it is never reached"#, valid: ["guide", "pack"]),
        RuleCase("as many as there are", products: pack("<integer>2</integer>"), valid: ["guide", "map", "pack"]),
        RuleCase("fewer than there are", products: pack("<integer>1</integer>"), valid: ["guide", "map", "pack"]),
        RuleCase(
            "a text", products: pack("<string>0</string>"), also: ["value-type"], valid: ["guide", "map"]),
    ])
    func `a maxChildren below one or above the number of children is reported`(_ test: RuleCase) throws {
        try test.check("max-children")
    }
}
