import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Subscription offers, and the customers' eligibility for them.
extension StoreSubscriptionTests {
    @Test func `an introductory offer applies automatically, once for each subscription group and customer`()
        async throws
    {
        let club = try await ClubStore()
        #expect(try await club.store.isEligibleForIntroductoryOffer(inGroup: "club"))
        let trial = try await club.buy("gold")

        #expect((trial.offerType, trial.offerDiscountType) == (.introductory, .freeTrial))
        #expect((trial.offerIdentifier, trial.offerPeriod) == (nil, "P1W"))
        #expect(trial.price == 0)
        #expect(trial.expiresDate == .at("2026-01-22"))
        #expect(try await !club.store.isEligibleForIntroductoryOffer(inGroup: "club"))
        #expect(try await club.store.isEligibleForIntroductoryOffer(inGroup: "news"))
        try await club.advance(to: "2026-01-22")
        let (_, paid, _) = try await club.status()
        #expect((paid.offerType, paid.price) == (nil, 9_990))
        #expect(paid.expiresDate == .at("2026-02-22"))

        try await club.store.setRenewal(false, of: "gold".club)
        try await club.advance(to: "2026-05-01")
        #expect(try await club.buy("bronze").offerType == nil)
        let other = try club.store.device("phone", of: "Ada")
        #expect(try await club.buy("gold", on: other).offerType == .introductory)
    }

    @Test func `a pay-as-you-go offer applies for its number of periods`() async throws {
        let club = try await ClubStore()
        try await club.buy("bronze")
        try await club.advance(to: "2026-05-15")

        let transactions = try await club.store.transactions()
        #expect(transactions.map(\.offerType) == [.introductory, .introductory, .introductory, nil, nil])
        #expect(transactions.map(\.price) == [990, 990, 990, 2_990, 2_990])
    }

    @Test func `a customer who subscribed without the introductory offer is eligible after the subscription ends`()
        async throws
    {
        let club = try await ClubStore()
        try await club.buy("silver")
        #expect(try await !club.store.isEligibleForIntroductoryOffer(inGroup: "club"))
        try await club.store.setRenewal(false, of: "silver".club)
        try await club.advance(to: "2026-02-15")

        #expect(try await club.store.isEligibleForIntroductoryOffer(inGroup: "club"))
        #expect(try await club.buy("gold").offerType == .introductory)
    }

    /// Apple's [offerPeriod](https://developer.apple.com/documentation/appstoreserverapi/offerperiod) of two months, each
    /// one period, is `P2M`.
    @Test func `the period of an offer is signed as the duration of the whole offer`() async throws {
        let club = try await ClubStore()
        let first = try await club.buy("bronze")
        #expect(first.expiresDate == .at("2026-02-15"))
        #expect(first.offerPeriod == "P3M")
        #expect(try await club.status().renewal.offerPeriod == "P3M")
        try await club.advance(to: "2026-02-15")
        #expect(try await club.status().transaction.offerPeriod == "P3M")

        let options = PurchaseOptions(promotionalOffer: try signed("spring", of: "gold", in: .token))
        let upgraded = try await club.buy("gold", options)
        #expect((upgraded.offerPeriod, upgraded.expiresDate) == ("P3M", .at("2026-05-15")))
    }

    /// Returns the signature of a promotional offer, made with the key of the `.storekit` file.
    private func signed(
        _ offer: String, of product: String, in form: OfferForm, at date: Date = ClubStore.start,
        for transaction: String? = nil
    ) throws -> PromotionalOffer {
        let file = try Data(contentsOf: Repository.file("Catalogs/Club.storekit"))
        let pair = try #require(try StoreConfiguration(data: file).offersKeyPair)
        let key = try OfferKey(pem: pair.pem, identifier: pair.id)
        let nonce = UUID()
        switch form {
        case .signature:
            let timestamp = Int(date.timeIntervalSince1970 * 1_000)
            let payload = PromotionalOfferPayload(
                bundleIdentifier: ClubStore.bundleIdentifier, productIdentifier: product.club, offerIdentifier: offer,
                account: "", nonce: nonce, timestamp: Int64(timestamp))
            let signature = try #require(Data(base64Encoded: key.signature(for: payload)))
            return PromotionalOffer(
                offerID: offer, keyID: pair.id, nonce: nonce, signature: signature, timestamp: timestamp)
        case .token:
            let request = OfferRequest(
                purpose: .promotionalOffer(product: product.club, offer: offer, transaction: transaction),
                bundleIdentifier: ClubStore.bundleIdentifier, issuer: "issuer", nonce: nonce, date: date)
            return PromotionalOffer(offerID: offer, compactJWS: try key.sign(request))
        }
    }

    enum OfferForm: CaseIterable {
        case signature, token
    }

