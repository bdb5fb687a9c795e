import Foundation
import ProductCatalog
import Purchasing
import Receipts
import StoreSimulator
import TestSupport
import Testing

/// Lives of subscriptions, as StoreKit documents them.
@Suite(.timeLimit(.minutes(45))) struct StoreSubscriptionTests {
    @Test func `row 35: a purchase begins a period that renews to the same product`() async throws {
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

    @Test func `row 36: a group without a purchase has no status`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")

        #expect(try await club.store.subscriptionStatuses(inGroup: "news").isEmpty)
    }

    @Test func `row 37: a renewal is a new transaction of the same purchase, and comes as an update`() async throws {
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

    @Test func `row 39: a forced renewal comes at once`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.renew("silver".club)

        #expect(try await club.unfinished().map(\.reason) == [.purchase, .renewal])
    }

    @Test func `row 40: renewals while the app was closed are all unfinished`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.advance(to: "2026-04-20")

        let unfinished = try await club.unfinished()
        #expect(unfinished.map(\.reason) == [.purchase, .renewal, .renewal, .renewal])
        #expect(
            unfinished.map(\.purchaseDate) == ["2026-01-15", "2026-02-15", "2026-03-15", "2026-04-15"].map(Date.at))
    }

    @Test func `months end on the billing day, also after a shorter month`() async throws {
        let club = try await ClubStore()
        try await club.advance(to: "2026-01-31")
        try await club.buy("silver")
        try await club.advance(to: "2026-06-01")

        #expect(
            try await club.store.transactions().map(\.expirationDate)
                == ["2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30"].map(Date.at))
    }

    @Test func `row 41: a renewal that is turned off says so at once, and again if it is turned on`() async throws {
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

    @Test func `row 42: a lapse is a new status, and no new transaction`() async throws {
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

    @Test func `row 43: a subscription that is expired ends at once`() async throws {
        let club = try await ClubStore()
        try await club.buy("silver")
        try await club.store.expire("silver".club)

        let (state, transaction, renewal) = try await club.status()
        #expect(state == .expired)
        #expect(renewal.expirationIntent == .cancelled)
        #expect(transaction.expiresDate == ClubStore.start)
    }

    @Test func `row 44: who subscribes again keeps the first transaction as the original one`() async throws {
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

    @Test func `row 45: what is subscribed is not charged again, and renews again`() async throws {
        let club = try await ClubStore()
        let first = try await club.buy("silver")
        try await club.store.setRenewal(false, of: "silver".club)
        let second = try await club.buy("silver")

        #expect(second.transactionID == first.transactionID)
        #expect(try await club.store.transactions().count == 1)
        #expect(try await club.status().renewal.autoRenewStatus == .on)
    }

    @Test(arguments: [("row 46", "silver", "gold"), ("row 49", "silver", "argent")])
    func `a higher level, or the same length on the same level, replaces the plan at once`(
        row: String, from: String, to: String
    ) async throws {
        let club = try await ClubStore()
        let old = try await club.buy(from)
        _ = try await club.unfinished()
        try await club.advance(to: "2026-01-25")
        let new = try await club.buy(to)

        #expect(new.transactionID != old.transactionID)
        #expect(new.originalTransactionID == old.transactionID)
        #expect(new.reason == .purchase)
        #expect(new.expiresDate == .at("2026-02-25"))
        let (state, transaction, _) = try await club.status()
        #expect(state == .active)
        #expect(transaction.productIdentifier == to.club)
        #expect(try await club.unfinished().map(\.isUpgraded) == [true, nil])
    }

    @Test(arguments: [("row 47", "gold", "silver"), ("row 48", "silver", "silver.year")])
    func `a lower level, or another length on the same level, begins with the next period`(
        row: String, from: String, to: String
    ) async throws {
        let club = try await ClubStore()
        let old = try await club.buy(from)
        let end = try #require(old.expiresDate)
        let answer = try await club.buy(to)

        #expect(answer.transactionID == old.transactionID)
        #expect(try await club.status().renewal.autoRenewProductIdentifier == to.club)
        try await club.store.advance(to: end)
        let (_, transaction, renewal) = try await club.status()
        #expect(transaction.productIdentifier == to.club)
        #expect(transaction.reason == .renewal)
        #expect(transaction.purchaseDate == end)
        #expect(renewal.productIdentifier == to.club)
    }

    @Test func `row 50: a change of plan that waits is taken back by buying the present plan`() async throws {
        let club = try await ClubStore()
        let gold = try await club.buy("gold")
        try await club.buy("silver")
        let answer = try await club.buy("gold")

        #expect(answer.transactionID == gold.transactionID)
        #expect(try await club.status().renewal.autoRenewProductIdentifier == "gold".club)
        #expect(try await club.store.transactions().count == 1)
    }

    @Test func `row 51: without a grace period a failed renewal is tried again for 60 days, and then ends`()
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
    func `row 52: a grace period follows a failed renewal, and then the store tries again`(
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

    @Test func `row 53: a grace period alone has no effect`() async throws {
        let club = try await ClubStore()
        try await club.store.setGracePeriod(true)
        try await club.buy("silver")
        try await club.advance(to: "2026-02-15")

        #expect(try await club.status().state == .active)
        #expect(try await club.store.transactions().count == 2)
    }

    @Test func `row 54: a customer who pays in the grace period keeps the billing day`() async throws {
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

    @Test func `row 55: a customer who pays later begins a new period that day`() async throws {
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
    func `row 56: a price increase waits for consent, and ends the subscription without it`(
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
            #expect(renewal.expirationIntent == .priceIncrease)
        }
    }

    @Test func `a price increase without consent, and a lower price, are charged with the next renewal`() async throws {
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

    @Test func `a product that is withdrawn is not sold, and its subscriptions end`() async throws {
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

    @Test func `row 63: a subscription that does not renew is sold each time, without an end`() async throws {
        let club = try await ClubStore()
        let (first, second) = try await (club.buy("pass"), club.buy("pass"))

        #expect(first.transactionID != second.transactionID)
        #expect((first.expiresDate, second.expiresDate) == (nil, nil))
        #expect(try await club.store.restore().count == 2)
        try await club.store.refund(first.transactionID)
        #expect(try await club.store.transactions().filter { $0.revocationDate == nil }.count == 1)
    }

    @Test func `row 64: the refund of an earlier period revokes only that`() async throws {
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

    @Test func `the refund of the present period ends the subscription, until it is reversed`() async throws {
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
