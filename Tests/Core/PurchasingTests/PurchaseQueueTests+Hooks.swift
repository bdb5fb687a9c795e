import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Delivery handler that returns one answer after another, repeats the last one, and records the transactions.
private struct ScriptedDelivery: DeliveryHandler {
    let asked = Recorder<String>()
    let steps: Recorder<String>
    let answers: [DeliveryDecision]

    func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision {
        steps.record("handed to the app")
        let count = asked.values.count
        asked.record(transaction.payload.transactionID)
        return answers[min(count, answers.count - 1)]
    }
}

extension PurchaseQueueTests {
    private func delivery(_ answers: DeliveryDecision...) -> ScriptedDelivery {
        ScriptedDelivery(steps: steps, answers: answers)
    }

    // MARK: Verification by the app

    @Test func `a purchase that the app's verification hook accepts is delivered`() async throws {
        let asked = Recorder<String>()
        let hooks = AppHooks(verification: { signed in
            asked.record(signed.payload.transactionID)
            return .verified
        })

        #expect(try await makeQueue(hooks: hooks).purchase(.voyager("lisbon"), quantity: 1).word == "success, charged")
        #expect(asked.values == ["1"])
    }

    @Test func `a purchase that the app rejects fails with the app's reason and remains unfinished`() async throws {
        let queue = try makeQueue(hooks: AppHooks(verification: { _ in .rejected("the server says no") }))
        let answer = await queue.purchase(.voyager("lisbon"), quantity: 1)

        guard case .failed(let failure) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(failure == PurchaseFailure(code: .rejected, reason: "the server says no"))
        #expect(steps.values == ["received", "rejected"])
        #expect(try await unfinished == ["1"])
        #expect(await ledger.entries(after: 0).isEmpty)
    }

    @Test func `a purchase that the app cannot verify yet is retried later`() async throws {
        let answers = Recorder<AppVerification>()
        answers.record(.undetermined("the server is away"))
        let queue = try makeQueue(
            hooks: AppHooks(verification: { _ in answers.values.last ?? .verified }))
        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "pending: the server is away")
        #expect(await queue.pending().map(\.state) == [.waiting(.verification("the server is away"))])
        #expect(try await unfinished == ["1"])

