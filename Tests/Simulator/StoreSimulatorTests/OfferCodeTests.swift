import Foundation
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Offer codes of consumables, non-consumables and non-renewing subscriptions.
@Suite(.hangLimit) struct OfferCodeTests {
    private static let codes = [
        #""internalID": "c","#: """
        {"referenceName": "gift", "paymentMode": "free"}, {"referenceName": "half", "displayPrice": "0.49"},
        {"referenceName": "first", "displayPrice": "0.10", "eligibility": ["nonSpender"]},
        {"referenceName": "loyal", "displayPrice": "0.20", "eligibility": ["activeSpender", "churnedSpender"]}
        """,
        #""internalID": "m","#: #"{"referenceName": "atlas", "displayPrice": "1.99"}"#,
        #""internalID": "p","#: #"{"offerID": "week", "referenceName": "Week", "paymentMode": "free"}"#,
    ]

    private func makeClub() async throws -> ClubStore {
        try await ClubStore { text in
            Self.codes.reduce(text) { $0.replacing($1.key, with: "\($1.key) \"codeOffers\": [\($1.value)],") }
        }
    }

    struct Redemption: Sendable, CustomTestStringConvertible {
        let code: String
        let product: String
        let price: Int
        /// Products that the customer has bought before.
        var bought: [String] = []
        var testDescription: String { "\(code) of \(product)" }
    }

    @Test(
        arguments: [
            Redemption(code: "gift", product: "coins", price: 0),
            Redemption(code: "half", product: "coins", price: 490, bought: ["coins", "map"]),
            Redemption(code: "first", product: "coins", price: 100),
            Redemption(code: "loyal", product: "coins", price: 200, bought: ["pass"]),
            Redemption(code: "atlas", product: "map", price: 1_990),
            Redemption(code: "week", product: "pass", price: 0, bought: ["pass"]),
        ])
    func `a redeemed offer code is a purchase at the price of the offer, which arrives as an update`(
        redemption: Redemption
    ) async throws {
        let club = try await makeClub()
        for product in redemption.bought { try await club.buy(product) }
        _ = try await club.unfinished()
        let updates = club.store.updates()
        try await club.store.redeem(redemption.code, of: redemption.product)

        let update = try await club.payload(try #require(await updates.first { _ in true }))
        #expect(update.productIdentifier == redemption.product)
        #expect((update.offerType, update.offerIdentifier) == (.offerCode, redemption.code))
        #expect((update.offerDiscountType, update.offerPeriod) == (.oneTime, nil))
        #expect((update.price, update.quantity, update.reason) == (redemption.price, 1, .purchase))
        #expect(try await club.unfinished().map(\.transactionID) == [update.transactionID])
        #expect(try await club.store.timeline().suffix(2).map(\.kind) == [.redeemed, .purchased])
        #expect(try await club.store.transactions().last?.offerIdentifier == redemption.code)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: String
        let product: String
        let reason: String
        /// Changes the store before the code is refused.
        var prepare: @Sendable (ClubStore) async throws -> Void = { _ in }
    }

    static let refusals = [
        Refusal(
            testDescription: "unknown code", code: "winter", product: "coins",
            reason: "the store has no offer code winter for coins"),
        Refusal(
            testDescription: "code of another product", code: "atlas", product: "coins",
            reason: "the store has no offer code atlas for coins"),
        Refusal(
            testDescription: "customer who has bought something", code: "first", product: "coins",
            reason: "the customer is not eligible for the offer code first"
        ) { try await $0.buy("map") },
        Refusal(
            testDescription: "customer who has bought nothing", code: "loyal", product: "coins",
            reason: "the customer is not eligible for the offer code loyal"),
        Refusal(
            testDescription: "code that was redeemed before", code: "gift", product: "coins",
            reason: "the customer has redeemed the offer code gift before"
        ) { try await $0.store.redeem("gift", of: "coins") },
        Refusal(
            testDescription: "non-consumable that the customer has", code: "atlas", product: "map",
            reason: "the customer already has map"
        ) { try await $0.buy("map") },
        Refusal(
            testDescription: "withdrawn product", code: "gift", product: "coins",
            reason: "the store does not sell coins"
        ) { try await $0.store.withdraw("coins") },
    ]

    @Test(arguments: refusals)
    func `an offer code that the customer may not redeem is refused, and nothing is bought`(_ refusal: Refusal)
        async throws
    {
        let club = try await makeClub()
        try await refusal.prepare(club)
        let before = try await club.store.transactions().count

        let error = await #expect(throws: StoreError.self) {
            try await club.store.redeem(refusal.code, of: refusal.product)
        }
        #expect(error?.reason == refusal.reason)
        #expect(try await club.store.transactions().count == before)
    }

    @Test func `a consumable from an offer code is received only on the device that has redeemed the code`()
        async throws
    {
        let club = try await makeClub()
        let tablet = try club.store.device("tablet", of: "default")
        _ = try await club.unfinished(on: tablet)
        try await club.store.redeem("gift", of: "coins")
        try await club.store.redeem("atlas", of: "map")

        #expect(try await club.unfinished().map(\.productIdentifier) == ["coins", "map"])
        #expect(try await club.unfinished(on: tablet).map(\.productIdentifier) == ["map"])
    }

    @Test func `an offer code can be redeemed by another customer too`() async throws {
        let club = try await makeClub()
        for name in ["default", "Ada"] {
            try await club.store.device("phone", of: name).redeem("gift", of: "coins")
        }
        #expect(try await club.store.device("phone", of: "Ada").transactions().map(\.price) == [0])
    }
}
