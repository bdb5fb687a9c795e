import Foundation
import Testing
import VitrineCatalog
import VitrinePropertyList
import VitrineTestSupport

@Suite(.hangLimit) struct StoreConfigurationDraftTests {
    private func catalog(_ json: String) throws -> Catalog {
        Catalog(document: try PropertyListDocument(bytes: Array(json.utf8)))
    }

    private func configuration(_ draft: StoreConfigurationDraft) throws -> StoreConfiguration {
        try StoreConfiguration(data: Data(draft.bytes))
    }

    private static let shop = #"""
        [{"productIdentifier": "coins", "consumable": true, "storageKey": "coins", "productValue": 50,
          "productTitle": {"en": "Coins", "de": "Münzen"}, "longDescription": "For the road"},
         {"productIdentifier": "map", "consumable": false, "productTitle": "Map"},
         {"productIdentifier": "pass", "type": "nonRenewingSubscription", "subscriptionDuration": "P30D",
          "productTitle": "Pass"},
         {"productIdentifier": "gold", "type": "autoRenewableSubscription", "subscriptionGroup": "Club", "level": 1,
          "subscriptionDuration": "P1Y", "productTitle": "Gold"},
         {"productIdentifier": "silver", "type": "autoRenewableSubscription", "subscriptionGroup": "Club", "level": 2,
          "subscriptionDuration": "P1M", "productTitle": "Silver"}]
        """#

    @Test func `a StoreKit configuration made of a catalog has its products, texts, groups, levels and periods`() throws
    {
        let prices = try PriceList(Array("coins,0.99\nmap,4.99\npass,9.99\ngold,49.99\nsilver,4.99\n".utf8))
        let draft = StoreConfigurationDraft(try catalog(Self.shop), prices: prices)
        let made = try configuration(draft)

        #expect(draft.remarks.isEmpty)
        #expect(!draft.isMissingProducts)
        #expect(made.omissions.isEmpty)
        #expect(made.unknownKeys.isEmpty)
        #expect(made.items.map(\.identifier) == ["coins", "map", "pass"])
        #expect(made.items.map(\.kind) == [.consumable, .nonConsumable, .nonRenewingSubscription])
        #expect(made.items.map(\.price) == ["0.99", "4.99", "9.99"].map { Decimal(string: $0) })
        let texts = made.items[0].localizations
        #expect(texts.map(\.locale) == ["en", "de"])
        #expect(texts.map(\.displayName) == ["Coins", "Münzen"])
        #expect(texts.map(\.description) == ["For the road", "For the road"])
        #expect(made.items[1].localizations.map(\.locale) == ["en_US"])
        #expect(made.groups.map(\.name) == ["Club"])
        #expect(made.subscriptions.map(\.item.identifier) == ["gold", "silver"])
        #expect(made.subscriptions.map(\.item.price) == ["49.99", "4.99"].map { Decimal(string: $0) })
        #expect(made.subscriptions.map(\.group) == ["Club", "Club"])
        #expect(made.subscriptions.map(\.level) == [1, 2])
        #expect(made.subscriptions.map(\.period.description) == ["P1Y", "P1M"])
    }

    @Test func `a catalog made of a StoreKit configuration that was made of it has the same products`() throws {
        let first = try catalog(Self.shop)
        let starter = StarterCatalog(try configuration(StoreConfigurationDraft(first)))
        let again = Catalog(document: try PropertyListDocument(bytes: Array(starter.xml.utf8)))

        #expect(again.products.map(\.identifier) == first.products.map(\.identifier))
        #expect(again.products.map(\.kind) == first.products.map(\.kind))
        #expect(again.products.map(\.subscriptionGroup) == first.products.map(\.subscriptionGroup))
        #expect(again.products.map(\.level) == first.products.map(\.level))
        for language in ["en", "de"] {
            #expect(
                again.products.map { $0.productTitle?.text(for: [language]) }
                    == first.products.map { $0.productTitle?.text(for: [language]) })
        }
        let periods = again.products.filter { $0.kind == .autoRenewableSubscription }.map(\.subscriptionDuration)
        #expect(periods.map { $0?.description } == ["P1Y", "P1M"])
    }

    @Test func `each price that is a placeholder is reported and named as one in the StoreKit configuration`() throws {
        let prices = try PriceList(Array("map,4.99\nglobe,5\n".utf8))
        let draft = StoreConfigurationDraft(
            try catalog(
                #"""
                [{"productIdentifier": "map", "consumable": false, "productTitle": "Map"},
                 {"productIdentifier": "atlas", "consumable": false, "productTitle": "Atlas"}]
                """#), prices: prices)
        let made = try configuration(draft)

        #expect(
            draft.remarks == [
                #"the price of "atlas" is a placeholder, 0.99: set it in the file, or with --prices of convert"#,
                #"the price of "globe" is not used: the catalog has no such product"#,
            ])
        #expect(made.items.map(\.price) == ["4.99", "0.99"].map { Decimal(string: $0) })
        #expect(made.items.map(\.referenceName) == ["Map", "Atlas (placeholder price)"])
    }

    @Test func `the placeholder prices of several products are reported once`() throws {
        let draft = StoreConfigurationDraft(
            try catalog(
                #"""
                [{"productIdentifier": "map", "consumable": false, "productTitle": "Map"},
                 {"productIdentifier": "atlas", "consumable": false, "productTitle": "Atlas"}]
                """#))

        #expect(
            draft.remarks == [
                "the prices of 2 products are placeholders, 0.99: set them in the file, or with --prices of convert"
            ])
    }

    @Test func `values of a StoreKit configuration that the catalog does not contain are reported`() throws {
        let prices = try PriceList(Array("club,1\ncoins,1\nmap,1".utf8))
        let draft = StoreConfigurationDraft(
            try catalog(
                #"""
                [{"productIdentifier": "club", "type": "autoRenewableSubscription", "productTitle": "Club"}, "coins",
                 {"productIdentifier": "map", "consumable": false}]
                """#), prices: prices)
        let made = try configuration(draft)

        #expect(
            draft.remarks == [
                #""club" has no subscriptionGroup: the file has a group of its own"#,
                #""club" has no level: the file has level 1"#,
                #""club" has no subscriptionDuration that a store can have: the file has P1M"#,
                #""coins" is left out: the catalog does not name its type"#,
                #""map" has no productTitle: the file has no name for it"#,
            ])
        #expect(draft.isMissingProducts)
        #expect(made.items.map(\.identifier) == ["map"])
        #expect(made.subscriptions.map(\.group) == ["club"])
        #expect(made.subscriptions.map(\.period.description) == ["P1M"])
    }

    @Test(arguments: ["P5D", "P2Y", "P4M"])
    func `a period that the App Store does not offer is replaced with a remark`(period: String) throws {
        let draft = StoreConfigurationDraft(
            try catalog(
                #"""
                [{"productIdentifier": "club", "type": "autoRenewableSubscription", "productTitle": "Club",
                  "subscriptionGroup": "Club", "level": 1, "subscriptionDuration": "\#(period)"}]
                """#), prices: try PriceList(Array("club,1".utf8)))

        #expect(draft.remarks == [#""club" has no subscriptionDuration that a store can have: the file has P1M"#])
        #expect(try configuration(draft).subscriptions.map(\.period.description) == ["P1M"])
    }

    @Test func `English names of languages in a catalog become language tags in a StoreKit configuration`() throws {
        let draft = StoreConfigurationDraft(
            try catalog(
                #"""
                [{"productIdentifier": "map", "consumable": false,
                  "productTitle": {"English": "Map", "German": "Karte", "Portuguese (Brazil)": "Mapa",
                                   "Chinese (Simplified)": "地图", "Elvish of Rivendell": "?",
                                   "xx-rivendell": "?"},
                  "longDescription": {"de": "Von Wien", "English (U.K.)": "Of Vienna"}}]
                """#), prices: try PriceList(Array("map,1".utf8)))
        let made = try configuration(draft)
        let texts = try #require(made.items.first).localizations

        #expect(texts.map(\.locale) == ["en", "de", "pt_BR", "zh_Hans", "en_GB"])
        #expect(texts.map(\.displayName) == ["Map", "Karte", "Mapa", "地图", "Map"])
        #expect(texts.map(\.description) == ["Of Vienna", "Von Wien", "Of Vienna", "Of Vienna", "Of Vienna"])
        #expect(
            draft.remarks == [
                #"the texts of "map" in "Elvish of Rivendell" are left out: that is not a language"#,
                #"the texts of "map" in "xx-rivendell" are left out: that is not a language"#,
            ])
    }

    @Test func `the sample catalogs become StoreKit configurations without findings`() throws {
        for name in ["Voyager.plist", "Club.plist"] {
            let catalog = try CatalogFile(url: Repository.sample(name)).catalog
            let made = try configuration(StoreConfigurationDraft(catalog))

            #expect(made.omissions.isEmpty)
            #expect(
                Set(made.items.map(\.identifier) + made.subscriptions.map(\.item.identifier))
                    == Set(catalog.products.map(\.identifier)))
        }
    }
}

@Suite(.hangLimit) struct PriceListTests {
    @Test(arguments: [
        "product,price\nmap,4.99\n\ncoins , 1\r\n", "\u{FEFF}map,4.99\ncoins,1",
        "Product,Price\n\"map\", \"4.99\"\ncoins,\"1\"", #"{"map": "4.99", "coins": 1}"#,
        PlistText.document(
            "<dict><key>map</key><real>4.99</real><key>coins</key><integer>1</integer></dict>"),
    ])
    func `prices are read from lines, from a property list and from JSON`(text: String) throws {
        let prices = try PriceList(Array(text.utf8))

        #expect(prices["map"] == "4.99")
        #expect(prices["coins"] == "1")
        #expect(prices["globe"] == nil)
    }

    @Test(arguments: [
        ("map,4.99\ncoins,4,99", "2", "a line of a price list is product,price"),
        ("map;4.99", "1", "a line of a price list is product,price"),
        ("map,€4.99", "1", #""€4.99" is not a price like 4.99"#), ("map,", "1", #""" is not a price like 4.99"#),
        ("map,-1", "1", #""-1" is not a price like 4.99"#), ("map,1\nmap,2", "2", #""map" has two prices"#),
        (#"{"map": true}"#, "1:9", "a price must be text or a number, but this is true or false"),
        (#"{"map": }"#, "1:9", #"expected a value, but found "}""#),
    ])
    func `a price list with an error is refused with the position and the reason`(
        text: String, position: String, reason: String
    ) throws {
        let failure = #expect(throws: PriceList.Failure.self) { try PriceList(Array(text.utf8)) }

        #expect(failure?.position == position)
        #expect(failure?.reason == reason)
    }
}
