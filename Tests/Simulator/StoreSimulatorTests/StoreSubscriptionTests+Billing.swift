import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Failed charges for renewals, and price changes.
extension StoreSubscriptionTests {
    @Test func `a failed renewal without a grace period is retried for 60 days, and then the subscription expires`()
        async throws
    {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.failBilling("silver".club)
        try await club.advance(to: "2026-02-15")

        var (state, _, renewal) = try await club.status()
        #expect(state == .billingRetry)
        #expect(renewal.expirationIntent == .billingError)
        #expect(renewal.isInBillingRetryPeriod == true)
        #expect(renewal.gracePeriodExpiresDate == nil)
        try await club.advance(to: "2026-04-15T23:59:59Z")
        #expect(try await club.status().state == .billingRetry)
        try await club.advance(to: "2026-04-16")
        (state, _, renewal) = try await club.status()
        #expect(state == .expired)
        #expect(renewal.expirationIntent == .billingError)
        #expect(renewal.isInBillingRetryPeriod == false)
        await #expect(throws: SimulatedStoreError.self) { try await club.store.recoverBilling("silver".club) }
    }

    @Test(arguments: [("silver", "2026-02-15", "2026-03-03"), ("week", "2026-01-22", "2026-01-28")])
    func `a failed renewal is followed by the grace period and then by billing retry`(
        product: String, end: String, graceEnd: String
    ) async throws {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(true)
        try await club.buy(product)
        try await club.store.setBillingFailing(true)
        let updates = club.store.updates()
        try await club.advance(to: end)

        let update = try #require(await updates.first { _ in true })
        #expect(try await club.renewal(update).gracePeriodExpiresDate == .at(graceEnd))
        let (state, _, renewal) = try await club.status()
        #expect(state == .billingGracePeriod)
        #expect(renewal.gracePeriodExpiresDate == .at(graceEnd))
        #expect(renewal.isInBillingRetryPeriod == true)
        try await club.advance(to: graceEnd)
        #expect(try await club.status().state == .billingRetry)
        #expect(try await club.status().renewal.gracePeriodExpiresDate == nil)
    }

    @Test(arguments: [false, true])
    func `a forced renewal that cannot be charged begins the grace period or billing retry at once`(
        hasGracePeriod: Bool
    ) async throws {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(hasGracePeriod)
        try await club.buy("silver")
        try await club.store.setBillingFailing(true)
        #expect(try await club.store.renew("silver".club) == nil)

        let (state, transaction, renewal) = try await club.status()
        #expect(state == (hasGracePeriod ? .billingGracePeriod : .billingRetry))
        #expect(transaction.expiresDate == club.store.clock.now)
        #expect(renewal.isInBillingRetryPeriod == true)

        if hasGracePeriod {
            #expect(try await club.store.renew("silver".club) == nil)
            #expect(try await club.status().state == state)
        }
        try await club.store.setBillingFailing(false)
        #expect(try await club.store.recoverBilling("silver".club) != nil)
        #expect(try await club.status().state == .active)
        #expect(try await club.store.transactions().count == 2)
    }

    /// Apple's testing environment does not change the billing retry state with a forced renewal.
    @Test func `a forced renewal in the grace period does not make the charge that has failed`() async throws {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(true)
        try await club.buy("silver")
        try await club.store.setBillingFailing(true)
        try await club.advance(to: "2026-02-20")
        try await club.store.setBillingFailing(false)
        #expect(try await club.store.renew("silver".club) == nil)
        #expect(try await club.status().state == .billingGracePeriod)
        #expect(try await club.store.transactions().count == 1)
    }

    @Test func `an enabled grace period has no effect while renewals succeed`() async throws {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(true)
        try await club.buy("silver")
        try await club.advance(to: "2026-02-15")

        #expect(try await club.status().state == .active)
        #expect(try await club.store.transactions().count == 2)
    }

    @Test func `a payment in the grace period does not change the billing day`() async throws {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(true)
        try await club.buy("silver")
        try await club.store.failBilling("silver".club)
        try await club.advance(to: "2026-02-20")
        try await club.store.recoverBilling("silver".club)

        let (state, transaction, renewal) = try await club.status()
        #expect(state == .active)
        #expect(transaction.reason == .renewal)
        #expect(transaction.expiresDate == .at("2026-03-15"))
        #expect(renewal.expirationIntent == nil)
        try await club.advance(to: "2026-03-15")
        #expect(try await club.status().transaction.expiresDate == .at("2026-04-15"))
    }

    @Test func `a payment in billing retry begins a new period on the day of the payment`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.failBilling("silver".club)
        try await club.advance(to: "2026-03-20")
        try await club.store.recoverBilling("silver".club)

        let (state, transaction, _) = try await club.status()
        #expect(state == .active)
        #expect(transaction.purchaseDate == .at("2026-03-20"))
        #expect(transaction.expiresDate == .at("2026-04-20"))
    }

    @Test(arguments: [true, false, nil])
    func `a price increase waits for consent, and ends the subscription without consent`(
        consent: Bool?
    ) async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.setPrice(Decimal(string: "6.99") ?? 0, of: "silver".club, consentRequired: true)
        #expect(try await club.status().renewal.priceIncreaseStatus == .pending)
        if let consent { try await club.store.consentToPriceIncrease(consent, of: "silver".club) }
        let before = try await club.status().renewal
        try await club.advance(to: "2026-02-15")

        let (state, transaction, renewal) = try await club.status()
        switch consent {
        case true:
            #expect(before.priceIncreaseStatus == .agreed)
            #expect(before.renewalPrice == 6_990)
            #expect((state, transaction.price) == (.active, 6_990))
            #expect(renewal.priceIncreaseStatus == nil)
        default:
            #expect(before.autoRenewStatus == (consent == nil ? .on : .off))
            #expect((state, transaction.price) == (.expired, 4_990))
            #expect((renewal.expirationIntent, renewal.priceIncreaseStatus) == (.priceIncrease, nil))
        }
    }

    @Test func `a price increase that needs no consent, or a lower price, is charged at the next renewal`() async throws
    {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.setPrice(6, of: "silver".club)
        #expect(try await club.status().renewal.priceIncreaseStatus == .agreed)
        try await club.advance(to: "2026-02-15")
        #expect(try await club.status().transaction.price == 6_000)
        try await club.store.setPrice(3, of: "silver".club, consentRequired: true)
        #expect(try await club.status().renewal.priceIncreaseStatus == nil)
        try await club.advance(to: "2026-03-15")

        #expect(try await club.status().transaction.price == 3_000)
        #expect(try await club.store.products(for: ["silver".club]).map(\.displayPrice) == ["$3.00"])
    }
}
