import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct BrokenChildRuleTests {
    private static let broken = nonConsumable("guide", "<key>purchased</key><true/>")

    @Test(arguments: [
        RuleCase(
            "a bundle, and the bundle that contains it",
            products: """
                \(broken)
                \(bundle("pack", "<string>map</string>▸<string>guide</string>"))
                \(bundle("box", "▸<string>pack</string>"))
                \(nonConsumable("map"))
                """,
            #""pack" is excluded from the catalog because it contains "guide", which is excluded"#,
            #""box" is excluded from the catalog because it contains "pack", which is excluded"#,
            also: ["ownership-key"], valid: ["map"]),
        RuleCase(
            "a bundle before its child", products: bundle("pack", "▸<string>guide</string>") + broken,
            #""pack" is excluded from the catalog because it contains "guide", which is excluded"#,
            also: ["ownership-key"], valid: []),
        RuleCase(
            "two bundles of one child",
            products: broken + bundle("pack", "▸<string>guide</string>") + bundle("box", "▸<string>guide</string>"),
            #""pack" is excluded from the catalog because it contains "guide", which is excluded"#,
            #""box" is excluded from the catalog because it contains "guide", which is excluded"#,
            also: ["ownership-key"], valid: []),
        RuleCase(
            "a child twice in its bundle",
            products: broken + bundle("pack", "▸<string>guide</string><string>guide</string>"),
            #""pack" is excluded from the catalog because it contains "guide", which is excluded"#,
            also: ["ownership-key", "duplicate-child"],
            valid: []),
        RuleCase(
            "a child that is declared twice",
            products: nonConsumable("guide") + nonConsumable("guide") + bundle("pack", "▸<string>guide</string>"),
            #""pack" is excluded from the catalog because it contains "guide", which is excluded"#,
            also: ["duplicate-identifier"], valid: []),
        RuleCase(
            "a bundle with an error of its own",
            products: broken + bundle("pack", "<string>guide</string>", "<key>purchased</key><true/>"),
            also: ["ownership-key", "ownership-key"], valid: []),
        RuleCase(
            "a child with a warning",
            products: nonConsumable("guide", "<key>weather</key><true/>") + bundle("pack", "<string>guide</string>"),
            also: ["unknown-key"], valid: ["guide", "pack"]),
        RuleCase(
            "a child that is nowhere", products: bundle("pack", "<string>weather</string>"), also: ["unknown-child"],
            valid: []),
    ])
    func `a bundle with an excluded child is excluded from the catalog, with a note`(_ test: RuleCase) throws {
        try test.check("broken-child", severity: .note)
    }

    @Test func `a bundle with two excluded children is reported once`() {
        let catalog = Catalog(products: [
            CatalogProduct(identifier: "club"),
            CatalogProduct(identifier: "pack", childProducts: ["club", "a", "b"]),
            CatalogProduct(identifier: "a", kind: .nonConsumable, childProducts: ["a"]),
            CatalogProduct(identifier: "b", kind: .nonConsumable, childProducts: ["b"]),
        ])
        let findings = catalog.diagnostics.filter { $0.rule == "broken-child" }

        #expect(findings.count == 1)
        #expect(findings.allSatisfy { $0.severity == .note && $0.position == nil })
        #expect(catalog.products.map(\.identifier) == ["club"])
    }
}