        answers.record(.verified)
        #expect(try await queue.retry().isEmpty)
        #expect(await balance() == 50)
        #expect(try await unfinished.isEmpty)
    }

    @Test func `the app is not asked to verify a transaction that Vitrine has rejected`() async throws {
        let asked = Recorder<String>()
        let hooks = AppHooks(verification: { signed in
            asked.record(signed.payload.transactionID)
            return .verified
        })
        let queue = try makeQueue(verifier: VoyagerStore().verifier(), hooks: hooks)

        #expect(await queue.purchase(.voyager("lisbon"), quantity: 1).word == "failed: rejected")
        #expect(asked.values.isEmpty)
    }

    // MARK: Delivery by the app

    @Test func `the app delivers a purchase after it is recorded and its content installed, and before it is finished`()
        async throws
    {
        struct Guide: ContentProvider {
            func lacksContent(unlockedBy transaction: SignedTransaction) async -> Bool { true }

            func installContent(
                unlockedBy transaction: SignedTransaction
            ) async throws(ContentProviderError) -> [String] { ["rome"] }
        }
        let queue = try makeQueue(content: Guide(), hooks: AppHooks(delivery: delivery(.delivered)))
        _ = await queue.purchase(.voyager("rome"), quantity: 1)

        #expect(
            steps.values == ["received", "verified", "recorded", "installed rome", "handed to the app", "finished"])
    }

    @Test func `a purchase whose delivery the app postpones remains unfinished and pending`() async throws {
        let queue = try makeQueue(hooks: AppHooks(delivery: delivery(.retryLater("the server is away"), .delivered)))
        let answer = await queue.purchase(.voyager("coins50"), quantity: 1)

        #expect(answer.word == "pending: the app has postponed the delivery of the transaction: the server is away")
        #expect(await queue.pending().map(\.state) == [.waiting(.handler("the server is away"))])
        #expect(try await unfinished == ["1"])
        #expect(await balance() == 50)

        #expect(try await queue.retry().isEmpty)
        #expect(try await unfinished.isEmpty)
        #expect(await balance() == 50)
    }

    @Test func `a purchase that the app delivered but that is not finished is delivered again at the next launch`()
        async throws
    {
        let handler = delivery(.delivered)
        var store = InterceptedStore(voyager.store)
        store.onFinish = { _ throws(StoreError) in throw StoreError(code: .unavailable, reason: "the process ended") }
        _ = try await makeQueue(store: store, hooks: AppHooks(delivery: handler))
            .purchase(.voyager("coins50"), quantity: 1)
        try await makeQueue(hooks: AppHooks(delivery: handler)).drain()

        #expect(handler.asked.values == ["1", "1"])
        #expect(await balance() == 50)
        #expect(try await unfinished.isEmpty)
    }

    @Test func `a purchase that another device finishes while the app has postponed its delivery is delivered later`()
        async throws
    {
        let handler = delivery(.retryLater("the server is away"), .delivered)
        let queue = try makeQueue(hooks: AppHooks(delivery: handler))
        let bought = try #require(try await voyager.store.purchase(.voyager("lisbon"), quantity: 1).transaction)
        await queue.deliver(bought)
        try await voyager.store.finish(bought)

        #expect(try await queue.retry().isEmpty)
        #expect(handler.asked.values == ["1", "1"])
    }

    /// Launches after a purchase that the store does not send again are those of new queues over the same ledger.
    @Test func `a purchase found by a launch is delivered by the app at the next one if it postponed the delivery`()
        async throws
    {
        let handler = delivery(.retryLater("the server is away"), .delivered)
        let bought = try #require(try await voyager.store.purchase(.voyager("lisbon"), quantity: 1).transaction)
        try await voyager.store.finish(bought)

        let first = try await recordChanges(hooks: AppHooks(delivery: handler))
        #expect(first.failed.map(\.reason) == [.waiting(.handler("the server is away"))])
        #expect(try await recordChanges(hooks: AppHooks(delivery: handler)).failed.isEmpty)
        #expect(handler.asked.values == ["1", "1"])
        #expect(steps.values.last == "left unfinished")

        #expect(try await recordChanges(hooks: AppHooks(delivery: handler)).failed.isEmpty)
        #expect(handler.asked.values == ["1", "1"])
    }

    @Test func `a purchase that another device finishes before its delivery is handed to the app at the next launch`()
        async throws
    {
        let handler = delivery(.retryLater("the server is away"), .delivered)
        let bought = try #require(try await voyager.store.purchase(.voyager("lisbon"), quantity: 1).transaction)
        try await makeQueue(hooks: AppHooks(delivery: handler)).deliver(bought)
        try await voyager.store.finish(bought)

        for _ in 0..<2 { #expect(try await recordChanges(hooks: AppHooks(delivery: handler)).failed.isEmpty) }
        #expect(handler.asked.values == ["1", "1"])
    }

    @Test
    func `a purchase whose refund is reversed while the app is closed is delivered at the launch after a postponement`()
        async throws
    {
        let handler = delivery(.delivered, .retryLater("the server is away"), .delivered)
        _ = try await makeQueue(hooks: AppHooks(delivery: handler)).purchase(.voyager("lisbon"), quantity: 1)
        try await voyager.store.refund("1")
        try await makeQueue(hooks: AppHooks(delivery: handler)).drain()
        try await voyager.store.reverseRefund("1")
        for transaction in try await voyager.store.unfinishedTransactions() {
            try await voyager.store.finish(transaction)
        }
        #expect(handler.asked.values == ["1"])

        for _ in 0..<3 { _ = try await recordChanges(hooks: AppHooks(delivery: handler)) }
        #expect(handler.asked.values == ["1", "1", "1"])
    }

    @Test func `a purchase of a version without a delivery handler is not handed to that of a later version`()
        async throws
    {
        _ = try await makeQueue().purchase(.voyager("lisbon"), quantity: 1)
        let handler = delivery(.delivered)

        _ = try await recordChanges(hooks: AppHooks(delivery: handler))
        _ = try await makeQueue(hooks: AppHooks(delivery: handler)).restore()
        #expect(handler.asked.values.isEmpty)
    }

    private func recordChanges(hooks: AppHooks) async throws -> RestoreResult {
        let queue = try makeQueue(hooks: hooks)
        return try await queue.recordChanges(ownedBefore: EntitlementStore(ledger).snapshot)
    }

    @Test func `a purchase that arrives as an update before its call is answered is delivered by the app once`()
        async throws
    {
        let (handler, base, queues) = (delivery(.delivered), voyager.store, Recorder<PurchaseQueue>())
        var store = InterceptedStore(base)
        store.onPurchase = { product, options throws(StoreError) in
            let answer = try await base.purchase(product, options: options)
            if let update = answer.transaction { await queues.values.last?.deliver(update) }
            return answer
        }
        let queue = try makeQueue(store: store, hooks: AppHooks(delivery: handler))
        queues.record(queue)

        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "success, charged")
        #expect(handler.asked.values == ["1"])
        #expect(await balance() == 50)
        #expect(try await unfinished.isEmpty)
    }

    @Test func `the app is not asked to deliver a refunded purchase`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        try await voyager.store.refund("1")
        let handler = delivery(.delivered)

        #expect(try await makeQueue(hooks: AppHooks(delivery: handler)).drain().map(\.word) == ["taken back, new"])
        #expect(handler.asked.values.isEmpty)
    }

    @Test func `a consumable without a wallet and value in the catalog is delivered by the app alone`() async throws {
        let handler = delivery(.delivered)
        let catalog = Catalog(identifiers: [.voyager("coins50")])
        let queue = try makeQueue(hooks: AppHooks(delivery: handler), catalog: { catalog })

        #expect(await queue.purchase(.voyager("coins50"), quantity: 2).word == "success, charged")
        #expect(handler.asked.values == ["1"])
        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.purchase])
        #expect(try await unfinished.isEmpty)
    }

    @Test
    func `a consumable with a wallet but no value in the catalog remains pending and is not delivered by the app`()
        async throws
    {
        let handler = delivery(.delivered)
        let broken = Catalog(products: [
            CatalogProduct(identifier: .voyager("coins50"), storageKey: "coins")
        ])
        let queue = try makeQueue(hooks: AppHooks(delivery: handler), catalog: { broken })

        #expect(
            await queue.purchase(.voyager("coins50"), quantity: 1).word
                == "pending: the catalog has no storageKey or no usable productValue for com.example.voyager.coins50"
        )
        #expect(handler.asked.values.isEmpty)
    }
}
