import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

extension PurchaseQueueTests {
    @Test func `a refund is recorded, reported and finished, once`() async throws {
        let queue = try makeQueue()
        _ = await queue.purchase(.voyager("coins50"), quantity: 2)
        try await voyager.store.refund("1")
        #expect(try await unfinished == ["1"])

        #expect(try await queue.drain().map(\.word) == ["taken back, new"])
        #expect(steps.values.suffix(4) == ["received", "verified", "taken back", "finished"])
        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.purchase, .credit, .revocation])
        #expect(await balance() == 0)
        #expect(try await unfinished.isEmpty)
    }

    @Test func `a refund that is received again has no effect`() async throws {
        let queue = try makeQueue()
        _ = await queue.purchase(.voyager("coins50"), quantity: 1)
        try await voyager.store.refund("1")
        try await queue.drain()
        _ = await queue.purchase(.voyager("coins500"), quantity: 1)
        try await voyager.store.refund("1")

        #expect(try await queue.drain().map(\.word) == ["taken back, known"])
        #expect(await balance() == 500)
        #expect(try await unfinished.isEmpty)
    }

    @Test func `a refund received while the app is running is recorded automatically, without a call by the app`()
        async throws
    {
        let queue = try makeQueue()
        await queue.observe()
        _ = await queue.purchase(.voyager("lisbon"), quantity: 1)
        try await voyager.store.refund("1")
        while try await !unfinished.isEmpty { await Task.yield() }

        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.purchase, .revocation])
        await queue.stop()
    }

    @Test func `a purchase that is refunded before its delivery is not delivered`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        try await voyager.store.refund("1")

        #expect(try await makeQueue().drain().map(\.word) == ["taken back, new"])
        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.revocation])
        #expect(await balance() == 0)
    }

    @Test func `a transaction copy signed before the refund does not restore the purchase`() async throws {
        guard case .purchased(let old) = try await voyager.store.purchase(.voyager("coins50"), quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        let queue = try makeQueue()
        try await voyager.store.refund("1")
        try await queue.drain()

        #expect(await queue.deliver(old).word == "taken back, known")
        #expect(
            await ledger.entries(after: 0).map(\.fact).filter { $0.kind != .revocation } == [.note(.undelivered("1"))])
        #expect(await balance() == 0)
    }

    @Test func `finishing a transaction copy signed before the refund does not finish the refund`() async throws {
        guard case .purchased(let old) = try await voyager.store.purchase(.voyager("coins50"), quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        try await voyager.store.refund("1")
        #expect(try await makeQueue().deliver(old).word == "delivered, new")

        #expect(try await unfinished == ["1"])
        #expect(try await makeQueue().drain().map(\.word) == ["taken back, new"])
        #expect(await balance() == 0)
    }

    @Test func `a refund is recorded without a catalog`() async throws {
        _ = try await makeQueue().purchase(.voyager("lisbon"), quantity: 1)
        try await voyager.store.refund("1")

        #expect(try await makeQueue(catalog: { nil }).drain().map(\.word) == ["taken back, new"])
    }

    @Test func `restoring records refunds that an older ledger has missed`() async throws {
        let older = MemoryLedger()
        _ = try await makeQueue(ledger: older).purchase(.voyager("lisbon"), quantity: 1)
        _ = try await makeQueue(ledger: older).purchase(.voyager("coins50"), quantity: 1)
        for id in ["1", "2"] { try await voyager.store.refund(id) }
        try await makeQueue(ledger: MemoryLedger()).drain()
        #expect(try await unfinished.isEmpty)

        let result = try await makeQueue(ledger: older).restore()
        #expect(result.revoked == ["lisbon", "coins50"].map(String.voyager))
        #expect(result.failed.isEmpty && !result.isEmpty)
        #expect(try await makeQueue(ledger: older).restore().isEmpty)
    }

    @Test func `a refund with an untrusted signature is rejected`() async throws {
        _ = try await makeQueue().purchase(.voyager("lisbon"), quantity: 1)
        let stranger = try VoyagerStore()
        _ = try await stranger.store.purchase(.voyager("lisbon"), quantity: 1)
        try await stranger.store.refund("1")
        let forged = try await stranger.store.unfinishedTransactions()[0]

        #expect(try await makeQueue().deliver(forged).word == "rejected")
        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.purchase])
    }

    @Test func `a refunded product can be purchased again and is charged`() async throws {
        let queue = try makeQueue()
        _ = await queue.purchase(.voyager("lisbon"), quantity: 1)
        try await voyager.store.refund("1")

        #expect(await queue.purchase(.voyager("lisbon"), quantity: 1).word == "success, charged")
        #expect(try await queue.drain().map(\.word) == ["taken back, new"])
        #expect(try await queue.restore().alreadyOwned == [.voyager("lisbon")])
    }

    @Test func `a purchase fails if the store returns a refunded transaction`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        try await voyager.store.refund("1")
        let refunded = try await voyager.store.unfinishedTransactions()[0]
        var store = InterceptedStore(voyager.store)
        store.onPurchase = { _, _ throws(StoreError) in .purchased(refunded) }

        #expect(try await makeQueue(store: store).purchase(.voyager("lisbon"), quantity: 1).word == "failed: revoked")
    }

    @Test func `a ledger failure leaves a refund unfinished at the store`() async throws {
        _ = try await makeQueue().purchase(.voyager("lisbon"), quantity: 1)
        try await voyager.store.refund("1")

        #expect(try await makeQueue(ledger: FailingLedger()).drain().map(\.word) == ["waiting: the disk is full"])
        #expect(try await unfinished == ["1"])
    }
}
