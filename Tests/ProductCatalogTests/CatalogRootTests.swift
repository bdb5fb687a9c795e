import Foundation
import ProductCatalog
import PropertyList
import TestSupport
import Testing

/// The forms in which a catalog file may be written.
@Suite struct CatalogRootTests {
    private func catalog(_ body: String) throws -> Catalog {
        Catalog(document: try PlistText.read(PlistText.document(body)))
    }

    @Test func `a dictionary adds what an array cannot carry`() throws {
        let catalog = try catalog(
            """
            <dict>
            <key>catalogVersion</key><integer>7</integer>
            <key>expires</key><date>2027-01-01T00:00:00Z</date>
            <key>products</key><array>
            <dict><key>productIdentifier</key><string>premium</string><key>consumable</key><false/></dict>
            <string>guide</string>
            </array>
            <key>grandfathering</key><dict>
            <key>premium</key><dict><key>beforeBuild</key><string>200</string></dict>
            <key>guide</key><array><dict><key>beforeDate</key><date>2020-01-01T00:00:00Z</date></dict></array>
            </dict></dict>
            """)

        #expect(catalog.diagnostics.isEmpty)
        #expect(catalog.version == 7)
        #expect(catalog.expires == Date(timeIntervalSince1970: 1_798_761_600))
        #expect(catalog.products.map(\.identifier) == ["premium", "guide"])
        #expect(catalog["premium"]?.grandfathered.map(\.conditions) == ["a build before 200"])
        #expect(catalog["guide"]?.grandfathered.map(\.conditions) == ["a date before 2020-01-01"])
    }

    @Test func `an array has neither version nor end`() throws {
        let catalog = try catalog("<array><string>guide</string></array>")

        #expect(catalog.version == nil)
        #expect(catalog.expires == nil)
    }

    @Test(
        arguments: [
            (
                "<key>products</key>▸<string>a</string>", "error root",
                "products must be an array, and this is a string"
            ),
            (
                "<key>catalogVersion</key>▸<string>7</string>", "error root",
                "catalogVersion must be an integer, and this is a string"
            ),
            ("<key>expires</key>▸<true/>", "error root", "expires must be a date, and this is true or false"),
            ("▸<key>products</key><array/>", "error root", #"the key "products" stands twice in the catalog"#),
            ("▸<key>wallets</key><dict/>", "note not-acted-on", "wallets is not acted on by this version"),
            (
                "▸<key>product</key><array/>", "warning unknown-key",
                #"the catalog has an unknown key, "product": known are products, catalogVersion, expires, wallets, "#
                    + "grandfathering"
            ),
            (
                "<key>grandfathering</key>▸<array/>", "error root",
                "grandfathering must be a dictionary, and this is an array"
            ),
            (
                "<key>grandfathering</key><dict>▸<key>b</key><dict/></dict>", "error root",
                #"grandfathering names "b", which is no product of the catalog"#
            ),
            (
                "<key>grandfathering</key><dict><key>a</key>▸<true/></dict>", "error root",
                "a grandfathering rule is a dictionary, or an array of them"
            ),
            (
                "<key>grandfathering</key><dict><key>a</key>▸<dict/></dict>", "error grandfathered",
                "a grandfathering rule says before what: everybody would own it"
            ),
        ]
    )
    func `what is wrong at the root is told with its place`(marked text: String, rule: String, message: String) throws {
        let products =
            text.contains("<key>products</key>▸") ? "" : "<key>products</key><array><string>a</string></array>\n"
        let marked = MarkedText(PlistText.document("<dict>\(products)\(text)</dict>"))
        let catalog = Catalog(document: try PlistText.read(marked.text))

        #expect(catalog.diagnostics.map { "\($0.severity) \($0.rule)" } == [rule])
        #expect(catalog.diagnostics.map(\.message) == [message])
        #expect(catalog.diagnostics.map(\.position) == marked.positions)
    }

    @Test func `MKStoreKit's newer keys are read`() throws {
        let catalog = try catalog(
            """
            <dict>
            <key>Consumables</key><dict>
            <key>com.example.coins</key><dict><key>ConsumableId</key><string>coins</string>
            <key>ConsumableCount</key><integer>50</integer></dict></dict>
            <key>Others</key><array><string>com.example.guide</string><string>com.example.monthly</string></array>
            <key>SharedSecret</key><string>0123456789abcdef0123456789abcdef</string>
            </dict>
            """)

        #expect(
            catalog.products.map(\.identifier) == ["com.example.coins", "com.example.guide", "com.example.monthly"])
        #expect(catalog.products.map(\.kind) == [.consumable, .unknown, .unknown])
        #expect(catalog["com.example.coins"]?.credit(forQuantity: 2)?.amount == 100)
        #expect(catalog["com.example.coins"]?.storageKey == "coins")
        #expect(catalog.diagnostics.map(\.rule) == ["secret"])
        #expect(catalog.diagnostics.allSatisfy { !$0.message.contains("0123") })
    }

