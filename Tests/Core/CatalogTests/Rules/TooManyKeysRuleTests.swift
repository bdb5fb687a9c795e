import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct TooManyKeysRuleTests {
    private static func keys(_ count: Int) -> String { (0..<count).map { "<key>k\($0)</key><true/>" }.joined() }

    @Test(arguments: [
        RuleCase(
            "more than a thousand", products: "\n▸<dict>\(keys(1_001))</dict>" + nonConsumable("guide"),
            "the product has more than 1000 keys", also: ["missing-identifier"], valid: ["guide"]),
        RuleCase(
            "a thousand with identifier and kind", keys(998), also: Array(repeating: "unknown-key", count: 998)),
        RuleCase("more than a thousand deeper", "<key>userInfo</key><dict>\(keys(1_001))</dict>"),
    ])
    func `a product with more than 1000 keys is reported and not checked further`(_ test: RuleCase) throws {
        try test.check("too-many-keys", severity: .error)
    }
}
