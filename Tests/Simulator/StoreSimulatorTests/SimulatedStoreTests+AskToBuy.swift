import Foundation
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Purchases that need approval.
extension SimulatedStoreTests {
    /// Buys a product with Ask to Buy, and returns the number of the pending purchase.
    private func ask(for name: String, quantity: Int = 1, accountToken: UUID? = nil) async throws -> String {
        try await store.setAsksToBuy(true)
        let options = PurchaseOptions(quantity: quantity, accountToken: accountToken)
        #expect(try await store.purchase(.voyager(name), options: options) == .pending)
        return try #require(try await store.pendingPurchases().last).id
    }

    @Test func `a purchase that needs approval is pending across restarts, and is not a transaction yet`() async throws
    {
        let id = try await ask(for: "coins50", quantity: 3)
        let reopened = try voyager.reopened()

        let pending = try #require(try await reopened.pendingPurchases().first)
        #expect(pending.id == id)
        #expect(pending.productIdentifier == .voyager("coins50"))
        #expect(pending.quantity == 3)
        #expect(pending.isPending)
        #expect(try await reopened.transactions().isEmpty)
        #expect(try await reopened.unfinishedTransactions().isEmpty)
        #expect(try await reopened.knownTransactions().isEmpty)
        #expect(try await reopened.purchase(.voyager("lisbon"), quantity: 1) == .pending)
    }

    @Test func `an approved purchase arrives as an unfinished update with the date of its approval`() async throws {
        let token = UUID()
        let id = try await ask(for: "coins50", quantity: 3, accountToken: token)
        voyager.clock.advance(by: 3_600)
        let updates = store.updates()
        #expect(try await store.approve(id).purchaseDate == voyager.clock.now)

        let update = try #require(await updates.first { _ in true })
        let signed = try await payload(update)
        #expect(update.id == id)
        #expect(signed.purchaseDate == voyager.clock.now)
        #expect(signed.originalPurchaseDate == voyager.clock.now)
        #expect(signed.quantity == 3)
        #expect(signed.appAccountToken == token)
        #expect(try await store.unfinishedTransactions().map(\.id) == [id])
        #expect(try await store.pendingPurchases().isEmpty)
    }

    @Test func `a declined purchase is removed, and its transaction number is not used again`() async throws {
        let id = try await ask(for: "lisbon")
        #expect(try await store.decline(id).productIdentifier == .voyager("lisbon"))

        #expect(try await store.pendingPurchases().isEmpty)
        #expect(try await store.knownTransactions().isEmpty)
        try await store.setAsksToBuy(false)
        #expect(try await buy("lisbon").id != id)
    }

    @Test func `a purchase that was approved or declined cannot be approved or declined again`() async throws {
        let (approved, declined) = (try await ask(for: "coins50"), try await ask(for: "coins50"))
        try await store.approve(approved)
        try await store.decline(declined)

        for id in [approved, declined, "99", "", "no number"] {
            for decide in [store.approve, store.decline] {
                let error = await #expect(throws: SimulatedStoreError.self) { try await decide(id) }
                #expect(error?.code == .noSuchTransaction)
                #expect(error?.reason.contains(id == approved ? "become a transaction" : "it was declined") == true)
            }
        }
        #expect(try await store.transactions().map(\.id) == [approved])
    }

    @Test func `several pending purchases of one product are approved separately`() async throws {
        let (first, second) = (try await ask(for: "coins50"), try await ask(for: "coins50", quantity: 2))
        #expect(try await store.pendingPurchases().map(\.id) == [first, second])
        try await store.approve(second)

        #expect(try await store.pendingPurchases().map(\.id) == [first])
        try await store.approve(first)
        #expect(try await store.unfinishedTransactions().count == 2)
    }

    @Test func `buying an owned product or one with an unfinished purchase again needs no approval`() async throws {
        let (guide, coins) = (try await buy("lisbon"), try await buy("coins50"))
        try await store.setAsksToBuy(true)

        #expect(try await buy("lisbon").id == guide.id)
        #expect(try await buy("coins50").id == coins.id)
        try await store.finish(coins)
        #expect(try await store.purchase(.voyager("coins50"), quantity: 1) == .pending)
    }

    @Test func `a pending purchase can be neither finished nor refunded`() async throws {
        let id = try await ask(for: "lisbon")
        let changes = [{ try await store.refund($0) }, store.reverseRefund, store.revokeFamily]
        for change in changes {
            let error = await #expect(throws: SimulatedStoreError.self) { try await change(id) }
            #expect(error?.code == .noSuchTransaction)
        }
        try await store.finish(StoreTransaction(id: id, signedData: ""))

        #expect(try await store.pendingPurchases().map(\.id) == [id])
    }

    @Test func `a purchase on another device needs no approval on this device`() async throws {
        try await store.setAsksToBuy(true)
        try await store.purchaseElsewhere(.voyager("lisbon"))

        #expect(try await store.unfinishedTransactions().count == 1)
    }
}
