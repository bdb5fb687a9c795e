import Foundation
import Testing
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Hooks of the app for purchases in receipts.
extension PurchaseQueueTests {
    @Test func `if the app verifies transactions, only revocations are recorded from a receipt`()
        async throws
    {
        let (signer, queue) = try makeSigner()
        await queue.deliver(try signer.transaction("2", of: .voyager("porto"), signed: day(0)))
        _ = try await queue.record(receipt(issued: 0, bought(.voyager("porto"), "2")))
        _ = try await queue.record(
            receipt(issued: 1, bought(), bought(.voyager("porto"), "2", cancelled: 1)), includingPurchases: false)

        #expect(try await owned(days: 1) == [])
        #expect(await ledger.isRevoked("2"))
    }

    @Test func `the app delivers a purchase from a receipt once, when its transaction is restored`() async throws {
        let recorder = Recorder<String>()
        let handler = RecordingHandler(deliveries: recorder)
        let queue = try makeQueue(hooks: AppHooks(delivery: handler))
        guard case .purchased(let transaction) = try await voyager.store.purchase(Sold.guide, quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        try await voyager.store.finish(transaction)
        _ = try await queue.record(receipt(issued: 1, bought()))
        #expect(recorder.values.isEmpty)

        for _ in 1...2 {
            let next = try makeQueue(hooks: AppHooks(delivery: handler))
            #expect(try await next.restore().alreadyOwned == [Sold.guide])
            #expect(try await next.recordKnown().alreadyOwned == [Sold.guide])
        }
        #expect(recorder.values == ["1"])
    }

    @Test func `the app is asked again to deliver a purchase from a receipt that it has postponed`() async throws {
        let recorder = Recorder<String>()
        guard case .purchased(let transaction) = try await voyager.store.purchase(Sold.guide, quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        try await voyager.store.finish(transaction)
        for decision in [.retryLater("busy"), .delivered, .delivered] as [DeliveryDecision] {
            let handler = RecordingHandler(deliveries: recorder, decision: decision)
            let queue = try makeQueue(hooks: AppHooks(delivery: handler))
            _ = try await queue.record(receipt(issued: 1, bought()))
            _ = try await queue.restore()
        }

        #expect(recorder.values == ["1", "1"])
        #expect(await kinds == [.receipt, .purchase, .note])
    }
}

private struct RecordingHandler: DeliveryHandler {
    let deliveries: Recorder<String>
    var decision = DeliveryDecision.delivered

    func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision {
        deliveries.record(transaction.payload.transactionID)
        return decision
    }
}
