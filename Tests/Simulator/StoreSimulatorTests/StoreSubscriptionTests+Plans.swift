import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Changes between the plans of a group.
extension StoreSubscriptionTests {
    @Test(arguments: [("row 46", "silver", "gold"), ("row 49", "silver", "argent")])
    func `a change to a higher plan, or to another plan of the same level and length, applies immediately`(
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
    func `a change to a lower plan, or to a plan of another length, applies at the next period`(
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

    @Test func `buying the current plan cancels a pending change of plan`() async throws {
        let club = try await ClubStore()
        let gold = try await club.buy("gold")
        try await club.buy("silver")
        let answer = try await club.buy("gold")

        #expect(answer.transactionID == gold.transactionID)
        #expect(try await club.status().renewal.autoRenewProductIdentifier == "gold".club)
        #expect(try await club.store.transactions().count == 1)
    }
}
