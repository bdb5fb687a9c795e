import ProductCatalog
import PropertyList
import TestSupport
import Testing

@Suite struct RuleTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let id: String
        /// The root's content, with a mark where each finding is expected, in the order of the file.
        let marked: String
        /// Severity and rule of each.
        let findings: [String]
        /// The identifiers that stay in the catalog.
        let kept: [String]
        var testDescription: String { id }
    }

    @Test(arguments: [
        Case(
            id: "a product of each kind is fine",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>type</key><string>nonConsumable</string>
                <key>childProducts</key><array><string>guide</string></array></dict>
                <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key><integer>5</integer></dict>
                """,
            findings: [], kept: ["guide", "pack", "coins"]),
        Case(
            id: "no identifier",
            marked: "▸<dict><key>consumable</key><false/></dict>",
            findings: ["error missing-identifier"], kept: []),
        Case(
            id: "an empty identifier",
            marked: "▸<dict><key>productIdentifier</key>▸<string/><key>consumable</key><false/></dict>",
            findings: ["error missing-identifier", "warning empty-string"], kept: []),
        Case(
            id: "an identifier twice",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key>▸<string>a</string><key>consumable</key><false/></dict>
                """,
            findings: ["error duplicate-identifier"], kept: []),
        Case(
            id: "no kind",
            marked: "▸<dict><key>productIdentifier</key><string>a</string></dict>",
            findings: ["error missing-kind"], kept: []),
        Case(
            id: "a type that contradicts consumable",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>type</key>▸<string>consumable</string><key>storageKey</key><string>c</string>
                <key>productValue</key><integer>5</integer></dict>
                """,
            findings: ["error contradictory-kind"], kept: []),
        Case(
            id: "a type that is none",
            marked: """
                <dict><key>productIdentifier</key><string>a</string>
                <key>type</key>▸<string>Non-Consumable</string></dict>
                """,
            findings: ["error contradictory-kind"], kept: []),
        Case(
            id: "a consumable without storageKey",
            marked: """
                ▸<dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>productValue</key><integer>5</integer></dict>
                """,
            findings: ["error missing-storage-key"], kept: []),
        Case(
            id: "a consumable without productValue",
            marked: """
                ▸<dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string></dict>
                """,
            findings: ["error product-value"], kept: []),
        Case(
            id: "a value of zero",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key>▸<integer>0</integer></dict>
                """,
            findings: ["error product-value"], kept: []),
        Case(
            id: "a value given as text",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key>▸<string>50</string></dict>
                """,
            findings: ["error value-type"], kept: []),
        Case(
            id: "a child that does not exist",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>guide</string>▸<string>giude</string></array></dict>
                """,
            findings: ["error unknown-child"], kept: ["guide"]),
        Case(
            id: "a consumable child",
            marked: """
                <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key><integer>5</integer></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>coins</string></array></dict>
                """,
            findings: ["error child-kind"], kept: ["coins"]),
        Case(
            id: "a subscription as a child",
            marked: """
                <dict><key>productIdentifier</key><string>club</string>
                <key>type</key><string>autoRenewableSubscription</string></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>club</string></array></dict>
                """,
            findings: ["error child-kind"], kept: ["club"]),
        Case(
            id: "a child twice, and one without name",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>guide</string>▸<string>guide</string>▸<string/></array></dict>
                """,
            findings: ["warning duplicate-child", "warning empty-string"], kept: ["guide", "pack"]),
        Case(
            id: "a type without text",
            marked: """
                ▸<dict><key>productIdentifier</key><string>a</string><key>type</key>▸<string/></dict>
                """,
            findings: ["error missing-kind", "warning empty-string"], kept: []),
        Case(
            id: "a value past 64 bits",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string>
                <key>productValue</key>▸<integer>9223372036854775808</integer></dict>
                """,
            findings: ["error value-type"], kept: []),
        Case(
            id: "a number past 64 bits",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>maxChildren</key>▸<integer>18446744073709551615</integer></dict>
                """,
            findings: ["error value-type"], kept: []),
        Case(
            id: "children of a consumable",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
                <key>storageKey</key><string>c</string><key>productValue</key><integer>5</integer>
                <key>childProducts</key><array>▸<string>guide</string></array></dict>
                """,
            findings: ["error consumable-bundle"], kept: ["guide"]),
        Case(
            id: "two bundles that contain each other, and one that contains them",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>b</string></array></dict>
                <dict><key>productIdentifier</key><string>b</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>a</string></array></dict>
                <dict><key>productIdentifier</key><string>c</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>a</string></array></dict>
                <dict><key>productIdentifier</key><string>d</string><key>consumable</key><false/></dict>
                """,
            findings: ["error bundle-cycle", "note broken-child"], kept: ["d"]),
        Case(
            id: "a bundle that contains itself",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                <key>childProducts</key><array>▸<string>a</string></array></dict>
                """,
            findings: ["error bundle-cycle"], kept: []),
        Case(
            id: "maxChildren that is no limit",
            marked: """
                <dict><key>productIdentifier</key><string>guide</string><key>consumable</key><false/></dict>
                <dict><key>productIdentifier</key><string>pack</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>guide</string></array>
                <key>maxChildren</key>▸<integer>0</integer></dict>
                <dict><key>productIdentifier</key><string>box</string><key>consumable</key><false/>
                <key>childProducts</key><array><string>guide</string></array>
                <key>maxChildren</key>▸<integer>2</integer></dict>
                """,
            findings: ["warning max-children", "warning max-children"], kept: ["guide", "pack", "box"]),
        Case(
            id: "ownership in the file",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                ▸<key>purchased</key><true/></dict>
                """,
            findings: ["error ownership-key"], kept: []),
        Case(
            id: "a value of the wrong type, where money depends on it and where it does not",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key>▸<string>YES</string></dict>
                <dict><key>productIdentifier</key><string>b</string><key>consumable</key><false/>
                <key>productIcon</key>▸<integer>1</integer></dict>
                """,
            findings: ["error value-type", "warning value-type"], kept: ["b"]),
        Case(
            id: "a key twice",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                ▸<key>consumable</key><false/></dict>
                """,
            findings: ["error duplicate-key"], kept: []),
        Case(
            id: "a key that is misspelt, and one that nobody knows",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                ▸<key>childproduct</key><array/>▸<key>weather</key><true/></dict>
                """,
            findings: ["warning unknown-key", "warning unknown-key"], kept: ["a"]),
        Case(
            id: "the older spelling of storageKey",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><true/>
                ▸<key>localStorageKey</key><string>c</string><key>productValue</key><integer>5</integer></dict>
                """,
            findings: ["warning old-spelling"], kept: ["a"]),
        Case(
            id: "keys that nothing is done about yet",
            marked: """
                <dict><key>productIdentifier</key><string>a</string><key>consumable</key><false/>
                ▸<key>hosted</key><true/>▸<key>localContentPath</key><string>a</string></dict>
                """,
            findings: ["note not-acted-on", "note not-acted-on"], kept: ["a"]),
        Case(
            id: "a product that is a number",
            marked: "▸<integer>1</integer><string>a</string>",
            findings: ["error root"], kept: ["a"]),
    ])
    func `a rule finds it, there and nowhere else`(_ test: Case) throws {
        let marked = MarkedText(PlistText.document("<array>\(test.marked)</array>"))
        let catalog = Catalog(document: try PlistText.read(marked.text))

        #expect(catalog.diagnostics.map { "\($0.severity) \($0.rule)" } == test.findings)
        #expect(catalog.diagnostics.map(\.position) == marked.positions)
        #expect(catalog.products.map(\.identifier) == test.kept)
        #expect(catalog.hasErrors == test.findings.contains { $0.hasPrefix("error") })
    }

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
