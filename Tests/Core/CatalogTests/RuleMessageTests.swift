import Testing
import VitrineCatalog
import VitrineTestSupport

/// Messages of diagnostics, and the number that is reported.
@Suite(.hangLimit) struct RuleMessageTests {
    @Test func `diagnostic messages shorten long names and escape control characters`() {
        let catalog = Catalog(products: [
            CatalogProduct(
                identifier: "pack", kind: .nonConsumable,
                childProducts: [String(repeating: "x", count: 1_000_000), "a\u{1B}[31m\nb"])
        ])

        #expect(catalog.diagnostics.allSatisfy { $0.message.count < 250 })
        #expect(catalog.diagnostics.last?.message.contains(#""a\u{1B}[31m\nb""#) == true)
    }

    @Test func `at most 1000 findings per catalog rule are listed, followed by the number of further findings`() {
        let products =
            (0..<900).map { CatalogProduct(identifier: "com.example.product\($0)", kind: .nonConsumable) }
            + [
                CatalogProduct(
                    identifier: "pack", kind: .nonConsumable,
                    childProducts: (0..<4_000).map { "com.example.prodcut\($0)" })
            ]
            + (0..<4_000).map { _ in CatalogProduct(identifier: "twin", kind: .nonConsumable) }
        let catalog = Catalog(products: products)

        #expect(catalog.diagnostics.filter { $0.message.contains("did you mean") }.count == 20)
        #expect(catalog.diagnostics.count == 1_001 + 1_001)
        #expect(
            catalog.diagnostics.map(\.message).filter { $0.hasSuffix("not shown") }.sorted() == [
                "2999 more findings of this rule are not shown", "3000 more findings of this rule are not shown",
            ])
        #expect(catalog.products.count == 900)
    }
}
