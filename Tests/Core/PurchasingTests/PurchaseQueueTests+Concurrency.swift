import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Content provider that delays the content of one product until a gate opens.
private struct SlowContent: ContentProvider {
    let product: String
    let gate: Gate

    func lacksContent(unlockedBy transaction: SignedTransaction) async -> Bool {
        transaction.payload.productIdentifier == product
    }

    func installContent(unlockedBy transaction: SignedTransaction) async throws(ContentProviderError) -> [String] {
        if transaction.payload.productIdentifier == product { await gate.pass() }
        return []
    }
}

extension PurchaseQueueTests {
    @Test func `a slow delivery does not hold up a purchase`() async throws {
        let gate = Gate()
        let queue = try makeQueue(content: SlowContent(product: .voyager("rome"), gate: gate))
        async let slow = queue.purchase(.voyager("rome"), quantity: 1)
        await gate.arrival()
        #expect(await queue.purchase(.voyager("lisbon"), quantity: 1).word == "success, charged")

        await gate.open()
        #expect(await slow.word == "success, charged")
    }

    @Test func `a slow delivery does not delay other unfinished transactions`() async throws {
        let gate = Gate()
        for name in ["rome", "lisbon", "coins50"] { _ = try await voyager.store.purchase(.voyager(name), quantity: 1) }
        let queue = try makeQueue(content: SlowContent(product: .voyager("rome"), gate: gate))
        async let drained = queue.drain()
        while try await unfinished != ["1"] { await Task.yield() }

        await gate.open()
        #expect(try await drained.map(\.word) == ["delivered, new", "delivered, new", "delivered, new"])
    }

    @Test func `new transactions are processed while an earlier one is being delivered`() async throws {
        let gate = Gate()
        let queue = try makeQueue(content: SlowContent(product: .voyager("rome"), gate: gate))
        await queue.observe()
        try await voyager.store.purchaseElsewhere(.voyager("rome"))
        await gate.arrival()
        for name in ["lisbon", "coins50"] { try await voyager.store.purchaseElsewhere(.voyager(name)) }
        while try await unfinished != ["1"] { await Task.yield() }

        await gate.open()
        while try await !unfinished.isEmpty { await Task.yield() }
        await queue.stop()
    }

    @Test func `transactions beyond the limit of concurrent deliveries are all delivered, and reported in order`()
        async throws
    {
        for quantity in 1...10 { try await voyager.store.purchaseElsewhere(.voyager("coins50"), quantity: quantity) }
        for _ in 1...10 { try await voyager.store.purchaseElsewhere(.voyager("coins500")) }
        let deliveries = try await makeQueue().drain()

        let ids = deliveries.map { delivery -> String in
            if case .delivered(let delivered) = delivery { delivered.transaction.payload.transactionID } else { "" }
        }
        #expect(ids == (1...20).map(String.init))
        #expect(await balance() == 55 * 50 + 10 * 500)
    }

    @Test func `several unfinished purchases of the same coin pack are all credited`() async throws {
        for _ in 1...3 { try await voyager.store.purchaseElsewhere(.voyager("coins50")) }

        #expect(try await makeQueue().drain().map(\.word) == ["delivered, new", "delivered, new", "delivered, new"])
        #expect(await balance() == 150)
        #expect(try await unfinished.isEmpty)
    }

    @Test func `concurrent restores share one request to the store and its result`() async throws {
        _ = try await makeQueue().purchase(.voyager("lisbon"), quantity: 1)
        let (gate, base, asked) = (Gate(), voyager.store, Recorder<Void>())
        var store = InterceptedStore(base)
        store.onRestore = { () async throws(StoreError) in
            asked.record(())
            await gate.pass()
            return try await base.restore()
        }
        let queue = try makeQueue(store: store, ledger: MemoryLedger())
        async let first = queue.restore()
        await gate.arrival()
        async let second = queue.restore()
        async let third = queue.restore()
        // Each has asked the queue by the time that it answers something else.
        for _ in 0..<3 { _ = await queue.pending() }
        await gate.open()

        let results = [try await first, try await second, try await third]
        #expect(results.map(\.restored) == Array(repeating: [.voyager("lisbon")], count: 3))
        #expect(asked.values.count == 1)
        #expect(try await queue.restore().alreadyOwned == [.voyager("lisbon")])
        #expect(asked.values.count == 2)
    }

    @Test func `a failed restore does not affect the next restore`() async throws {
        try await voyager.store.fail(.restore, times: 1)
        let queue = try makeQueue()
        await #expect(throws: StoreError.self) { try await queue.restore() }

        #expect(try await queue.restore().isEmpty)
    }

    @Test func `a purchase waits for content even if a restore is processing the same transaction`() async throws {
        let (gate, base) = (Gate(), voyager.store)
        _ = try await makeQueue().purchase(.voyager("rome"), quantity: 1)
        let restored = try await base.restore()[0]
        var store = InterceptedStore(base)
        store.onRestore = { () throws(StoreError) in [restored] }
        store.onPurchase = { _, _ throws(StoreError) in .purchased(restored) }
        struct Missing: ContentProvider {
            func lacksContent(unlockedBy transaction: SignedTransaction) async -> Bool { true }

            func installContent(
                unlockedBy transaction: SignedTransaction
            ) async throws(ContentProviderError) -> [String] {
                throw ContentProviderError(code: .unavailable, reason: "no network")
            }
        }
        let hooks = AppHooks(verification: { _ in
            await gate.pass()
            return .verified
        })
        let queue = try makeQueue(store: store, content: Missing(), hooks: hooks)
        async let restoring = queue.restore()
        await gate.arrival()
        async let answer = queue.purchase(.voyager("rome"), quantity: 1)
        for _ in 0..<3 { _ = try await unfinished }
        await gate.open()

        let result = try await restoring
        #expect(result.restored + result.alreadyOwned == [.voyager("rome")])
        #expect(await answer.word == "pending: no content: no network")
    }
}
