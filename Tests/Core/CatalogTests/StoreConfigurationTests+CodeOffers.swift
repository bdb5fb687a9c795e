import Foundation
import Testing
import VitrineCatalog

/// Offer codes of products that are not auto-renewable subscriptions.
extension StoreConfigurationTests {
    @Test func `offer codes of a product that is bought once are read from a .storekit file`() throws {
        let configuration = try StoreConfiguration(
            data: Data(
                """
                {"version": {"major": 6, "minor": 0},
                 "products": [
                  {"productID": "coins", "type": "Consumable", "displayPrice": "0.99", "codeOffers": [
                    {"referenceName": "gift", "internalID": "1", "paymentMode": "free", "displayPrice": "0.99"},
                    {"offerID": "half", "referenceName": "Half", "displayPrice": "0.49", "eligibility": ["nonSpender"]},
                    {"internalID": "3", "displayPrice": "0,49"},
                    {"internalID": "4"}]}],
                 "nonRenewingSubscriptions": [
                  {"productID": "pass", "type": "NonRenewingSubscription", "displayPrice": "9.99", "codeOffers": [
                    {"internalID": "5", "paymentMode": "oneTime", "displayPrice": "4.99", "eligibility": ["vip"]}]}]}
                """.utf8))
        let (coins, pass) = (configuration.items[0].codeOffers, configuration.items[1].codeOffers)
        let everybody = Set(StoreConfiguration.CodeOffer.Eligibility.allCases)

        #expect(coins.map(\.identifier) == ["gift", "half"])
        #expect(coins.map(\.price) == [nil, Decimal(string: "0.49")])
        #expect(coins.map(\.eligibility) == [everybody, [.nonSpender]])
        #expect(pass.map(\.identifier) == ["5"])
        #expect(pass.map(\.price) == [Decimal(string: "4.99")])
        #expect(
            configuration.omissions.map(\.description) == [
                #"an offer of "coins" is left out: its price "0,49" is not a number like 4.99"#,
                #"an offer of "coins" is left out: its price "" is not a number like 4.99"#,
                #"the eligibility "vip" of an offer of "pass" is ignored: it is unknown"#,
            ])
        #expect(configuration.unknownKeys.isEmpty)
    }
}
