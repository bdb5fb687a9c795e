import Foundation
import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

@Suite(.hangLimit) struct CatalogTests {
    @Test func `the sample catalog is read completely, with notes about its hosted content alone`() throws {
        let catalog = try VoyagerStore.catalog()

        #expect(catalog.diagnostics.map(\.rule) == ["content-address", "content-address"])
        #expect(
            catalog.products.map(\.identifier)
                == [
                    "lisbon", "porto", "madrid", "vienna", "rome", "athens", "iberia", "everything", "premium",
                    "coins50", "coins500", "atlantis",
                ].map(String.voyager))
        let iberia = try #require(catalog[.voyager("iberia")])
        #expect(iberia.kind == .nonConsumable)
        #expect(iberia.childProducts == ["lisbon", "porto", "madrid"].map(String.voyager))
        #expect(iberia.maxChildren == 2)
        #expect(iberia.productIcon == "iberia.png")
        #expect(iberia.position?.line == 145)
        let rome = try #require(catalog[.voyager("rome")])
        #expect(rome.isHosted)
        #expect(rome.hostedContentPath?.components == ["guides", "rome"])
        #expect(catalog[.voyager("premium")]?.grandfathered.map(\.conditions) == ["a build before 200"])
        let coins = try #require(catalog[.voyager("coins500")])
        #expect(coins.kind == .consumable)
        #expect(coins.storageKey == "coins")
        #expect(coins.productValue == 500)
        #expect(coins.productTitle?.text(for: ["de-AT"]) == "500 Münzen")
    }

    @Test func `an array of identifiers is read as a catalog of products of unknown kind`() throws {
        let catalog = try CatalogFile(url: Repository.sample("ProductIDs.plist")).catalog

        #expect(catalog.diagnostics.isEmpty)
        #expect(catalog.products.count == 4)
        #expect(catalog.products.allSatisfy { $0.kind == .unknown })
    }

    @Test func `a catalog created in code is checked by the same rules as a catalog file`() {
        let catalog = Catalog(products: [
            CatalogProduct(identifier: "guide", kind: .nonConsumable),
            CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["guide", "map"]),
            CatalogProduct(identifier: "coins", kind: .consumable),
            CatalogProduct(identifier: ""),
        ])

        #expect(catalog.products.map(\.identifier) == ["guide"])
        #expect(
            catalog.diagnostics.map(\.rule)
                == ["missing-identifier", "missing-storage-key", "product-value", "unknown-child"])
    }

    @Test func `a product property set in code replaces the value from the catalog file, and nil removes it`() throws {
        let file = Catalog(
            document: try PlistText.read(
                PlistText.document(
                    """
                    <array><dict><key>productIdentifier</key><string>club</string>
                    <key>type</key><string>autoRenewableSubscription</string>
                    <key>subscriptionGroup</key><string>members</string><key>level</key><integer>2</integer>
                    <key>minimumAppVersion</key><string>2.10</string><key>productIcon</key><string>club.png</string>
                    </dict></array>
                    """)))
        let product = try #require(file["club"])
        var changed = product
        #expect(changed == product)
        changed.level = 1
        changed.minimumAppVersion = nil
        #expect(changed != product)
        #expect((changed.level, changed.minimumAppVersion, product.level) == (1, nil, 2))
        #expect((changed.subscriptionGroup, changed.productIcon) == ("members", "club.png"))

        let catalog = Catalog(products: [changed])
        #expect(
            CatalogComparison(from: file, to: catalog).changes.map(\.message).contains {
                $0 == "is now offered to apps of every version"
            })
        changed.level = 2
        changed.minimumAppVersion = VersionNumber("2.10")
        #expect(changed == product)
    }

    @Test func `the graph of bundles lists each child and each parent of a product once`() {
        let catalog = Catalog(products: [
            CatalogProduct(identifier: "leaf", kind: .nonConsumable),
            CatalogProduct(identifier: "left", kind: .nonConsumable, childProducts: ["leaf", "leaf"]),
            CatalogProduct(identifier: "right", kind: .nonConsumable, childProducts: ["leaf"]),
            CatalogProduct(identifier: "top", kind: .nonConsumable, childProducts: ["left", "right"]),
        ])

        #expect(catalog.bundles.children(of: 3) == [1, 2])
        #expect(catalog.bundles.children(of: 1) == [0])
        #expect(catalog.bundles.parents(of: 0) == [1, 2])
        #expect(catalog.bundles.parents(of: 3).isEmpty)
    }

    @Test(
        arguments: [
            (1, 50), (10, 500), (0, nil), (Int.max, nil),
        ] as [(Int, Int?)]
    )
    func `a credit is the product value times the quantity, and nil for quantity zero or on overflow`(
        quantity: Int, amount: Int?
    ) {
        let product = CatalogProduct(
            identifier: "coins", kind: .consumable, storageKey: "coins", productValue: 50)

        #expect(product.credit(forQuantity: quantity)?.amount == amount)
    }
}

