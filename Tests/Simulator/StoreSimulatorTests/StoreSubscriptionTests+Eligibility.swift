import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Decisions of an app's server about eligibility for introductory offers.
extension StoreSubscriptionTests {
    /// Returns a decision that is signed with the key of the `.storekit` file.
    private func decision(
        _ isAllowed: Bool, of product: String = "gold", for transaction: String, key identifier: String? = nil
    ) throws -> PurchaseOptions {
        let file = try Data(contentsOf: Repository.file("Catalogs/Club.storekit"))
        let pair = try #require(try StoreConfiguration(data: file).offersKeyPair)
        let request = OfferRequest(
            purpose: .introductoryOffer(product: product.club, isAllowed: isAllowed, transaction: transaction),
            bundleIdentifier: ClubStore.bundleIdentifier, issuer: "issuer", nonce: UUID(), date: ClubStore.start)
        let key = try OfferKey(pem: pair.pem, identifier: identifier ?? pair.id)
        return PurchaseOptions(introductoryOfferEligibility: try key.sign(request))
    }

    private func appTransaction(of store: SimulatedStore) async throws -> String {
        try #require(try await store.customers().first?.appTransactionID)
    }

    @Test func `a decision signed by the app's server grants or denies the introductory offer`() async throws {
        let club = try await ClubStore()
        let identifier = try await appTransaction(of: club.store)
        let denied = try await club.buy("gold", try decision(false, for: identifier))
        #expect((denied.offerType, denied.price) == (nil, 9_990))
        try await club.store.expire("gold".club)
        let trial = try await club.buy("gold")
        #expect(trial.offerType == .introductory)
        try await club.store.expire("gold".club)
        #expect(try await club.buy("gold").offerType == nil)
        try await club.store.expire("gold".club)

        let allowed = try await club.buy("gold", try decision(true, for: trial.transactionID))
        #expect((allowed.offerType, allowed.price) == (.introductory, 0))
    }

    @Test func `an eligibility decision that is not signed for this purchase and customer is refused`() async throws {
        let club = try await ClubStore()
        let identifier = try await appTransaction(of: club.store)
        let phone = try club.store.device("phone", of: "Ada")
        let other = try await club.buy("silver", on: phone).transactionID
        let refused = [
            try decision(true, of: "silver", for: identifier), try decision(true, for: identifier, key: "OTHER"),
            try decision(true, for: other), try decision(true, for: "unknown"),
            PurchaseOptions(introductoryOfferEligibility: "a.b.c"),
        ]
        for options in refused {
            let error = await #expect(throws: StoreError.self) { try await club.buy("gold", options) }
            #expect(error?.code == .invalidOffer)
        }
        #expect(try await club.store.transactions().isEmpty)
    }
}
