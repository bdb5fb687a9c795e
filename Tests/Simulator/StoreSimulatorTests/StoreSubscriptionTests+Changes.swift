import Foundation
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Changes of plan and price that coincide with each other, with failed renewals, or with the end of a subscription.
extension StoreSubscriptionTests {
    @Test func `buying the current plan in the grace period cancels a pending change of plan`() async throws {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(true)
        try await club.buy("silver")
        try await club.buy("bronze")
        try await club.store.failBilling("silver".club)
        try await club.advance(to: "2026-02-20")
        let recovered = try await club.buy("silver")

        #expect(recovered.productIdentifier == "silver".club)
        #expect((recovered.reason, recovered.price) == (.renewal, 4_990))
        #expect(recovered.purchaseDate == .at("2026-02-15"))
        let (state, _, renewal) = try await club.status()
        #expect(state == .active)
        #expect((renewal.autoRenewStatus, renewal.autoRenewProductIdentifier) == (.on, "silver".club))
    }

    @Test func `an introductory offer ends when the customer changes to another plan`() async throws {
        let club = try await ClubStore()
        #expect(try await club.buy("bronze").offerType == .introductory)
        try await club.buy("week")
        #expect(try await club.status().renewal.offerType == nil)
        try await club.advance(to: "2026-02-15")

        let (_, transaction, _) = try await club.status()
        #expect((transaction.productIdentifier, transaction.offerType) == ("week".club, nil))
        #expect(transaction.expiresDate == .at("2026-02-22"))
    }

    @Test func `an offer for a pending plan is dropped when the customer chooses another plan`() async throws {
        let club = try await ClubStore { $0.replacing("\"new\",", with: "\"new\", \"existing\",") }
        try await club.buy("gold")
        try await club.store.redeem("summer", of: "silver".club)
        try await club.buy("bronze")
        try await club.advance(to: "2026-01-22")

        #expect(try await club.status().transaction.offerType == nil)
    }

    @Test func `a price increase still waits for consent after a renewal at the old price`() async throws {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(true)
        try await club.buy("silver")
        try await club.store.failBilling("silver".club)
        try await club.advance(to: "2026-02-20")
        try await club.store.setPrice(7, of: "silver".club, consentRequired: true)
        try await club.store.recoverBilling("silver".club)

        let (state, transaction, renewal) = try await club.status()
        #expect((state, transaction.price) == (.active, 4_990))
        #expect(renewal.priceIncreaseStatus == .pending)
        try await club.advance(to: "2026-03-15")
        #expect(try await club.status().renewal.expirationIntent == .priceIncrease)
    }

    @Test func `a customer who declined a price increase and subscribes again is asked for consent again`() async throws
    {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.setPrice(7, of: "silver".club, consentRequired: true)
        try await club.store.consentToPriceIncrease(false, of: "silver".club)
        #expect(try await club.status().renewal.priceIncreaseStatus == nil)
        try await club.buy("silver")

        #expect(try await club.status().renewal.priceIncreaseStatus == .pending)
        try await club.store.consentToPriceIncrease(true, of: "silver".club)
        try await club.advance(to: "2026-02-15")
        #expect(try await club.status().transaction.price == 7_000)
    }

    @Test func `consent to a price increase does not turn the renewal on`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.setPrice(7, of: "silver".club, consentRequired: true)
        try await club.store.setRenewal(false, of: "silver".club)
        try await club.store.consentToPriceIncrease(true, of: "silver".club)
        try await club.advance(to: "2026-02-15")

        #expect(try await club.status().renewal.expirationIntent == .cancelled)
    }

    @Test func `consent to a price increase is refused after the end of the subscription`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.setPrice(7, of: "silver".club, consentRequired: true)
        try await club.advance(to: "2026-02-15")

        let error = await #expect(throws: SimulatedStoreError.self) {
            try await club.store.consentToPriceIncrease(true, of: "silver".club)
        }
        #expect(error?.code == .noSuchSubscription)
    }

    @Test func `a refunded subscription does not renew unless the refund is reversed`() async throws {
        let club = try await ClubStore()
        let bought = try await club.buy("silver")
        #expect(try await club.store.subscriptions().map(\.isRenewing) == [true])
        try await club.store.refund(bought.transactionID)

        #expect(try await club.store.subscriptions().map(\.isRenewing) == [false])
        try await club.store.reverseRefund(bought.transactionID)
        #expect(try await club.store.subscriptions().map(\.isRenewing) == [true])
    }

    @Test func `a new device receives only transactions that no device has finished`() async throws {
        let club = try await ClubStore()
        let tablet = try club.store.device("tablet")
        try await club.buy("silver")
        _ = try await club.unfinished()
        try await club.store.renew("silver".club)
        let watch = try club.store.device("watch")

        #expect(try await club.unfinished(on: tablet).map(\.reason) == [.purchase, .renewal])
        #expect(try await club.unfinished(on: watch).map(\.reason) == [.renewal])
    }

    @Test func `expiring a subscription in its grace period does not change its expiration date`() async throws {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(true)
        try await club.buy("silver")
        try await club.store.failBilling("silver".club)
        try await club.advance(to: "2026-02-20")
        try await club.store.expire("silver".club)

        #expect(try await club.status().transaction.expiresDate == .at("2026-02-15"))
    }
}