@Suite(.hangLimit) struct LocalizedTextTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let texts: [(language: String, text: String)]
        let languages: [String]
        let expected: String
    }

    @Test(arguments: [
        Case(testDescription: "the tag itself", texts: [("en", "a"), ("de", "b")], languages: ["de"], expected: "b"),
        Case(
            testDescription: "the language of a region", texts: [("en", "a"), ("de", "b")], languages: ["de-AT"],
            expected: "b"),
        Case(
            testDescription: "script before language", texts: [("zh", "a"), ("zh-Hant", "b")],
            languages: ["zh-Hant-TW"],
            expected: "b"),
        Case(
            testDescription: "the second language", texts: [("fr", "a"), ("it", "b")], languages: ["ja", "it"],
            expected: "b"),
        Case(
            testDescription: "English names, as VTA has them", texts: [("German", "a"), ("English", "b")],
            languages: ["en-GB"], expected: "b"),
        Case(
            testDescription: "English where nothing fits", texts: [("fr", "a"), ("en", "b")], languages: ["ja"],
            expected: "b"),
        Case(
            testDescription: "the first where there is no English", texts: [("fr", "a"), ("it", "b")],
            languages: ["ja"], expected: "a"),
        Case(
            testDescription: "the script that a region writes", texts: [("zh", "a"), ("zh-Hant", "b")],
            languages: ["zh-HK"], expected: "b"),
        Case(
            testDescription: "the script before the region", texts: [("zh-Hans-HK", "a"), ("zh-Hant-TW", "b")],
            languages: ["zh-Hant-HK"], expected: "b"),
        Case(
            testDescription: "no script for the likely one", texts: [("zh-Hant", "a"), ("zh-CN", "b")],
            languages: ["zh-Hans"], expected: "b"),
        Case(
            testDescription: "Serbian in Latin letters", texts: [("sr", "a"), ("sr-Latn", "b")],
            languages: ["sr-Latn-RS"], expected: "b"),
        Case(
            testDescription: "Serbian in the other letters before English", texts: [("en", "a"), ("sr", "b")],
            languages: ["sr-Latn"], expected: "b"),
        Case(
            testDescription: "another region before English", texts: [("en", "a"), ("pt-BR", "b")],
            languages: ["pt-PT"], expected: "b"),
        Case(
            testDescription: "no region before another one", texts: [("pt", "a"), ("pt-BR", "b")],
            languages: ["pt-PT"], expected: "a"),
        Case(
            testDescription: "the likely region of a language", texts: [("pt-PT", "a"), ("pt-BR", "b")],
            languages: ["pt"], expected: "b"),
        Case(
            testDescription: "Norwegian by its older name", texts: [("en", "a"), ("no", "b")], languages: ["nb-NO"],
            expected: "b"),
        Case(
            testDescription: "Norwegian, whichever is asked for", texts: [("en", "a"), ("nb-NO", "b")],
            languages: ["no"], expected: "b"),
        Case(
            testDescription: "one Norwegian before the other", texts: [("nb", "a"), ("nn", "b"), ("no", "c")],
            languages: ["nn-NO"], expected: "b"),
        Case(
            testDescription: "a region of several countries before none", texts: [("es", "a"), ("es-419", "b")],
            languages: ["es-MX"], expected: "b"),
        Case(
            testDescription: "the likely region before one of several countries",
            texts: [("es", "a"), ("es-419", "b")], languages: ["es-ES"], expected: "a"),
        Case(
            testDescription: "the Portuguese of Portugal in Angola", texts: [("pt-BR", "a"), ("pt-PT", "b")],
            languages: ["pt-AO"], expected: "b"),
        Case(
            testDescription: "the Portuguese of Portugal before one of no region",
            texts: [("pt", "a"), ("pt-PT", "b")], languages: ["pt-MZ"], expected: "b"),
        Case(
            testDescription: "British before American English in Australia", texts: [("en-US", "a"), ("en-GB", "b")],
            languages: ["en-AU"], expected: "b"),
        Case(
            testDescription: "American English where it is closest", texts: [("en-GB", "a"), ("en-US", "b")],
            languages: ["en-PR"], expected: "b"),
        Case(
            testDescription: "Mexican before European Spanish in Chile", texts: [("es-ES", "a"), ("es-MX", "b")],
            languages: ["es-CL"], expected: "b"),
        Case(
            testDescription: "the Chinese of Hong Kong in Macau", texts: [("zh-TW", "a"), ("zh-HK", "b")],
            languages: ["zh-Hant-MO"], expected: "b"),
        Case(
            testDescription: "the first by alphabet of two that fit as well", texts: [("es-MX", "a"), ("es-AR", "b")],
            languages: ["es-CL"], expected: "b"),
        Case(
            testDescription: "the first by alphabet where there is no English", texts: [("it", "a"), ("de", "b")],
            languages: ["fr"], expected: "b"),
        Case(
            testDescription: "an English name with a region", texts: [("Portuguese", "a"), ("English", "b")],
            languages: ["pt-BR"], expected: "a"),
        Case(
            testDescription: "a name with the region that is asked for",
            texts: [("Portuguese (Portugal)", "a"), ("Portuguese (Brazil)", "b")], languages: ["pt-BR"], expected: "b"),
        Case(
            testDescription: "a name with a former name of the region",
            texts: [("English", "a"), ("Turkish (Turkey)", "b")], languages: ["tr"], expected: "b"),
        Case(
            testDescription: "a name with a script", texts: [("English", "a"), ("Chinese (Simplified)", "b")],
            languages: ["zh-Hans-CN"], expected: "b"),
        Case(
            testDescription: "a name with the script that is read in a region",
            texts: [("Chinese, Simplified", "a"), ("Chinese, Traditional", "b")], languages: ["zh-TW"], expected: "b"),
        Case(
            testDescription: "a name with a region as App Store Connect writes it",
            texts: [("English (U.S.)", "a"), ("English (U.K.)", "b")], languages: ["en-IE"], expected: "b"),
        Case(
            testDescription: "an underscore for a hyphen", texts: [("en", "a"), ("pt_BR", "b")], languages: ["pt-BR"],
            expected: "b"),
    ])
    func `the localized text that best matches the customer's preferred languages is selected`(_ test: Case) {
        #expect(LocalizedText(test.texts).text(for: test.languages) == test.expected)
    }

    @Test func `a localized text without a language is used for every language`() {
        #expect(LocalizedText("a").text(for: ["ja"]) == "a")
    }
}
