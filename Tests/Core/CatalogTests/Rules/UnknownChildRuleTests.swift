import Testing
import VitrineCatalog
import VitrineTestSupport

@Suite(.hangLimit) struct UnknownChildRuleTests {
    @Test(arguments: [
        RuleCase(
            "another product with the same beginning",
            products: nonConsumable("com.example.seeds20")
                + bundle("com.example.pack", "▸<string>com.example.rose</string>"),
            #""com.example.pack" contains "com.example.rose", which is not in the catalog"#,
            valid: ["com.example.seeds20"]),
        RuleCase(
            "a misspelt beginning",
            products: nonConsumable("com.example.rose")
                + bundle("com.example.pack", "▸<string>com.exmaple.rose</string>"),
            #""com.example.pack" contains "com.exmaple.rose", which is not in the catalog; did you mean "com.example.rose"?"#,
            valid: ["com.example.rose"]),
        RuleCase(
            "misspelt",
            products: nonConsumable("guide") + bundle("pack", "<string>guide</string>▸<string>giude</string>"),
            #""pack" contains "giude", which is not in the catalog; did you mean "guide"?"#, valid: ["guide"]),
        RuleCase(
            "by case alone", products: nonConsumable("guide") + bundle("pack", "▸<string>Guide</string>"),
            #""pack" contains "Guide", which is not in the catalog; did you mean "guide"?"#, valid: ["guide"]),
        RuleCase(
            "near a consumable, which a bundle cannot contain",
            products: consumable("coins") + bundle("pack", "▸<string>coin</string>"),
            #""pack" contains "coin", which is not in the catalog"#, valid: ["coins"]),
        RuleCase(
            "like nothing", products: nonConsumable("guide") + bundle("pack", "▸<string>weather</string>"),
            #""pack" contains "weather", which is not in the catalog"#, valid: ["guide"]),
        RuleCase(
            "two in two bundles",
            products: bundle("pack", "▸<string>weather</string>") + bundle("box", "▸<string>sunshine</string>"),
            #""pack" contains "weather", which is not in the catalog"#,
            #""box" contains "sunshine", which is not in the catalog"#, valid: []),
        RuleCase(
            "declared later", products: bundle("pack", "<string>guide</string>") + nonConsumable("guide"),
            valid: ["pack", "guide"]),
        RuleCase(
            "declared by its identifier alone",
            products: "<string>guide</string>" + bundle("pack", "<string>guide</string>"), valid: ["guide", "pack"]),
        RuleCase(
            "declared twice",
            products: nonConsumable("guide") + nonConsumable("guide") + bundle("pack", "<string>guide</string>"),
            also: ["duplicate-identifier", "broken-child"], valid: []),
        RuleCase(
            "without text",
            products: nonConsumable("guide") + bundle("pack", "<string>guide</string><string/>"),
            also: ["empty-string"], valid: ["guide", "pack"]),
    ])
    func `a child of a bundle that is not in the catalog is reported`(_ test: RuleCase) throws {
        try test.check("unknown-child", severity: .error)
    }

    @Test(arguments: [(999, true), (1_000, false)])
    func `a catalog of more than 1000 products has no spelling suggestions for unknown children`(
        others: Int, isSuggested: Bool
    ) {
        let products = (0..<others).map { CatalogProduct(identifier: "com.example.p\($0)", kind: .nonConsumable) }
        let pack = CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["com.example.q1"])
        let messages = Catalog(products: products + [pack]).diagnostics.map(\.message)

        #expect(messages.count == 1)
        #expect(messages.first?.contains("did you mean") == isSuggested)
    }
}