    @Test(arguments: OfferForm.allCases)
    func `a signed promotional offer is available only to customers who have subscribed`(form: OfferForm) async throws {
        let club = try await ClubStore()
        let options = PurchaseOptions(promotionalOffer: try signed("spring", of: "gold", in: form))
        let early = await #expect(throws: StoreError.self) { try await club.buy("gold", options) }
        #expect(early?.code == .invalidOffer)
        try await club.buy("silver")

        let upgraded = try await club.buy("gold", options)
        #expect((upgraded.offerType, upgraded.offerIdentifier) == (.promotional, "spring"))
        #expect((upgraded.offerDiscountType, upgraded.price) == (.payUpFront, 19_990))
        #expect(upgraded.expiresDate == .at("2026-04-15"))
        try await club.advance(to: "2026-04-15")
        #expect(try await club.status().transaction.price == 9_990)
    }

    @Test func `a promotional offer for the current product begins with the next period`() async throws {
        let club = try await ClubStore()
        let trial = try await club.buy("gold")
        let options = PurchaseOptions(promotionalOffer: try signed("spring", of: "gold", in: .token))
        #expect(try await club.buy("gold", options).transactionID == trial.transactionID)
        #expect(try await club.status().renewal.offerIdentifier == "spring")
        try await club.advance(to: "2026-01-22")

        let (_, transaction, _) = try await club.status()
        #expect((transaction.offerType, transaction.offerIdentifier) == (.promotional, "spring"))
    }

