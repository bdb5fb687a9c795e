import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct BundleCycleRuleTests {
    @Test(arguments: [
        RuleCase(
            "itself", products: bundle("a", "▸<string>a</string>"), #""a" contains itself"#, valid: []),
        RuleCase(
            "itself, in a bundle of more",
            products: nonConsumable("guide") + bundle("a", "<string>guide</string>▸<string>a</string>"),
            #""a" contains itself"#, valid: ["guide"]),
        RuleCase(
            "each other", products: bundle("a", "▸<string>b</string>") + bundle("b", "▹<string>a</string>"),
            #"bundles contain each other: "a" → "b" → "a""#, notes: [#"and "b" contains "a" here"#], valid: []),
        RuleCase(
            "three in a ring",
            products: bundle("a", "▸<string>b</string>") + bundle("b", "▹<string>c</string>")
                + bundle("c", "▹<string>a</string>"),
            #"bundles contain each other: "a" → "b" → "c" → "a""#,
            notes: [#"and "b" contains "c" here"#, #"and "c" contains "a" here"#], valid: []),
        RuleCase(
            "two rings of one bundle, told by the shorter",
            products: bundle("a", "<string>b</string>▸<string>c</string>") + bundle("b", "<string>c</string>")
                + bundle("c", "▹<string>a</string>") + nonConsumable("guide"),
            #"bundles contain each other: "a" → "c" → "a""#, notes: [#"and "c" contains "a" here"#], valid: ["guide"]),
        RuleCase(
            "one product on two ways",
            products: bundle("top", "<string>left</string><string>right</string>")
                + bundle("left", "<string>guide</string>") + bundle("right", "<string>guide</string>")
                + nonConsumable("guide"),
            valid: ["top", "left", "right", "guide"]),
        RuleCase(
            "names that differ by case", products: bundle("a", "<string>A</string>") + nonConsumable("A"),
            also: ["identifier-case"], valid: ["a", "A"]),
    ])
    func `a cycle of bundles is reported as a path, with a note at each further step`(
        _ test: RuleCase
    ) throws { try test.check("bundle-cycle", severity: .error) }

    @Test func `hundreds of bundles that all contain each other are reported as one cycle`() {
        let names = (0..<300).map { "p\($0)" }
        let products = names.map { name in
            CatalogProduct(identifier: name, kind: .nonConsumable, childProducts: names.filter { $0 != name })
        }
        let catalog = Catalog(products: products)

        #expect(catalog.diagnostics.map(\.rule) == ["bundle-cycle"])
        #expect(catalog.products.isEmpty)
    }

    @Test(arguments: [(10, #" → "p8" → "p9" → "p0""#), (11, #" → "p9" → … → "p0""#), (10_000, #" → "p9" → … → "p0""#)])
    func `the message about a cycle of more than ten bundles names only the first ten`(count: Int, end: String) throws {
        let products = (0..<count).map { index in
            CatalogProduct(
                identifier: "p\(index)", kind: .nonConsumable, childProducts: ["p\((index + 1) % count)"])
        }
        let catalog = Catalog(products: products)
        let diagnostic = try #require(catalog.diagnostics.first)

        #expect(diagnostic.message.hasSuffix(end))
        #expect(diagnostic.notes.count == 9)
        #expect(catalog.products.isEmpty)
    }

    @Test func `two separate cycles of bundles are reported as two findings`() {
        func bundle(_ name: String, _ children: String...) -> CatalogProduct {
            CatalogProduct(identifier: name, kind: .nonConsumable, childProducts: children)
        }
        let catalog = Catalog(products: [
            bundle("a", "b"), bundle("b", "a", "c"), bundle("c", "d"), bundle("d", "e"), bundle("e", "d", "c"),
            bundle("f", "g"), bundle("g"),
        ])

        #expect(
            catalog.diagnostics.map(\.message) == [
                #"bundles contain each other: "a" → "b" → "a""#,
                #"bundles contain each other: "c" → "d" → "e" → "c""#,
            ])
        #expect(catalog.products.map(\.identifier) == ["f", "g"])
    }
}
