import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Subscriptions in the store's product list, and the transactions of their purchase.
extension StoreSubscriptionTests {
    private func products(_ store: SimulatedStore) async throws -> [String: StoreProduct] {
        let identifiers = ["gold", "silver", "silver.year", "bronze", "week", "news", "map", "coins", "pass"].map(
            \.club)
        return Dictionary(
            uniqueKeysWithValues: try await store.products(for: identifiers).map { ($0.identifier, $0) })
    }

    private func terms(
        of product: String, in store: SimulatedStore
    ) async throws -> StoreProduct.Subscription {
        try #require(try await products(store)[product.club]?.subscription)
    }

    @Test(arguments: [
        ("zh_CN", "Hans"), ("zh-Hans_CN", "Hans"), ("zh_TW", "Hant"), ("pt_BR", "Brazil"), ("pt_AO", "Portugal"),
    ])
    func `a customer reads the texts of a store in the nearest of several forms of the language`(
        locale: String, name: String
    ) async throws {
        let texts = [("zh-Hant", "Hant"), ("zh-Hans", "Hans"), ("pt-PT", "Portugal"), ("pt-BR", "Brazil")]
        let localizations = texts.map {
            #"{"locale": "\#($0.0)", "displayName": "\#($0.1)", "description": ""}"#
        }
        let club = try await ClubStore {
            $0.replacing(#""name": "Club","#, with: #""name": "Club", "unused": 0,"#)
                .replacing(
                    #""localizations": [],"#, with: #""localizations": [\#(localizations.joined(separator: ","))],"#
                )
                .replacing(#""_locale": "en_US""#, with: #""_locale": "\#(locale)""#)
        }
        let gold = try #require(try await products(club.store)["gold".club]?.subscription)
        #expect(gold.groupName == name)
    }

    @Test func `a subscription product has its period, group, level, family sharing and offers`() async throws {
        let club = try await ClubStore {
            $0.replacing(#""name": "Club","#, with: #""name": "Club", "unused": 0,"#)
                .replacing(
                    #""localizations": [],"#,
                    with: #"""
                        "localizations": [
                            {"locale": "de", "displayName": "Klub", "description": ""},
                            {"locale": "en_US", "displayName": "The Club", "description": ""}],
                        """#)
        }
        let products = try await products(club.store)
        let month = try #require(RenewalPeriod(iso8601: "P1M"))

        let gold = try #require(products["gold".club]?.subscription)
        #expect((gold.groupID, gold.groupName, gold.level) == ("club", "The Club", 1))
        #expect(gold.period == month)
        let trial = try #require(gold.introductoryOffer)
        #expect((trial.kind, trial.identifier, trial.paymentMode) == (.introductory, nil, .free))
        #expect(
            (trial.period.description, trial.periodCount, trial.price, trial.displayPrice) == ("P1W", 1, 0, "$0.00"))
        #expect(gold.promotionalOffers.map(\.identifier) == ["spring"])
        #expect(gold.promotionalOffers.map(\.displayPrice) == ["$19.99"])
        #expect(gold.promotionalOffers.map(\.periodCount) == [3])

        let silver = try #require(products["silver".club]?.subscription)
        #expect(silver.introductoryOffer == nil)
        #expect(silver.winBackOffers.map(\.identifier) == ["again", "never"])
        #expect(silver.winBackOffers.map(\.price) == [Decimal(string: "0.99"), 0])
        #expect(products["silver.year".club]?.subscription?.period.description == "P1Y")
        #expect(products["bronze".club]?.subscription?.introductoryOffer?.paymentMode == .payAsYouGo)
        #expect(
            products.filter { !$0.value.isFamilyShareable }.keys.sorted() == ["club.week", "coins", "pass"])
        #expect(products.filter { $0.value.subscription == nil }.keys.sorted() == ["coins", "map", "pass"])
    }

    @Test func `the store reports the offers a customer is eligible for before, during and after a subscription`()
        async throws
    {
        let club = try await ClubStore()
        func eligibility(_ product: String) async throws -> String {
            let terms = try await terms(of: product, in: club.store)
            return
                "\(terms.isEligibleForIntroductoryOffer.map(String.init) ?? "unknown") \(terms.eligibleWinBackOffers)"
        }
        #expect(try await eligibility("gold") == "true []")
        try await club.buy("silver")
        #expect(try await eligibility("gold") == "false []")
        #expect(try await eligibility("silver") == "false []")
        #expect(try await eligibility("news") == "true []")

        try await club.store.setRenewal(false, of: "silver".club)
        try await club.advance(to: "2026-02-15")
        #expect(try await eligibility("gold") == "true []")
        #expect(try await eligibility("silver") == #"true ["again"]"#)
        try await club.buy("gold")
        try await club.store.expire("gold".club)
        #expect(try await eligibility("bronze") == "false []")
        #expect(try await eligibility("silver") == #"false ["again"]"#)

        let other = try club.store.device("phone", of: "Ada")
        #expect(try await terms(of: "gold", in: other).isEligibleForIntroductoryOffer == true)
    }
}
