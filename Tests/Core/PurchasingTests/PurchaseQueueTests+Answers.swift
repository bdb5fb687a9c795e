import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

extension PurchaseQueueTests {
    @Test func `a second purchase of a product is refused while the first is in progress`() async throws {
        let gate = Gate()
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, options async throws(StoreError) in
            await gate.pass()
            return try await base.purchase(identifier, options: options)
        }
        let queue = try makeQueue(store: store)
        async let first = queue.purchase(.voyager("coins50"), quantity: 1)
        await gate.arrival()
        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "failed: in-progress")

        await gate.open()
        #expect(await first.word == "success, charged")
        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "success, charged")
        #expect(await balance() == 100)
    }

    @Test(
        arguments: [
            (StorePurchaseAnswer.pending, "pending: ask to buy"), (.interrupted, "pending: interrupted"),
            (.cancelled, "cancelled"),
        ]
    )
    func `a pending, interrupted or cancelled purchase is reported as such and not recorded`(
        reply: StorePurchaseAnswer, word: String
    ) async throws {
        var store = InterceptedStore(voyager.store)
        store.onPurchase = { _, _ throws(StoreError) in reply }

        #expect(try await makeQueue(store: store).purchase(.voyager("lisbon"), quantity: 1).word == word)
        #expect(await ledger.entries(after: 0).isEmpty)
    }

    @Test(
        arguments: [("atlantis", 1, "failed: not-available"), ("coins50", 11, "failed: invalid-quantity")]
    )
    func `a purchase that the store refuses is reported as failed`(name: String, quantity: Int, word: String)
        async throws
    {
        #expect(try await makeQueue().purchase(.voyager(name), quantity: quantity).word == word)
    }

    @Test func `a transaction with another quantity than requested is not reported as charged`() async throws {
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, _ async throws(StoreError) in try await base.purchase(identifier, quantity: 10)
        }

        #expect(
            try await makeQueue(store: store).purchase(.voyager("coins50"), quantity: 1).word
                == "success, not charged again")
    }

    @Test func `a purchase made on another device is delivered automatically, without a call by the app`() async throws
    {
        let queue = try makeQueue()
        await queue.observe()
        try await voyager.store.purchaseElsewhere(.voyager("lisbon"))
        while try await !unfinished.isEmpty { await Task.yield() }

        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.purchase])
        await queue.stop()
    }

    @Test func `restoring reports restored products and products that were already owned`() async throws {
        let first = try makeQueue()
        for name in ["lisbon", "coins50", "everything"] { _ = await first.purchase(.voyager(name), quantity: 1) }
        #expect(try await first.restore().alreadyOwned == ["lisbon", "everything"].map(String.voyager))

        let newDevice = MemoryLedger()
        let second = try makeQueue(ledger: newDevice)
        let result = try await second.restore()
        #expect(result.restored == ["lisbon", "everything"].map(String.voyager))
        #expect(result.alreadyOwned.isEmpty && result.failed.isEmpty && !result.isEmpty)
        #expect(await newDevice.entries(after: 0).count == 2)
        #expect(try await second.restore().restored.isEmpty)
    }

    @Test func `restoring without earlier purchases returns an empty result`() async throws {
        #expect(try await makeQueue().restore().isEmpty)
    }

    @Test func `products that cannot be restored are reported, and the others are restored`() async throws {
        _ = try await makeQueue().purchase(.voyager("lisbon"), quantity: 1)
        _ = try await makeQueue().purchase(.voyager("porto"), quantity: 1)
        let catalog = Catalog(products: [CatalogProduct(identifier: .voyager("porto"), kind: .nonConsumable)])
        let result = try await makeQueue(ledger: MemoryLedger(), catalog: { catalog }).restore()

        #expect(result.restored == [.voyager("porto")])
        #expect(result.failed.map(\.transactionID) == ["1"])
        #expect(result.failed.map(\.reason) == [.waiting(.unknownProduct(.voyager("lisbon")))])
    }
}
