import Foundation
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Subscriptions whose renewal has failed, and whose customers then turn the renewal off.
extension StoreSubscriptionTests {
    struct CancellationCase: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let hasGracePeriod: Bool
        /// Date of the cancellation. The subscription has failed to renew on 2026-02-15.
        let date: String
        var cancel: @Sendable (SimulatedStore) async throws -> Void = {
            try await $0.setRenewal(false, of: "silver".club)
        }
    }

    static let cancellations = [
        CancellationCase(testDescription: "in the grace period", hasGracePeriod: true, date: "2026-02-20"),
        CancellationCase(
            testDescription: "in billing retry after the grace period", hasGracePeriod: true, date: "2026-03-05"),
        CancellationCase(
            testDescription: "in billing retry without a grace period", hasGracePeriod: false, date: "2026-02-20"),
        CancellationCase(
            testDescription: "by a request for a refund in the grace period", hasGracePeriod: true, date: "2026-02-20"
        ) { try await $0.requestRefund(try #require(try await $0.transactions().last).id) },
        CancellationCase(
            testDescription: "by a request for a refund in billing retry", hasGracePeriod: false, date: "2026-02-20"
        ) { try await $0.requestRefund(try #require(try await $0.transactions().last).id) },
    ]

    /// Apple [describes](https://developer.apple.com/documentation/storekit/testing-failing-subscription-renewals-and-in-app-purchases)
    /// the cancellation in the grace period: the subscription is inactive at once.
    @Test(arguments: cancellations)
    func `a failed renewal is not made after the customer has turned the renewal off`(_ entry: CancellationCase)
        async throws
    {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(entry.hasGracePeriod)
        try await club.buy("silver")
        try await club.store.failBilling("silver".club)
        try await club.advance(to: entry.date)
        try await entry.cancel(club.store)

        let (state, transaction, renewal) = try await club.status()
        #expect(state == .expired)
        #expect(renewal.autoRenewStatus == .off)
        #expect(renewal.expirationIntent == .cancelled)
        #expect(renewal.gracePeriodExpiresDate == nil)
        #expect(transaction.expiresDate == .at("2026-02-15"))
        await #expect(throws: SimulatedStoreError.self) { try await club.store.recoverBilling("silver".club) }
        try await club.advance(to: "2026-06-01")
        #expect(try await club.store.transactions().count == 1)
    }

    @Test func `a price increase that is declined in billing retry ends the subscription because of the price`()
        async throws
    {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.failBilling("silver".club)
        try await club.advance(to: "2026-02-20")
        try await club.store.setPrice(7, of: "silver".club, consentRequired: true)
        try await club.store.consentToPriceIncrease(false, of: "silver".club)

        let (state, _, renewal) = try await club.status()
        #expect(state == .expired)
        #expect(renewal.expirationIntent == .priceIncrease)
    }
}
