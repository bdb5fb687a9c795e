import Foundation
import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

/// Forms of a catalog file.
@Suite(.hangLimit) struct CatalogRootTests {
    private func catalog(_ body: String) throws -> Catalog {
        Catalog(document: try PlistText.read(PlistText.document(body)))
    }

    @Test func `a catalog written as a dictionary has a version, an expiration date and grandfathering rules`() throws {
        let catalog = try catalog(
            """
            <dict>
            <key>catalogVersion</key><integer>7</integer>
            <key>expires</key><date>2027-01-01T00:00:00Z</date>
            <key>products</key><array>
            <dict><key>productIdentifier</key><string>premium</string><key>consumable</key><false/></dict>
            <string>guide</string>
            </array>
            <key>wallets</key><dict/>
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

    @Test func `a catalog in JSON is read from a file like a property list, with its dates`() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            #"""
            {
              "catalogVersion": 7, "expires": "2027-01-01T00:00:00Z",
              "products": [
                {"productIdentifier": "premium", "consumable": false},
                {"productIdentifier": "guide", "consumable": false,
                 "grandfathered": {"beforeDate": "2020-01-01T00:00:00Z"},
                 "userInfo": {"until": "2020-01-01T00:00:00Z"}},
                {"productIdentifier": "pass", "type": "nonRenewingSubscription", "subscriptionDuration": "P30D",
                 "formerDurations": [{"duration": "P60D", "until": "2026-01-01T00:00:00Z"}]}
              ]
            }
            """#, to: "Catalog.json")
        let catalog = try Catalog(usableIn: file)

        #expect(catalog.diagnostics.isEmpty)
        #expect(catalog.version == 7)
        #expect(catalog.expires == Date(timeIntervalSince1970: 1_798_761_600))
        #expect(catalog.products.map(\.identifier) == ["premium", "guide", "pass"])
        #expect(catalog["guide"]?.grandfathered.map(\.conditions) == ["a date before 2020-01-01"])
        #expect(catalog["guide"]?.userInfo?["until"]?.string == "2020-01-01T00:00:00Z")
        #expect(catalog["pass"]?.formerDurations.map(\.description) == ["P60D until 2026-01-01T00:00:00Z"])
        #expect(catalog["guide"]?.position == SourcePosition(line: 5, column: 5))
    }

    @Test(arguments: [
        #"{"com.example.premium": "Premium"}"#, #"{"error_code": "expired"}"#,

        #"{"Others": ["com.example.premium"]}"#, "{}",
    ])
    func `an object in JSON without the key products is no catalog`(text: String) throws {
        let catalog = Catalog(document: try PropertyListDocument(bytes: Array(text.utf8)))

        #expect(catalog.products.isEmpty)
        #expect(
            catalog.diagnostics.map(\.message) == [
                "a catalog in JSON must be an array of products or identifiers, or an object with the key \"products\""
            ])
    }

    @Test func `a StoreKit configuration is named as such in place of errors about its products`() throws {
        let bytes = Array(try Data(contentsOf: Repository.sample("Voyager.storekit")))
        let catalog = Catalog(document: try PropertyListDocument(bytes: bytes))

        #expect(catalog.products.isEmpty)
        #expect(
            catalog.diagnostics.map(\.message) == [
                "this is a StoreKit configuration, not a catalog: 'vitrine convert FILE --from storekit --to xml' makes a "
                    + "catalog of it"
            ])
    }

    @Test func `a misspelled key products of an object in JSON is reported with the key that was meant`() throws {
        let document = try PropertyListDocument(bytes: Array(#"{"Products": ["com.example.premium"]}"#.utf8))
        let catalog = Catalog(document: document)

        #expect(
            catalog.diagnostics.map(\.message) == [
                #"the catalog has the unknown key "Products"; did you mean "products"?"#
            ])
    }

    @Test func `a catalog written as an array has neither a version nor an expiration date`() throws {
        let catalog = try catalog("<array><string>guide</string></array>")

        #expect(catalog.version == nil)
        #expect(catalog.expires == nil)
    }

    @Test func `an MKStoreKit file in its newer format is read as a catalog`() throws {
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

    @Test func `an MKStoreKit file in its older format is read as a catalog`() throws {
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

    @Test func `products and subscription groups are read from a file of StoreHelper`() throws {
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

    @Test(arguments: [
        ["com.example.fuel", "com.Example.utility-van"], ["consumable.fuel.octane", "nonconsumable.car"],
        ["example_yearly", "example_lifetime2"],
    ])
    func `a dictionary of product identifiers with string values is read as a list of identifiers`(
        identifiers: [String]
    ) throws {
        let entries = identifiers.map { "<key>\($0)</key><string>🚗 \($0.count)</string>" }
        let catalog = try catalog("<dict>\(entries.joined())</dict>")

        #expect(catalog.diagnostics.isEmpty)
        #expect(catalog.products.map(\.identifier) == identifiers)
        #expect(catalog.products.allSatisfy { $0.kind == .unknown && $0.productTitle == nil })
        #expect(catalog.products.map(\.userInfo?.string) == identifiers.map { "🚗 \($0.count)" })
    }

    @Test func `in a dictionary of identifiers, a repeated identifier is excluded and a secret is reported`() throws {
        let catalog = try catalog(
            """
            <dict>
            <key>com.example.fuel</key><string>⛽️</string>
            <key>com.example.fuel</key><string>🛢</string>
            <key>com.example.car</key><string></string>
            <key>shared_secret</key><string>0123456789abcdef0123456789abcdef</string>
            </dict>
            """)

        #expect(catalog.diagnostics.map(\.rule) == ["duplicate-identifier", "secret"])
        #expect(catalog.diagnostics.map(\.position?.line) == [6, 8])
        #expect(catalog.products.map(\.identifier) == ["com.example.car", "shared_secret"])
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
