import Foundation
import ProductCatalog
import Purchasing
import Receipts
import StoreSimulator
import TestSupport
import Testing

/// Changes between the plans of a group.
extension StoreSubscriptionTests {
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
}
