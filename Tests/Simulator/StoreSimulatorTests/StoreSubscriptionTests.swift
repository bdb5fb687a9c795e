import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Behavior of subscriptions as StoreKit documents it.
@Suite(.hangLimit) struct StoreSubscriptionTests {
    @Test func `a subscription purchase begins a period that renews with the same product`() async throws {
        let club = try await ClubStore()
        let bought = try await club.buy("silver")
        let (state, transaction, renewal) = try await club.status()

        #expect(state == .active)
        #expect(transaction == bought)
        #expect(bought.type == .autoRenewableSubscription)
        #expect(bought.reason == .purchase)
        #expect(bought.originalTransactionID == bought.transactionID)
        #expect(bought.expiresDate == .at("2026-02-15"))
        #expect(bought.subscriptionGroupIdentifier == "club")
        #expect(bought.webOrderLineItemID != nil)
        #expect((bought.price, bought.currency) == (4_990, "USD"))
        #expect(renewal.autoRenewStatus == .on)
        #expect(renewal.autoRenewProductIdentifier == "silver".club)
        #expect(renewal.renewalDate == bought.expiresDate)
        #expect(renewal.renewalPrice == 4_990)
        #expect(renewal.recentSubscriptionStartDate == ClubStore.start)
        #expect(renewal.appTransactionID == bought.appTransactionID)
    }

    @Test func `a subscription group without a purchase has no subscription status`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")