    @Test(arguments: OfferForm.allCases)
    func `a promotional offer that is not signed for this purchase is refused`(form: OfferForm) async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        var offers = [
            try signed("autumn", of: "gold", in: form), try signed("spring", of: "silver", in: form),
            PromotionalOffer(
                offerID: "spring", keyID: "OTHER", nonce: UUID(), signature: Data([1]), timestamp: 1_768_435_200_000),
            PromotionalOffer(offerID: "spring", compactJWS: "a.b.c"),
        ]
        if form == .signature {
            offers.append(try signed("spring", of: "gold", in: form, at: ClubStore.start - 90_000))
        }
        for offer in offers {
            let error = await #expect(throws: StoreError.self) {
                try await club.buy("gold", PurchaseOptions(promotionalOffer: offer))
            }
            #expect(error?.code == .invalidOffer)
        }
        #expect(try await club.store.transactions().count == 1)
    }

    /// A server that is tested with a store whose clock was advanced signs by its own clock.
    @Test func `a promotional offer may be dated by the store's clock or by the machine's`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.setRenewal(false, of: "silver".club)
        try await club.advance(to: "2026-04-01")

        let old = try signed("spring", of: "gold", in: .signature, at: .at("2026-03-01"))
        let error = await #expect(throws: StoreError.self) {
            try await club.buy("gold", PurchaseOptions(promotionalOffer: old))
        }
        #expect(error?.code == .invalidOffer)
        for date in [ClubStore.start, .at("2026-04-01")] {
            let offer = try signed("spring", of: "gold", in: .signature, at: date)
            #expect(try await club.buy("gold", PurchaseOptions(promotionalOffer: offer)).offerType == .promotional)
            try await club.store.expire("gold".club)
        }
    }

    /// Apple's [documentation](https://developer.apple.com/documentation/storekit/generating-jws-to-sign-app-store-requests)
    /// calls the identifier that of any transaction that belongs to the customer.
    @Test func `a promotional offer that names a transaction is available to the customer of the transaction alone`()
        async throws
    {
        let club = try await ClubStore()
        let own = try await club.buy("silver").transactionID
        let phone = try club.store.device("phone", of: "Ada")
        let other = try await club.buy("silver", on: phone).transactionID
        for transaction in [other, "unknown"] {
            let offer = try signed("spring", of: "gold", in: .token, for: transaction)
            let error = await #expect(throws: StoreError.self) {
                try await club.buy("gold", PurchaseOptions(promotionalOffer: offer))
            }
            #expect(error?.code == .invalidOffer)
        }
        #expect(try await club.store.transactions().count == 1)

        let offer = try signed("spring", of: "gold", in: .token, for: own)
        #expect(try await club.buy("gold", PurchaseOptions(promotionalOffer: offer)).offerType == .promotional)
    }

    @Test func `a former subscriber is eligible for a win-back offer`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        let options = PurchaseOptions(winBackOffer: "again")
        #expect(try await club.status().renewal.eligibleWinBackOfferIdentifiers == nil)
        await #expect(throws: StoreError.self) { try await club.buy("silver", options) }
        try await club.store.setRenewal(false, of: "silver".club)
        try await club.advance(to: "2026-02-15")

        #expect(try await club.status().renewal.eligibleWinBackOfferIdentifiers == ["again"])
        let error = await #expect(throws: StoreError.self) {
            try await club.buy("silver", PurchaseOptions(winBackOffer: "never"))
        }
        #expect(error?.code == .invalidOffer)
        let back = try await club.buy("silver", options)
        #expect((back.offerType, back.offerIdentifier, back.price) == (.winBack, "again", 990))
        try await club.advance(to: "2026-05-01")
        #expect(try await club.store.transactions().map(\.price) == [4_990, 990, 990, 4_990])
    }

    @Test func `a win-back offer is not available during the grace period and billing retry`() async throws {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(true)
        try await club.buy("silver")
        try await club.store.failBilling("silver".club)
        for date in ["2026-02-16", "2026-03-04"] {
            try await club.advance(to: date)
            #expect(try await club.status().renewal.eligibleWinBackOfferIdentifiers == nil)
        }
    }

    @Test func `a win-back offer is not for a family member who shared the subscription`() async throws {
        let club = try await ClubStore()
        let ada = try club.store.device("phone", of: "Ada")
        for member in [club.store, ada] { try await member.joinFamily("Lovelace") }
        try await club.buy("silver")
        try await club.store.setRenewal(false, of: "silver".club)
        try await club.advance(to: "2026-02-15")

        #expect(try await club.status().renewal.eligibleWinBackOfferIdentifiers == ["again"])
        let (state, _, renewal) = try await club.status(on: ada)
        #expect((state, renewal.eligibleWinBackOfferIdentifiers) == (.expired, nil))
        let error = await #expect(throws: StoreError.self) {
            try await club.buy("silver", PurchaseOptions(winBackOffer: "again"), on: ada)
        }
        #expect(error?.code == .invalidOffer)
    }

    @Test func `an offer code is redeemed outside the app and arrives as an update`() async throws {
        let club = try await ClubStore()
        let updates = club.store.updates()
        try await club.store.redeem("summer", of: "silver".club)

        let update = try await club.payload(try #require(await updates.first { _ in true }))
        #expect((update.offerType, update.offerIdentifier, update.price) == (.offerCode, "summer", 0))
        let error = await #expect(throws: StoreError.self) { try await club.store.redeem("winter", of: "silver".club) }
        #expect(error?.code == .invalidOffer)
    }

    @Test(arguments: [true, false])
    func `an offer code follows the introductory offer if it is stackable, and otherwise takes its place`(
        isStackable: Bool
    ) async throws {
        let week = #"{"internalID": "1", "paymentMode": "free", "subscriptionPeriod": "P1W"}"#
        let club = try await ClubStore { configuration in
            configuration.replacing(
                #""productID": "club.silver","#, with: #""productID": "club.silver", "introductoryOffer": \#(week),"#
            ).replacing(#""isStackable": true"#, with: #""isStackable": \#(isStackable)"#)
        }
        try await club.store.redeem("summer", of: "silver".club)
        let renewal = try await club.status().renewal
        #expect(renewal.offerIdentifier == (isStackable ? "summer" : nil))
        try await club.advance(to: "2026-04-01")

        let transactions = try await club.store.transactions()
        let offers: [OfferType?] = isStackable ? [.introductory, .offerCode, nil, nil] : [.offerCode, nil, nil]
        #expect(transactions.map(\.offerType) == offers)
        #expect(transactions.map(\.price) == offers.map { $0 == nil ? 4_990 : 0 })
        #expect(transactions.last?.expirationDate == Date.at(isStackable ? "2026-04-22" : "2026-04-15"))
    }

    @Test func `a customer redeems an offer code of a subscription once, for the first period or for a later one`()
        async throws
    {
        let club = try await ClubStore { $0.replacing("\"new\",", with: "\"new\", \"existing\",") }
        let ada = try club.store.device("phone", of: "Ada")
        func redeem(_ device: SimulatedStore) async -> String? {
            do {
                try await device.redeem("summer", of: "silver".club)
                return nil
            } catch {
                return error.reason
            }
        }
        let refusal = "the customer has redeemed the offer code summer before"
        // The code is of the first period.
        #expect(await redeem(club.store) == nil)
        #expect(await redeem(club.store) == refusal)
        // The code is of the next period.
        try await club.buy("silver", on: ada)
        #expect(await redeem(ada) == nil)
        #expect(await redeem(ada) == refusal)
        try await club.advance(to: "2026-02-15")
        #expect(try await club.status(on: ada).transaction.offerIdentifier == "summer")

        for device in [club.store, ada] { try await device.setRenewal(false, of: "silver".club) }
        try await club.advance(to: "2026-06-01")
        for device in [club.store, ada] {
            #expect(await redeem(device) == refusal)
            #expect(try await club.status(on: device).state == .expired)
        }
        #expect(try await club.buy("silver").price == 4_990)
    }
}
