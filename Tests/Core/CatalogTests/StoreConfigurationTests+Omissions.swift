import Foundation
import Testing
import VitrineCatalog
import VitrineTestSupport

extension StoreConfigurationTests {
    struct Omitted: Sendable, CustomTestStringConvertible {
        let id: String
        /// JSON of the product or the offer.
        let json: String
        let reason: String
        var testDescription: String { id }
    }

    /// A configuration with the products `a` and `z` and the subscriptions `month` and `year`, and with more products
    /// and subscriptions between them, offers of `year`, and keys if they are given.
    private static func configuration(
        products: [String] = [], subscriptions: [String] = [], offers: String = "", keys: String = ""
    ) throws -> StoreConfiguration {
        let products =
            [#"{"productID": "a", "type": "Consumable", "displayPrice": "0.99"}"#] + products
            + [#"{"productID": "z", "type": "NonConsumable", "displayPrice": "1.99"}"#]
        let subscriptions =
            [subscription("month", period: "P1M")] + subscriptions
            + [subscription("year", period: "P1Y", more: offers)]
        return try StoreConfiguration(
            data: Data(
                """
                {"version": {"major": 5, "minor": 0}, "products": [\(products.joined(separator: ","))],
                 "subscriptionGroups": [{"id": "7", "name": "Club",
                    "subscriptions": [\(subscriptions.joined(separator: ","))]}]\(keys)}
                """.utf8))
    }

    private static func subscription(_ identifier: String, period: String, more: String = "") -> String {
        """
        {"productID": "\(identifier)", "type": "RecurringSubscription", "displayPrice": "2.99",
         "recurringSubscriptionPeriod": "\(period)"\(more)}
        """
    }

    @Test(arguments: [
        Omitted(
            id: "unknown type", json: #"{"productID": "b", "type": "Loan"}"#,
            reason: #"the product "b" is left out: its type "Loan" is unknown"#),
        Omitted(
            id: "no type", json: #"{"productID": "b"}"#,
            reason: #"the product "b" is left out: it has no type"#),
        Omitted(
            id: "price with a comma", json: #"{"productID": "b", "type": "Consumable", "displayPrice": "4,99"}"#,
            reason: #"the product "b" is left out: its price "4,99" is not a number like 4.99"#),
        Omitted(
            id: "no identifier", json: #"{"type": "Consumable", "displayPrice": "4.99"}"#,
            reason: "products[1] is left out: it has no productID"),
        Omitted(
            id: "empty identifier", json: #"{"productID": "", "type": "Consumable", "displayPrice": "4.99"}"#,
            reason: "products[1] is left out: it has no productID"),
        Omitted(
            id: "subscription without a group", json: subscription("b", period: "P1M"),
            reason: #"the product "b" is left out: it is not in a subscription group"#),
    ])
    func `an invalid product of a .storekit file is omitted, and the valid products remain`(
        product: Omitted
    ) throws {
        let configuration = try Self.configuration(products: [product.json])

        #expect(configuration.items.map(\.identifier) == ["a", "z"])
        #expect(configuration.items.first?.kind == .consumable)
        #expect(configuration.omissions.map(\.description) == [product.reason])
        #expect(configuration.omissions.map(\.kind) == [.product])
        let drift = StoreDrift.diagnostics(of: Catalog(identifiers: ["a"]), against: configuration)
        #expect(drift.contains { $0.message == "the .storekit file: \(product.reason)" })
    }

    @Test(arguments: [
        Omitted(
            id: "no period",
            json: #"{"productID": "b", "type": "RecurringSubscription", "displayPrice": "2.99"}"#,
            reason: #"the product "b" is left out: it has no recurringSubscriptionPeriod"#),
        Omitted(
            id: "period of zero", json: subscription("b", period: "P0M"),
            reason: #"the product "b" is left out: its recurringSubscriptionPeriod "P0M" is not a period like P1M"#),
        Omitted(
            id: "other type", json: #"{"productID": "b", "type": "Consumable", "displayPrice": "2.99"}"#,
            reason: #"the product "b" is left out: it is in a subscription group but is not a RecurringSubscription"#),
        Omitted(
            id: "monthly payment",
            json: subscription(
                "b", period: "P1Y",
                more: """
                    , "billingPlans": [{"billingPlanType": "BILLED_UPFRONT", "isEnabled": true},
                      {"billingPlanType": "MONTHLY", "displayPrice": "1.99", "isEnabled": true}]
                    """),
            reason: #"the product "b" is left out: its billing plan "MONTHLY" is not supported"#),
    ])
    func `an invalid or unsupported subscription of a .storekit file is omitted, and the others remain`(
        product: Omitted
    ) throws {
        let configuration = try Self.configuration(subscriptions: [product.json])

        #expect(configuration.subscriptions.map(\.item.identifier) == ["month", "year"])
        #expect(configuration.omissions.map(\.description) == [product.reason])
        #expect(configuration.omissions.map(\.kind) == [.product])
    }

    @Test(arguments: [
        Omitted(
            id: "a misspelled key", json: #""product": [{"productID": "b", "type": "Consumable"}]"#,
            reason: #"it is under the unknown key "product"; did you mean "products"?"#),
        Omitted(
            id: "a key of a later version", json: #""passes": {"winter": [{"productID": "b"}]}"#,
            reason: #"it is under the unknown key "passes""#),
    ])
    func `products under an unknown key of a .storekit file are reported as left out`(test: Omitted) throws {
        let configuration = try Self.configuration(keys: ", \(test.json)")

        #expect(
            configuration.omissions.map(\.description) == [#"the product "b" is left out: \#(test.reason)"#])
        #expect(configuration.omissions.map(\.kind) == [.product])
    }

    @Test func `subscriptions under an unknown key of a group are reported as left out`() throws {
        let configuration = try StoreConfiguration(
            data: Data(
                """
                {"version": {"major": 5, "minor": 0}, "subscriptionGroups": [{"id": "7", "name": "Club",
                    "subscription": [\(Self.subscription("month", period: "P1M"))]}]}
                """.utf8))

        #expect(
            configuration.omissions.map(\.description) == [
                #"the product "month" is left out: it is under the unknown key "subscription"; "#
                    + #"did you mean "subscriptions"?"#
            ])
    }

    @Test func `products of a .storekit file with the same identifier are all omitted, and the others remain`() throws {
        let configuration = try Self.configuration(
            products: [#"{"productID": "a", "type": "NonConsumable", "displayPrice": "4.99"}"#],
            subscriptions: [Self.subscription("a", period: "P1M")])

        #expect(configuration.items.map(\.identifier) == ["z"])
        #expect(configuration.subscriptions.map(\.item.identifier) == ["month", "year"])
        #expect(
            configuration.omissions.map(\.description)
                == ["products[0]", "products[1]", "subscriptionGroups[0].subscriptions[1]"].map {
                    #"\#($0) is left out: it has the productID "a" of another product"#
                })
        #expect(configuration.omissions.allSatisfy { $0.kind == .product })
    }

    @Test func `a subscription that is billed upfront is read, and its offers with monthly billing are omitted`() throws
    {
        let plans = """
            , "billingPlans": [{"billingPlanType": "BILLED_UPFRONT", "displayPrice": "9.99", "isEnabled": true},
              {"billingPlanType": "MONTHLY", "displayPrice": "1.99", "isEnabled": false}],
            "adHocOffers": [
              {"offerID": "o", "paymentMode": "free", "subscriptionPeriod": "P1M", "billingPlanType": "BILLED_UPFRONT"},
              {"offerID": "p", "paymentMode": "free", "subscriptionPeriod": "P1M", "billingPlanType": "MONTHLY"}]
            """
        let configuration = try Self.configuration(offers: plans)

        #expect(configuration.subscriptions.last?.offers.map(\.identifier) == ["o"])
        #expect(
            configuration.omissions.map(\.description) == [
                #"an offer of "year" is left out: its billing plan "MONTHLY" is not supported"#
            ])
    }

    @Test func `subscription bundles and suites of a .storekit file are omitted, and the subscriptions in them remain`()
        throws
    {
        let configuration = try Self.configuration(
            keys: """
                , "subscriptionBundleGroups": [{"id": "8", "name": "Bundles", "subscriptionBundles": [
                    {"productID": "both", "subscriptions": [{"productID": "month"}, {"productID": "year"}]},
                    {"productID": "other"}]}, {"id": "9", "subscriptions": [{"productID": "month"}]}],
                "subscriptionSuiteGroups": [{"id": "10"}]
                """)

        #expect(
            configuration.omissions.map(\.description) == [
                #"the product "both" is left out: subscription bundles are not supported"#,
                #"the product "other" is left out: subscription bundles are not supported"#,
                "subscriptionSuiteGroups[0] is left out: subscription suites are not supported",
            ])
        #expect(configuration.omissions.allSatisfy { $0.kind == .product })
        #expect(configuration.subscriptions.map(\.item.identifier) == ["month", "year"])
        #expect(configuration.unknownKeys.isEmpty)
    }

    @Test(arguments: [
        Omitted(
            id: "unknown payment mode", json: #"{"paymentMode": "barter", "subscriptionPeriod": "P1M"}"#,
            reason: #"its paymentMode "barter" is unknown"#),
        Omitted(
            id: "no period", json: #"{"paymentMode": "free"}"#,
            reason: "it has no subscriptionPeriod"),
        Omitted(
            id: "period of zero", json: #"{"paymentMode": "free", "subscriptionPeriod": "P0D"}"#,
            reason: #"its subscriptionPeriod "P0D" is not a period like P1M"#),
        Omitted(
            id: "no periods", json: #"{"paymentMode": "free", "subscriptionPeriod": "P1M", "numberOfPeriods": 0}"#,
            reason: "its numberOfPeriods 0 is too small or too large"),
        Omitted(
            id: "too many periods",
            json: #"{"paymentMode": "free", "subscriptionPeriod": "P2M", "numberOfPeriods": 5000}"#,
            reason: "its numberOfPeriods 5000 is too small or too large"),
        Omitted(
            id: "most periods of all",
            json: #"{"paymentMode": "free", "subscriptionPeriod": "P2M", "numberOfPeriods": 9223372036854775807}"#,
            reason: "its numberOfPeriods 9223372036854775807 is too small or too large"),
        Omitted(
            id: "no price", json: #"{"paymentMode": "payUpFront", "subscriptionPeriod": "P1M"}"#,
            reason: #"its price "" is not a number like 4.99"#),
        Omitted(
            id: "negative price",
            json: #"{"paymentMode": "payAsYouGo", "subscriptionPeriod": "P1M", "displayPrice": "-1"}"#,
            reason: #"its price "-1" is not a number like 4.99"#),
    ])
    func `an invalid offer of a .storekit file is omitted, and its subscription remains`(offer: Omitted) throws {
        let good = #"{"offerID": "p", "paymentMode": "free", "subscriptionPeriod": "P1M"}"#
        let configuration = try Self.configuration(offers: #", "adHocOffers": [\#(offer.json), \#(good)]"#)

        #expect(configuration.subscriptions.map(\.item.identifier) == ["month", "year"])
        #expect(configuration.subscriptions.last?.offers.map(\.identifier) == ["p"])
        #expect(
            configuration.omissions.map(\.description) == [#"an offer of "year" is left out: \#(offer.reason)"#])
        #expect(configuration.omissions.map(\.kind) == [.offer])
    }

    @Test func `only the first introductory offer of a subscription is read from a .storekit file`() throws {
        let configuration = try Self.configuration(
            offers: """
                , "introductoryOffers": [
                  {"internalID": "A", "paymentMode": "free", "subscriptionPeriod": "P1W"},
                  {"internalID": "B", "paymentMode": "free", "subscriptionPeriod": "P2W"}]
                """)

        #expect(configuration.subscriptions.last?.offers.map(\.identifier) == ["A"])
        #expect(
            configuration.omissions.map(\.description) == [
                #"an offer of "year" is left out: a subscription has only one introductory offer"#
            ])
    }

    @Test func `a product without a price is read from a .storekit file but not sold, and is reported once`() throws {
        let configuration = try Self.configuration(products: [#"{"productID": "b", "type": "Consumable"}"#])

        #expect(configuration.items.map(\.identifier) == ["a", "b", "z"])
        #expect(
            configuration.omissions.map(\.description) == [#"the product "b" is not sold: it has no displayPrice"#])
        #expect(configuration.omissions.map(\.kind) == [.price])
        let drift = StoreDrift.diagnostics(of: Catalog(identifiers: ["b"]), against: configuration)
        let warnings = drift.filter { $0.severity == .warning }
        #expect(warnings.filter { $0.message.contains("sold") && $0.message.contains(#""b""#) }.count == 1)
    }

    @Test(arguments: [
        Omitted(
            id: "text in place of a flag",
            json: #"{"productID": "b", "type": "Consumable", "displayPrice": "1", "familyShareable": "yes"}"#,
            reason: "products[1].familyShareable is ignored: it is not true or false"),
        Omitted(
            id: "list in place of a text",
            json: #"{"productID": "b", "type": "Consumable", "displayPrice": "1", "referenceName": ["b"]}"#,
            reason: "products[1].referenceName is ignored: it is not text"),
        Omitted(
            id: "text in place of a list",
            json: #"{"productID": "b", "type": "Consumable", "displayPrice": "1", "localizations": "en"}"#,
            reason: "products[1].localizations is ignored: it is not a list"),
        Omitted(
            id: "text in place of an object",
            json: #"{"productID": "b", "type": "Consumable", "displayPrice": "1", "localizations": ["en"]}"#,
            reason: "products[1].localizations[0] is ignored: it is not an object"),
        Omitted(
            id: "texts without a locale",
            json: #"{"productID": "b", "type": "Consumable", "displayPrice": "1", "localizations": [{}]}"#,
            reason: "products[1].localizations[0] is ignored: it has no locale"),
    ])
    func `an optional value of the wrong type in a .storekit file is ignored and reported`(product: Omitted) throws {
        let configuration = try Self.configuration(products: [product.json])

        #expect(configuration.items.map(\.identifier) == ["a", "b", "z"])
        #expect(configuration.omissions.map(\.description) == [product.reason])
        #expect(configuration.omissions.map(\.kind) == [.value])
    }

    @Test func `at most 1000 omitted products of a .storekit file are reported`() throws {
        let products = Array(repeating: #"{"type": "Consumable"}"#, count: 2_000)
        let configuration = try Self.configuration(products: products)

        #expect(configuration.omissions.count == 1_000)
        #expect(configuration.items.map(\.identifier) == ["a", "z"])
    }
}
