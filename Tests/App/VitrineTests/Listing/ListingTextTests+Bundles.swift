import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Bundles, and the products that they contain.
extension ListingTextTests {
    private static let guides = guide("lisbon") + guide("porto")
    private static let lisbon = sold("lisbon", "4.99", "$4.99", name: "Lisbon Guide")
    private static let porto = sold("porto", "4.99", "$4.99", name: "Porto Guide")
    private static let both = pack("portugal", of: ["lisbon", "porto"])

    private static func portugal(_ price: String, _ display: String, _ currency: String = "USD") -> StoreProduct {
        sold("portugal", price, display, currency, name: "Portugal")
    }

    // How the guides are listed after the bundle.

    private static let offered = """
        lisbon: Lisbon Guide
          $4.99, offered, not owned
        porto: Porto Guide
          $4.99, offered, not owned
        """

    private static let lisbonBought = """
        lisbon: Lisbon Guide
          $4.99, not offered: the product is owned already, owned by purchase
        porto: Porto Guide
          $4.99, offered, not owned
        """

    private static let ownedWithPortugal = """
        lisbon: Lisbon Guide
          $4.99, not offered: the product is owned already, owned by portugal
        porto: Porto Guide
          $4.99, not offered: the product is owned already, owned by portugal
        """

    @Test(arguments: [
        ListingCase(
            "a saving", both + guides, store: [lisbon, porto, portugal("6.99", "$6.99")],
            is: """
                portugal: Portugal
                  $6.99, offered, not owned
                  contains Lisbon Guide $4.99, Porto Guide $4.99
                  one by one $9.98, of them missing $9.98
                  saves $2.99 (30%)
                \(offered)
                """),
        ListingCase(
            "no saving", both + guides, store: [lisbon, porto, portugal("9.98", "$9.98")],
            is: """
                portugal: Portugal
                  $9.98, offered, not owned
                  contains Lisbon Guide $4.99, Porto Guide $4.99
                  one by one $9.98, of them missing $9.98
                \(offered)
                """),
        ListingCase(
            "dearer", both + guides, store: [lisbon, porto, portugal("12.99", "$12.99")],
            is: """
                portugal: Portugal
                  $12.99, offered, not owned
                  contains Lisbon Guide $4.99, Porto Guide $4.99
                  one by one $9.98, of them missing $9.98
                \(offered)
                """),
        ListingCase(
            "one of it is owned", both + guides, store: [lisbon, porto, portugal("2.99", "$2.99")],
            owned: [.bought("lisbon", transaction: "1")],
            is: """
                portugal: Portugal
                  $2.99, offered, not owned
                  contains Lisbon Guide $4.99 (owned), Porto Guide $4.99
                  one by one $9.98, of them missing $4.99
                  saves $2.00 (40%)
                \(lisbonBought)
                """),
        ListingCase(
            "one of it is owned, and the rest is cheaper alone", both + guides,
            store: [lisbon, porto, portugal("6.99", "$6.99")], owned: [.bought("lisbon", transaction: "1")],
            is: """
                portugal: Portugal
                  $6.99, offered, not owned
                  contains Lisbon Guide $4.99 (owned), Porto Guide $4.99
                  one by one $9.98, of them missing $4.99
                \(lisbonBought)
                """),
        ListingCase(
            "the bundle is owned", both + guides, store: [lisbon, porto, portugal("6.99", "$6.99")],
            owned: [.bought("portugal", transaction: "1")],
            is: """
                portugal: Portugal
                  $6.99, not offered: the product is owned already, owned by purchase
                  contains Lisbon Guide $4.99 (owned), Porto Guide $4.99 (owned)
                  one by one $9.98, of them missing $0.00
                \(ownedWithPortugal)
                """),
        ListingCase(
            "the price of one is not known", both + guides, store: [lisbon, portugal("6.99", "$6.99")],
            is: """
                portugal: Portugal
                  $6.99, offered, not owned
                  contains Lisbon Guide $4.99, porto no price
                lisbon: Lisbon Guide
                  $4.99, offered, not owned
                porto: porto
                  no price, not offered: the store does not know the product, not owned
                """),
        ListingCase(
            "euros", both + guides,
            store: [
                sold("lisbon", "4.99", "4,99 €", "EUR", name: "Lissabon"),
                sold("porto", "4.99", "4,99 €", "EUR", name: "Porto"), portugal("6.99", "6,99 €", "EUR"),
            ], languages: ["de-DE"], storefront: "DEU",
            is: """
                portugal: Portugal
                  6,99 €, offered, not owned
                  contains Lissabon 4,99 €, Porto 4,99 €
                  one by one 9,98 €, of them missing 9,98 €
                  saves 2,99 € (30 %)
                lisbon: Lissabon
                  4,99 €, offered, not owned
                porto: Porto
                  4,99 €, offered, not owned
                """),
        ListingCase(
            "other currencies", both + guides,
            store: [lisbon, sold("porto", "4.99", "4,99 €", "EUR", name: "Porto"), portugal("6.99", "$6.99")],
            is: """
                portugal: Portugal
                  $6.99, offered, not owned
                  contains Lisbon Guide $4.99, Porto 4,99 €
                lisbon: Lisbon Guide
                  $4.99, offered, not owned
                porto: Porto
                  4,99 €, offered, not owned
                """),
        ListingCase(
            "yen for a bundle", both + guides,
            store: [
                sold("lisbon", "600", "¥600", "JPY", name: "Lisbon"),
                sold("porto", "600", "¥600", "JPY", name: "Porto"), portugal("900", "¥900", "JPY"),
            ], storefront: "JPN",
            is: """
                portugal: Portugal
                  ¥900, offered, not owned
                  contains Lisbon ¥600, Porto ¥600
                  one by one ¥1,200, of them missing ¥1,200
                  saves ¥300 (25%)
                lisbon: Lisbon
                  ¥600, offered, not owned
                porto: Porto
                  ¥600, offered, not owned
                """),
        ListingCase(
            "a bundle of bundles", pack("iberia", of: ["portugal", "madrid"]) + both + guides + guide("madrid"),
            store: [
                lisbon, porto, portugal("6.99", "$6.99"), sold("madrid", "4.99", "$4.99", name: "Madrid"),
                sold("iberia", "9.99", "$9.99", name: "Iberia"),
            ], owned: [.bought("portugal", transaction: "1")],
            is: """
                iberia: Iberia
                  $9.99, offered, not owned
                  contains Portugal $6.99 (owned), Madrid $4.99
                  one by one $11.98, of them missing $4.99
                portugal: Portugal
                  $6.99, not offered: the product is owned already, owned by purchase
                  contains Lisbon Guide $4.99 (owned), Porto Guide $4.99 (owned)
                  one by one $9.98, of them missing $0.00
                \(ownedWithPortugal)
                madrid: Madrid
                  $4.99, offered, not owned
                """),
    ])
    func `a bundle is listed with its contents, their total price and the saving`(_ test: ListingCase) throws {
        try check(test)
    }

