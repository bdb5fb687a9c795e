import Testing
import VitrineTestSupport

@Suite(.hangLimit) struct TooManyProductsRuleTests {
    private static func products(_ numbers: Range<Int>) -> String { numbers.map { nonConsumable("\($0)") }.joined() }

    @Test(arguments: [
        RuleCase(
            "as many as the App Store takes", products: products(0..<10_000), valid: (0..<10_000).map(String.init)),
        RuleCase(
            "one more", products: "\(products(0..<10_000))▸\(products(10_000..<10_001))",
            "the catalog has 10001 products, and the App Store accepts 10000 for an app",
            valid: (0..<10_001).map(String.init)),
    ])
    func `a catalog with more than 10000 products is reported, and all its products remain usable`(_ test: RuleCase)
        throws
    {
        try test.check("too-many-products")
    }
}