    @Test func `MKStoreKit's older keys are read`() throws {
        let catalog = try catalog(
            """
            <dict>
            <key>Consumables</key><dict>
            <key>eggs</key><dict><key>Count</key><real>500</real><key>Name</key><string>EggBasket</string></dict></dict>
            <key>Non-Consumables</key><array><string>guide</string></array>
            <key>Subscriptions</key><dict><key>weekly</key><integer>7</integer></dict>
            <key>Non-Consumables-batch</key><dict/>
            </dict>
            """)

        #expect(catalog.diagnostics.isEmpty)
        #expect(catalog.products.map(\.identifier) == ["eggs", "guide", "weekly"])
        #expect(catalog.products.map(\.kind) == [.consumable, .nonConsumable, .autoRenewableSubscription])
        #expect(catalog["eggs"]?.productValue == 500)
    }

    @Test(arguments: ["", "<key>Count</key><real>1.5</real>", "<key>Count</key><string>5</string>"])
    func `a consumable of MKStoreKit that says too little is an error at its place`(count: String) throws {
        let marked = MarkedText(
            PlistText.document(
                "<dict><key>Consumables</key><dict>▸<key>eggs</key><dict><key>Name</key><string>a</string>\(count)"
                    + "</dict></dict></dict>"))
        let catalog = Catalog(document: try PlistText.read(marked.text))

        #expect(catalog.diagnostics.map(\.rule) == ["product-value"])
        #expect(catalog.diagnostics.map(\.position) == marked.positions)
    }

    @Test func `StoreHelper's products and groups are read`() throws {
        let catalog = try catalog(
            """
            <dict>
            <key>Products</key><array><string>com.example.flowers</string></array>
            <key>Subscriptions</key><array><dict><key>Group</key><string>vip</string>
            <key>Products</key><array><string>com.example.gold</string><string>com.example.silver</string></array>
            </dict></array></dict>
            """)

        #expect(catalog.diagnostics.isEmpty)
        #expect(catalog.products.map(\.identifier) == ["flowers", "gold", "silver"].map { "com.example.\($0)" })
        #expect(catalog.products.map(\.kind) == [.unknown, .autoRenewableSubscription, .autoRenewableSubscription])
    }

    @Test(arguments: ["<dict/>", "<dict><key>a</key><string>b</string></dict>", "<string>a</string>", "<true/>"])
    func `any other root is refused, and what was expected is said`(body: String) throws {
        let catalog = try catalog(body)

        #expect(catalog.diagnostics.map(\.rule) == ["root"])
        #expect(catalog.diagnostics.first?.message.contains("products") == true)
        #expect(catalog.products.isEmpty)
    }

    @Test(.enabled(if: Repository.corpus("plists") != nil, "the corpus of real files is not here"))
    func `real files of MKStoreKit and StoreHelper are read without an error`() throws {
        let files = try Repository.corpusFiles("plists").filter { file in
            let text = try String(decoding: Data(contentsOf: file), as: UTF8.self)
            return text.contains("<key>Non-Consumables</key>") || text.contains("<key>Others</key>")
        }

        #expect(files.count > 15)
        for file in files {
            let catalog = try CatalogFile(url: file).catalog
            #expect(!catalog.hasErrors, "\(file.lastPathComponent): \(catalog.diagnostics)")
        }
    }
}
