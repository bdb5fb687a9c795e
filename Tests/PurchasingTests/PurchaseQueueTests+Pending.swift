import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import Receipts
import StoreSimulator
import TestSupport
import Testing

extension PurchaseQueueTests {
    private func discardCode(_ id: String, _ queue: PurchaseQueue) async -> DiscardError.Code? {
        do throws(DiscardError) {
            try await queue.discard(id)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `what waits is told with its product and the reason, until it is delivered`() async throws {
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

    @Test func `what waits is told once, however often it was tried`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        let queue = try makeQueue(catalog: { nil })
        for _ in 0..<3 { try await queue.retry() }

        #expect(await queue.pending().count == 1)
    }

    @Test func `what somebody else has finished meanwhile waits no longer`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        let queue = try makeQueue(catalog: { nil })
        try await queue.drain()
        try await makeQueue().drain()

        #expect(try await queue.retry().isEmpty)
    }

    @Test func `what begins to wait while the store is being asked is not forgotten`() async throws {
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

    @Test func `trying again where the store cannot be asked says so`() async throws {
        try await voyager.store.fail(.unfinished, times: 1)

        await #expect(throws: StoreError.self) { try await makeQueue().retry() }
    }

    @Test func `what was rejected is discarded where the app says so`() async throws {
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

    @Test func `what the store does not hold cannot be discarded`() async throws {
        #expect(await discardCode("9", try makeQueue()) == .notFound)
    }

    @Test func `what somebody has paid for is not discarded, and delivered where it can be`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)

        #expect(await discardCode("1", try makeQueue()) == .notRejected)
        #expect(await balance() == 50)
    }

    @Test func `what only waits is not discarded`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)

        #expect(await discardCode("1", try makeQueue(catalog: { nil })) == .notRejected)
        #expect(try await unfinished == ["1"])
    }

    @Test(arguments: [SimulatedFailure.unfinished, .finish])
    func `where the store fails nothing is discarded`(failure: SimulatedFailure) async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        let queue = try makeQueue(verifier: VoyagerStore().verifier())
        try await voyager.store.fail(failure, times: 1)

        #expect(await discardCode("1", queue) == .store)
        #expect(try await unfinished == ["1"])
    }

    @Test(arguments: [StoreError.Code.productNotAvailable, .notAllowed])
    func `whatever the store's failure is called, it is the store's`(code: StoreError.Code) async throws {
        var store = InterceptedStore(voyager.store)
        store.onUnfinished = { () throws(StoreError) in throw StoreError(code: code, reason: "no") }

        #expect(await discardCode("1", try makeQueue(store: store)) == .store)
    }
}

extension SimulatedStore {
    /// Buys something as on another device.
    ///
    /// - Returns: The transaction that comes of it, as an app gets it.
    func purchaseElsewhereTransaction(_ identifier: String) async throws -> StoreTransaction {
        let bought = try await purchaseElsewhere(identifier)
        return try #require(await unfinishedTransactions().first { $0.id == bought.id })
    }
}
