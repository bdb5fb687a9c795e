import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct BundleDepthRuleTests {
    /// Returns a guide, and nested bundles that each contain the previous one.
    private static func chain(_ count: Int, marked: Int? = nil) -> String {
        nonConsumable("0")
            + (1...count).map { level in
                (level == marked ? "▸" : "") + bundle("\(level)", "<string>\(level - 1)</string>")
            }.joined()
    }

    @Test(arguments: [
        RuleCase("the deepest chain", products: chain(64), valid: (0...64).map(String.init)),
        RuleCase(
            "one level more", products: chain(65, marked: 65),
            #""65" contains bundles more than 64 levels deep"#, valid: (0...64).map(String.init)),
        RuleCase(
            "a long chain, of which what is deeper is left out", products: chain(300, marked: 65),
            #""65" contains bundles more than 64 levels deep"#, also: Array(repeating: "broken-child", count: 235),
            valid: (0...64).map(String.init)),
        RuleCase(
            "many bundles beside each other",
            products: nonConsumable("0")
                + (1...100).map { bundle("\($0)", "<string>0</string>") }.joined(), valid: (0...100).map(String.init)),
    ])
    func `bundles nested more than 64 levels deep are reported`(_ test: RuleCase) throws {
        try test.check("bundle-depth", severity: .error)
    }
}