    /// Bundle for $5.99 with another bundle and Rome, and what it shows of the prices.
    struct NestedBundle: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Price of the bundle in it; `nil` if the store does not know it.
        var iberia: String? = "6.99"
        var owned: [String] = []
        var children = ["iberia", "rome"]
        /// Products in the other bundle.
        var inIberia = ["lisbon", "porto"]
        /// Price of all products in the bundle, of those that are missing, and the saving; "-" for none.
        let prices: [String]

        func listings() throws -> [ProductListing] {
            let store = [
                sold("all", "5.99", "$5.99"), sold("lisbon", "4.99", "$4.99"), sold("porto", "4.99", "$4.99"),
                sold("rome", "4.99", "$4.99"),
            ]
            return try ListingCase(
                testDescription,
                pack("all", of: children) + pack("iberia", of: inIberia)
                    + ["lisbon", "porto", "rome", "unsold"].map { guide($0) }.joined(),
                store: store + (iberia.map { [sold("iberia", $0, "$\($0)")] } ?? []),
                owned: owned.enumerated().map { .bought($1, transaction: "\($0 + 1)") }, is: ""
            ).listings()
        }
    }

    @Test(arguments: [
        NestedBundle(testDescription: "nothing is owned", prices: ["11.98", "11.98", "5.99"]),
        NestedBundle(
            testDescription: "all of the bundle in it is owned", owned: ["lisbon", "porto"],
            prices: ["11.98", "4.99", "-"]),
        NestedBundle(
            testDescription: "a part of the bundle in it is owned", owned: ["lisbon"],
            prices: ["11.98", "9.98", "3.99"]),
        NestedBundle(
            testDescription: "all but the bundle in it is owned", owned: ["rome"], prices: ["11.98", "6.99", "1"]),
        NestedBundle(
            testDescription: "all is owned", owned: ["lisbon", "porto", "rome"], prices: ["11.98", "0", "-"]),
        NestedBundle(
            testDescription: "the bundle in it is dearer than its products", iberia: "12.99",
            prices: ["17.98", "14.97", "8.98"]),
        NestedBundle(
            testDescription: "the bundle in it is not sold", iberia: nil, owned: ["lisbon"],
            prices: ["-", "9.98", "3.99"]),
        NestedBundle(
            testDescription: "the bundle in it has a product that is not sold alone", owned: ["lisbon"],
            inIberia: ["lisbon", "unsold"], prices: ["11.98", "11.98", "5.99"]),
        NestedBundle(
            testDescription: "a product is in it and in the bundle in it", children: ["iberia", "lisbon", "rome"],
            prices: ["-", "-", "-"]),
        NestedBundle(
            testDescription: "a product that is in it twice is owned", owned: ["lisbon"],
            children: ["iberia", "lisbon", "rome"], prices: ["-", "-", "-"]),
    ])
    func `the saving of a bundle is computed against the lowest price of what the customer lacks of it`(
        _ test: NestedBundle
    ) throws {
        let bundle = try #require(try test.listings().first?.bundle)
        #expect(
            [bundle.separatePrice, bundle.remainingPrice, bundle.saving]
                == test.prices.map { $0 == "-" ? nil : Decimal(string: $0) })
        #expect((bundle.displaySavedPercentage == nil) == (bundle.saving == nil))
    }

    @Test(arguments: [
        (NestedBundle(testDescription: "cheaper alone", owned: ["lisbon"], prices: []), false),
        (NestedBundle(testDescription: "dearer alone", iberia: "3.99", owned: ["lisbon"], prices: []), true),
    ])
    func `a bundle is another listing after a purchase of a product in the bundle in it if its saving changes`(
        _ test: NestedBundle, isSame: Bool
    ) throws {
        var before = test
        before.owned = []
        #expect(try (test.listings().first == before.listings().first) == isSame)
        #expect(try test.listings()[1] != before.listings()[1])
    }
}