        #expect(try await club.store.subscriptionStatuses(inGroup: "news").isEmpty)
    }

    @Test func `a renewal is a new transaction of the original purchase, and arrives as an update`() async throws {
        let club = try await ClubStore()
        let token = UUID()
        let bought = try await club.buy("silver", PurchaseOptions(accountToken: token))
        _ = try await club.unfinished()
        let updates = club.store.updates()
        try await club.advance(to: "2026-02-15")

        let update = try await club.payload(try #require(await updates.first { _ in true }))
        #expect(update.transactionID != bought.transactionID)
        #expect(update.originalTransactionID == bought.transactionID)
        #expect(update.reason == .renewal)
        #expect(update.purchaseDate == bought.expiresDate)
        #expect(update.originalPurchaseDate == bought.purchaseDate)
        #expect(update.signedDate == bought.expiresDate)
        #expect(update.expiresDate == .at("2026-03-15"))
        #expect(update.appAccountToken == token)
        #expect(try await club.status().transaction.transactionID == update.transactionID)
        #expect(try await club.store.restore().map(\.id) == [update.transactionID])
        #expect(try await club.store.transactions().count == 2)
    }

    @Test func `a forced renewal happens immediately`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.renew("silver".club)

        #expect(try await club.unfinished().map(\.reason) == [.purchase, .renewal])
    }

    /// Apple describes these effects of
    /// [a forced renewal](https://developer.apple.com/documentation/storekittest/sktestsession/forcerenewalofsubscription(productidentifier:)).
    @Test func `a forced renewal ends the present period, turns the renewal on, and removes a pending price increase`()
        async throws
    {
        let club = try await ClubStore()
        let first = try await club.buy("silver")
        try await club.advance(to: "2026-01-20")
        try await club.store.setPrice(7, of: "silver".club, consentRequired: true)
        try await club.store.setRenewal(false, of: "silver".club)
        let renewed = try #require(try await club.store.renew("silver".club))

        let ended = try #require(try await club.store.transactions().first { $0.id == first.transactionID })
        #expect(ended.expirationDate == .at("2026-01-20"))
        #expect((renewed.purchaseDate, renewed.expirationDate) == (.at("2026-01-20"), .at("2026-02-20")))
        #expect(renewed.price == 4_990)
        let renewal = try await club.status().renewal
        #expect((renewal.autoRenewStatus, renewal.priceIncreaseStatus) == (.on, nil))
        try await club.advance(to: "2026-02-20")
        #expect(try await club.status().transaction.expiresDate == .at("2026-03-20"))
    }

    @Test func `renewals while the app was closed are all delivered as unfinished transactions`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.advance(to: "2026-04-20")

        let unfinished = try await club.unfinished()
        #expect(unfinished.map(\.reason) == [.purchase, .renewal, .renewal, .renewal])
        #expect(
            unfinished.map(\.purchaseDate) == ["2026-01-15", "2026-02-15", "2026-03-15", "2026-04-15"].map(Date.at))
    }

    @Test func `monthly periods end on the billing day, also after a shorter month`() async throws {
        let club = try await ClubStore()
        try await club.advance(to: "2026-01-31")
        try await club.buy("silver")
        try await club.advance(to: "2026-06-01")

        #expect(
            try await club.store.transactions().map(\.expirationDate)
                == ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30"].map(Date.at))
    }

    @Test
    func `turning auto-renewal off is announced immediately, and the subscription renews if it is turned on again`()
        async throws
    {
        let club = try await ClubStore()
        try await club.buy("silver")
        let updates = club.store.updates()
        try await club.store.setRenewal(false, of: "silver".club)

        let update = try #require(await updates.first { _ in true })
        #expect(try await club.renewal(update).autoRenewStatus == .off)
        let (state, _, renewal) = try await club.status()
        #expect(state == .active)
        #expect(renewal.expirationIntent == nil)
        #expect(renewal.renewalPrice == nil)
        try await club.store.setRenewal(true, of: "silver".club)
        #expect(try await club.status().renewal.autoRenewStatus == .on)
        try await club.advance(to: "2026-02-15")
        #expect(try await club.store.transactions().count == 2)
    }

    @Test func `a lapsed subscription changes its status without a new transaction`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        _ = try await club.unfinished()
        try await club.store.setRenewal(false, of: "silver".club)
        try await club.advance(to: "2026-02-14T23:59:59Z")
        #expect(try await club.status().state == .active)
        try await club.advance(to: "2026-02-15")

        let (state, _, renewal) = try await club.status()
        #expect(state == .expired)
        #expect(renewal.expirationIntent == .cancelled)
        #expect(try await club.store.transactions().count == 1)
        #expect(try await club.unfinished().isEmpty)
    }

    @Test func `expiring a subscription ends it immediately`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.expire("silver".club)

        let (state, transaction, renewal) = try await club.status()
        #expect(state == .expired)
        #expect(renewal.expirationIntent == .cancelled)
        #expect(transaction.expiresDate == ClubStore.start)
    }

    @Test func `a new subscription after a lapse has the original transaction of the first subscription`() async throws
    {
        let club = try await ClubStore()
        let first = try await club.buy("silver")
        try await club.store.setRenewal(false, of: "silver".club)
        try await club.advance(to: "2026-03-01")
        let again = try await club.buy("silver")

        #expect(again.originalTransactionID == first.transactionID)
        #expect(again.originalPurchaseDate == first.purchaseDate)
        #expect(again.transactionID != first.transactionID)
        #expect(again.reason == .purchase)
        #expect(again.expiresDate == .at("2026-04-01"))
        #expect(try await club.status().renewal.recentSubscriptionStartDate == ClubStore.start)
        try await club.store.setRenewal(false, of: "silver".club)
        try await club.advance(to: "2026-07-01")
        try await club.buy("silver")
        #expect(try await club.status().renewal.recentSubscriptionStartDate == .at("2026-07-01"))
    }

    /// Apple's lapse is 60 days in production, and 10 minutes in the sandbox, where a month has five minutes.
    @Test(arguments: [(minutes: 9, isNew: false), (minutes: 11, isNew: true)])
    func `the lapse after which a new series of periods begins is shortened like the periods`(
        minutes: Int, isNew: Bool
    ) async throws {
        let club = try await ClubStore()
        try await club.store.setTimeRate(.monthlyRenewalEveryFiveMinutes)
        try await club.buy("silver")
        try await club.store.setRenewal(false, of: "silver".club)
        try await club.store.advance(by: TimeInterval(60 * (5 + minutes)))
        try await club.buy("silver")

        let start = try await club.status().renewal.recentSubscriptionStartDate
        #expect(start == (isNew ? club.store.clock.now : ClubStore.start))
    }

    @Test func `buying an active subscription again is not charged and turns its renewal on`() async throws {
        let club = try await ClubStore()
        let first = try await club.buy("silver")
        try await club.store.setRenewal(false, of: "silver".club)
        let second = try await club.buy("silver")

        #expect(second.transactionID == first.transactionID)
        #expect(try await club.store.transactions().count == 1)
        #expect(try await club.status().renewal.autoRenewStatus == .on)
    }

    @Test func `a withdrawn product is not sold, and its subscriptions expire`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.withdraw("silver".club)
        try await club.advance(to: "2026-02-15")

        #expect(try await club.status().state == .expired)
        #expect(try await club.status().renewal.expirationIntent == .productNotAvailable)
        #expect(try await club.store.products(for: ["silver".club]).isEmpty)
        let error = await #expect(throws: StoreError.self) { try await club.buy("silver") }
        #expect(error?.code == .productNotAvailable)
    }

    @Test func `a non-renewing subscription can be bought repeatedly and has no expiration date`() async throws {
        let club = try await ClubStore()
        let (first, second) = try await (club.buy("pass"), club.buy("pass"))

        #expect(first.transactionID != second.transactionID)
        #expect((first.expiresDate, second.expiresDate) == (nil, nil))
        #expect(try await club.store.restore().count == 2)
        try await club.store.refund(first.transactionID)
        #expect(try await club.store.transactions().filter { $0.revocationDate == nil }.count == 1)
    }

    @Test func `the refund of an earlier period revokes only that period`() async throws {
        let club = try await ClubStore()
        let first = try await club.buy("silver")
        try await club.advance(to: "2026-02-20")
        _ = try await club.unfinished()
        try await club.store.refund(first.transactionID)

        #expect(try await club.unfinished().map(\.transactionID) == [first.transactionID])
        #expect(try await club.status().state == .active)
        try await club.advance(to: "2026-03-15")
        #expect(try await club.store.transactions().count == 3)
    }

    @Test func `the refund of the current period ends the subscription until the refund is reversed`() async throws {
        let club = try await ClubStore()
        let bought = try await club.buy("silver")
        try await club.advance(to: "2026-01-25T12:00:00Z")
        let refunded = try await club.store.refund(bought.transactionID, .prorated)

        #expect(refunded.revocationType == .proratedRefund)
        #expect(refunded.revocationPercentage == 66_129)
        #expect(try await club.status().state == .revoked)
        #expect(try await club.status().renewal.autoRenewStatus == .off)
        try await club.store.reverseRefund(bought.transactionID)
        #expect(try await club.status().state == .active)
        try await club.store.refund(bought.transactionID)
        try await club.advance(to: "2026-03-01")
        #expect(try await club.store.transactions().count == 1)
        try await club.store.reverseRefund(bought.transactionID)
        #expect(try await club.status().state == .expired)
    }
}
