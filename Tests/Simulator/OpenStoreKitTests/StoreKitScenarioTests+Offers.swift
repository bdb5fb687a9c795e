import Crypto
import OpenStoreKitTest
import Testing
import VitrineCatalog
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Subscription offers, and the customers' eligibility for them.
extension StoreKitScenarioTests {
    @Test func `an introductory offer applies automatically, once for each subscription group`() async throws {
        let session = try SKTestSession.club()
        #expect(await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "club"))
        let terms = try #require(try await product("club.gold").subscription)
        #expect((terms.introductoryOffer?.paymentMode, terms.introductoryOffer?.period) == (.freeTrial, .weekly))
        let trial = try await buy("club.gold")

        #expect((trial.offer?.type, trial.offer?.paymentMode, trial.offer?.id) == (.introductory, .freeTrial, nil))
        #expect((trial.price, trial.offer?.period) == (0, .weekly))
        #expect(await !Product.SubscriptionInfo.isEligibleForIntroOffer(for: "club"))
        #expect(await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "news"))
        try session.advance(toDay: "2026-01-22")
        let paid = try await status().transaction.payloadValue
        #expect((paid.offer, paid.price) == (nil, Decimal(string: "9.99")))
    }

    @Test func `a pay-as-you-go offer applies for its number of periods`() async throws {
        let session = try SKTestSession.club()
        try await buy("club.bronze")
        try session.advance(toDay: "2026-04-20")
        let all = try await Transaction.all.verified()
        #expect(all.map(\.offer?.type) == [.introductory, .introductory, .introductory, nil])
        #expect(all.map(\.price) == ["0.99", "0.99", "0.99", "2.99"].map { Decimal(string: $0) })
    }

    @Test func `a customer who subscribed without the introductory offer is eligible after the subscription ends`()
        async throws
    {
        let session = try SKTestSession.club()
        try await buy("club.silver")
        #expect(await !Product.SubscriptionInfo.isEligibleForIntroOffer(for: "club"))
        try session.expireSubscription(productIdentifier: "club.silver")
        #expect(await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "club"))
        #expect(try await buy("club.gold").offer?.type == .introductory)
    }

    /// Returns the signature of a promotional offer of club.gold, made with the key of the sample's file.
    private func signed(_ offer: String, _ nonce: UUID = UUID()) throws -> Product.PurchaseOption {
        let file = try Data(contentsOf: Repository.sample("Club.storekit"))
        let pair = try #require(try StoreConfiguration(data: file).offersKeyPair)
        let key = try OfferKey(pem: pair.pem, identifier: pair.id)
        let timestamp = Int(SKTestSession.start.timeIntervalSince1970 * 1_000)
        let payload = PromotionalOfferPayload(
            bundleIdentifier: "com.example.club", productIdentifier: "club.gold", offerIdentifier: offer, account: "",
            nonce: nonce, timestamp: Int64(timestamp))
        let signature = try #require(Data(base64Encoded: try key.signature(for: payload)))
        return .promotionalOffer(
            offerID: offer,
            signature: Product.SubscriptionOffer.Signature(
                keyID: pair.id, nonce: nonce, timestamp: timestamp, signature: signature))
    }

    @Test func `a promotional offer requires a valid signature and a former subscriber`() async throws {
        let session = try SKTestSession.club()
        await #expect(throws: Product.PurchaseError.ineligibleForOffer) { try await buy("club.gold", signed("spring")) }
        try await buy("club.silver")
        try session.expireSubscription(productIdentifier: "club.silver")

        await #expect(throws: Product.PurchaseError.invalidOfferIdentifier) {
            try await buy("club.gold", signed("autumn"))
        }
        let wrong = Product.PurchaseOption.promotionalOffer(
            offerID: "spring",
            signature: Product.SubscriptionOffer.Signature(
                keyID: "unknown", nonce: UUID(), timestamp: 0, signature: Data([1])))
        await #expect(throws: Product.PurchaseError.invalidOfferSignature) { try await buy("club.gold", wrong) }
        let gold = try await buy("club.gold", signed("spring"))
        #expect((gold.offer?.type, gold.offer?.id, gold.offer?.paymentMode) == (.promotional, "spring", .payUpFront))
        #expect(gold.price == Decimal(string: "19.99"))
    }

    @Test func `a test session can redeem a promotional offer without a signature, but an app cannot`() async throws {
        let session = try SKTestSession.club()
        await #expect(throws: Product.PurchaseError.ineligibleForOffer) {
            try await session.buyProduct(identifier: "club.gold", options: [.promotionalOffer(id: "spring")])
        }
        try await buy("club.silver")
        try session.expireSubscription(productIdentifier: "club.silver")
        await #expect(throws: Product.PurchaseError.invalidOfferIdentifier) {
            try await session.buyProduct(identifier: "club.gold", options: [.promotionalOffer(id: "autumn")])
        }
        let gold = try await session.buyProduct(identifier: "club.gold", options: [.promotionalOffer(id: "spring")])
        #expect((gold.offer?.type, gold.offer?.id) == (.promotional, "spring"))
        // Only a test may do without a signature.
        let error = await #expect(throws: StoreKitError.self) {
            try await buy("club.gold", .promotionalOffer(id: "spring"))
        }
        guard case .unsupported? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func `a win-back offer is available only after the subscription has ended`() async throws {
        let session = try SKTestSession.club()
        let offers = try #require(try await product("club.silver").subscription).winBackOffers
        #expect(offers.map(\.id) == ["again", "never"])
        await #expect(throws: Product.PurchaseError.ineligibleForOffer) {
            try await buy("club.silver", .winBackOffer(offers[0]))
        }
        try await buy("club.silver")
        #expect(try await renewal().eligibleWinBackOfferIDs.isEmpty)
        session.shouldEnterBillingRetryOnRenewal = true
        try session.advance(toDay: "2026-02-15")
        #expect(try await renewal().eligibleWinBackOfferIDs.isEmpty)
        try session.advance(toDay: "2026-06-15")

        #expect(try await renewal().eligibleWinBackOfferIDs == ["again"])
        await #expect(throws: Product.PurchaseError.ineligibleForOffer) {
            try await buy("club.silver", .winBackOffer(offers[1]))
        }
        let silver = try await buy("club.silver", .winBackOffer(offers[0]))
        #expect((silver.offer?.type, silver.offer?.id, silver.offer?.paymentMode) == (.winBack, "again", .payAsYouGo))
    }

    @Test func `an offer code is redeemed outside the app and arrives as an update`() async throws {
        let session = try SKTestSession.club()
        var updates = Transaction.updates.makeAsyncIterator()
        try await session.buyProduct(identifier: "club.silver", options: [.codeOffer(referenceName: "summer")])
        let silver = try await updates.verified()
        #expect((silver.offer?.type, silver.offer?.id) == (.code, "summer"))
        await #expect(throws: Product.PurchaseError.invalidOfferIdentifier) {
            try await session.buyProduct(identifier: "club.silver", options: [.codeOffer(referenceName: "winter")])
        }
    }
}
