import ProductCatalog
import PropertyList
import TestSupport
import Testing

/// What findings say, and how many are told.
@Suite struct RuleMessageTests {
    @Test func `a cycle is told as a path, with a note at each further step`() throws {
        let body = ["a", "b", "c"].enumerated().map { index, name in
            let next = ["b", "c", "a"][index]
            return """
                <dict><key>productIdentifier</key><string>\(name)</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>\(next)</string></array></dict>
                """
        }
        let catalog = Catalog(
            document: try PlistText.read(PlistText.document("<array>\(body.joined())</array>")))
        let diagnostic = try #require(catalog.diagnostics.first)

        #expect(diagnostic.message == #"bundles contain each other: "a" → "b" → "c" → "a""#)
        #expect(diagnostic.notes.count == 2)
    }

    @Test(
        arguments: [
            ("childProduct", "did you mean \"childProducts\"?"),
            ("StorageKey", "did you mean \"storageKey\"?"),
            ("prodcutValue", "did you mean \"productValue\"?"),
            ("colour", "is unknown and is ignored"),
        ]
    )
    func `a misspelt key is answered with the one that was meant`(key: String, answer: String) throws {
        let catalog = Catalog(
            document: try PlistText.read(
                PlistText.document(
                    """
                    <array><dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                    <key>\(key)</key><true/></dict></array>
                    """)))

        #expect(catalog.diagnostics.map(\.rule) == ["unknown-key"])
        #expect(catalog.diagnostics[0].message.hasSuffix(answer))
    }

    @Test func `bundles that all contain each other are one finding, and quickly found`() {
        let names = (0..<300).map { "p\($0)" }
        let products = names.map { name in
            CatalogProduct(identifier: name, kind: .nonConsumable, childProducts: names.filter { $0 != name })
        }
        let catalog = Catalog(products: products)

        #expect(catalog.diagnostics.map(\.rule) == ["bundle-cycle"])
        #expect(catalog.products.isEmpty)
    }

    @Test func `a cycle of ten thousand bundles is told by its beginning`() throws {
        let count = 10_000
        let products = (0..<count).map { index in
            CatalogProduct(
                identifier: "p\(index)", kind: .nonConsumable, childProducts: ["p\((index + 1) % count)"])
        }
        let diagnostic = try #require(Catalog(products: products).diagnostics.first)

        #expect(diagnostic.message.hasSuffix(#" → "p9" → … → "p0""#))
        #expect(diagnostic.notes.count == 9)
    }

    @Test func `two cycles are two findings`() {
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

    @Test func `a long name is shortened in messages, and what controls a terminal written out`() {
        let catalog = Catalog(products: [
            CatalogProduct(
                identifier: "pack", kind: .nonConsumable,
                childProducts: [String(repeating: "x", count: 1_000_000), "a\u{1B}[31m\nb"])
        ])

        #expect(catalog.diagnostics.allSatisfy { $0.message.count < 250 })
        #expect(catalog.diagnostics.last?.message.contains(#""a\u{1B}[31m\nb""#) == true)
    }

    @Test func `thousands of unknown children and of equal identifiers are told in bounded space`() {
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
            catalog.diagnostics.map(\.message).filter { $0.hasSuffix("not told") }.sorted() == [
                "2999 more findings of this rule are not told", "3000 more findings of this rule are not told",
            ])
        #expect(catalog.products.count == 900)
    }

    @Test func `a product with more keys than anybody writes is not looked into`() throws {
        let keys = (0...1_000).map { "<key>k\($0)</key><true/>" }.joined()
        let catalog = Catalog(document: try PlistText.read(PlistText.document("<array><dict>\(keys)</dict></array>")))

        #expect(catalog.diagnostics.map(\.rule) == ["missing-identifier", "too-many-keys"])
        #expect(catalog.products.isEmpty)
    }

    @Test func `a catalog with more products than any shop has is refused whole`() throws {
        let text = PlistText.document("<array>\(String(repeating: "<true/>", count: 200_001))</array>")
        let catalog = Catalog(document: try PlistText.read(text))

        #expect(catalog.diagnostics.map(\.rule) == ["root"])
    }

    @Test func `a root that is no array leaves nothing to use`() throws {
        let catalog = Catalog(document: try PlistText.read(PlistText.document("<dict/>")))

        #expect(catalog.diagnostics.map(\.rule) == ["root"])
        #expect(catalog.products.isEmpty)
    }
}
