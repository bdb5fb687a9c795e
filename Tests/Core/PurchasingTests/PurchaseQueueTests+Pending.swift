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
    private func discardCode(_ id: String, _ queue: PurchaseQueue) async -> DiscardError.Code? {
        do throws(DiscardError) {
            try await queue.discard(id)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `a pending transaction is listed with its product and reason until it is delivered`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        let known = Recorder<Catalog>()
        let queue = try makeQueue(catalog: { known.values.last })
        try await queue.drain()
        let clock = voyager.clock

        let pending = await queue.pending()
        #expect(pending.map(\.id) == ["1"])
        #expect(pending.map(\.productIdentifier) == [.voyager("lisbon")])
        #expect(pending.map(\.state) == [.waiting(.catalogNotLoaded)])
        #expect(pending.map(\.state.description) == ["no catalog is loaded"])
        #expect(pending.map(\.date) == [clock.now])

        known.record(try VoyagerStore.catalog())
        #expect(try await queue.retry().isEmpty)
        #expect(await queue.pending().isEmpty)
    }

    @Test func `a pending transaction is listed once, regardless of the number of attempts`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        let queue = try makeQueue(catalog: { nil })
        for _ in 0..<3 { try await queue.retry() }

        #expect(await queue.pending().count == 1)
    }

    @Test func `a transaction that another queue has finished is no longer pending`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        let queue = try makeQueue(catalog: { nil })
        try await queue.drain()
        try await makeQueue().drain()

        #expect(try await queue.retry().isEmpty)
    }

    @Test func `a product is owned once its purchase can be recorded, although another device has finished it`()
        async throws
    {
        let loaded = Recorder<Catalog>()
        let queue = try makeQueue(catalog: { loaded.values.last })
        for name in ["lisbon", "coins50"] {
            let bought = try #require(try await voyager.store.purchase(.voyager(name), quantity: 1).transaction)
            await queue.deliver(bought)
            try await voyager.store.finish(bought)
        }
        #expect(try await queue.retry().map(\.id) == ["1"])
        #expect(steps.values.count { $0 == "settled elsewhere" } == 1)

        loaded.record(try VoyagerStore.catalog())
        #expect(try await queue.retry().isEmpty)
        let purchases = await ledger.entries(after: 0).filter { $0.fact.kind == .purchase }
        #expect(purchases.map { $0.fact.origin?.productIdentifier } == [.voyager("lisbon")])
        #expect(await balance() == 0)
    }

    @Test func `a transaction sent before the ledger of another account was opened is not recorded in that ledger`()
        async throws
    {
        let (loaded, entitlements, clock) = (Recorder<Catalog>(), EntitlementStore(ledger), voyager.clock)
        let queue = PurchaseQueue(
            store: voyager.store, entitlements: entitlements, verifier: try voyager.verifier(), content: NoContent(),
            hooks: AppHooks(), catalog: { loaded.values.last }, now: { clock.now }, schedule: .never, emit: { _ in })
        let bought = try #require(try await voyager.store.purchase(.voyager("lisbon"), quantity: 1).transaction)
        await queue.deliver(bought)
        // The list of the other account does not contain it.
        try await voyager.store.finish(bought)
        entitlements.replace(
            byLedgerOfOtherAccount: await ledger.summary(), at: clock.now, check: SubscriptionCheck(),
            isIncomplete: false)
        loaded.record(try VoyagerStore.catalog())

        #expect(try await queue.retry().isEmpty)
        #expect(await ledger.entries(after: 0).isEmpty)
    }

    @Test func `a transaction that becomes pending during a request to the store remains listed`() async throws {
        let (gate, base) = (Gate(), voyager.store)
        var store = InterceptedStore(base)
        store.onUnfinished = { () async throws(StoreError) in
            let transactions = try await base.unfinishedTransactions()
            await gate.pass()
            return transactions
        }
        let queue = try makeQueue(store: store, catalog: { nil })
        async let drained = queue.drain()
        await gate.arrival()
        await queue.deliver(try await base.purchaseElsewhereTransaction(.voyager("lisbon")))
        await gate.open()

        #expect(try await drained.isEmpty)
        #expect(await queue.pending().map(\.id) == ["1"])
    }

    @Test func `a retry throws an error if the store cannot be reached`() async throws {
        try await voyager.store.fail(.unfinished, times: 1)

        await #expect(throws: StoreError.self) { try await makeQueue().retry() }
    }

    @Test func `the app can discard a rejected transaction`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        let queue = try makeQueue(verifier: VoyagerStore().verifier())
        try await queue.drain()
        #expect(await queue.pending().map(\.id) == ["1"])

        try await queue.discard("1")
        #expect(try await unfinished.isEmpty)
        #expect(await queue.pending().isEmpty)
        #expect(steps.values.last == "discarded")
        #expect(await ledger.entries(after: 0).isEmpty)
    }

    @Test func `a transaction that the store does not have cannot be discarded`() async throws {
        #expect(await discardCode("9", try makeQueue()) == .notFound)
    }

    @Test func `a valid purchase cannot be discarded, and is delivered instead`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)

        #expect(await discardCode("1", try makeQueue()) == .notRejected)
        #expect(await balance() == 50)
    }

    @Test func `a transaction that only waits for a catalog cannot be discarded`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)

        #expect(await discardCode("1", try makeQueue(catalog: { nil })) == .notRejected)
        #expect(try await unfinished == ["1"])
    }

    @Test(arguments: [SimulatedFailure.unfinished, .finish])
    func `a rejected transaction is not discarded if the store fails`(failure: SimulatedFailure) async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        let queue = try makeQueue(verifier: VoyagerStore().verifier())
        try await voyager.store.fail(failure, times: 1)

        #expect(await discardCode("1", queue) == .store)
        #expect(try await unfinished == ["1"])
    }

    @Test(arguments: [StoreError.Code.productNotAvailable, .notAllowed])
    func `any error of the store during a discard is reported as a store failure`(code: StoreError.Code) async throws {
        var store = InterceptedStore(voyager.store)
        store.onUnfinished = { () throws(StoreError) in throw StoreError(code: code, reason: "no") }

        #expect(await discardCode("1", try makeQueue(store: store)) == .store)
    }
}

extension SimulatedStore {
    /// Buys a product as on another device.
    ///
    /// - Returns: The transaction in the form in which an app receives it.
    func purchaseElsewhereTransaction(_ identifier: String) async throws -> StoreTransaction {
        let bought = try await purchaseElsewhere(identifier)
        return try #require(await unfinishedTransactions().first { $0.id == bought.id })
    }
}
