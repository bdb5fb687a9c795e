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
    @Test func `a purchase that was paid but not recorded is delivered at the next launch`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        let deliveries = try await makeQueue(store: voyager.reopened()).drain()

        #expect(deliveries.map(\.word) == ["delivered, new"])
        #expect(await balance() == 50)
        #expect(try await unfinished.isEmpty)
    }

    @Test func `a purchase that was recorded but not finished is finished at the next launch and not credited again`()
        async throws
    {
        var store = InterceptedStore(voyager.store)
        store.onFinish = { _ throws(StoreError) in throw StoreError(code: .unavailable, reason: "no network") }
        let answer = try await makeQueue(store: store).purchase(.voyager("coins50"), quantity: 1)
        #expect(answer.word == "success, charged")
        #expect(steps.values.last == "not finished")
        #expect(try await unfinished.count == 1)

        #expect(try await makeQueue().drain().map(\.word) == ["delivered, known"])
        #expect(await balance() == 50)
        #expect(try await unfinished.isEmpty)
    }

    @Test func `a recorded purchase is finished even without a catalog`() async throws {
        var store = InterceptedStore(voyager.store)
        store.onFinish = { _ throws(StoreError) in throw StoreError(code: .unavailable, reason: "no network") }
        _ = try await makeQueue(store: store).purchase(.voyager("coins50"), quantity: 1)

        #expect(try await makeQueue(catalog: { nil }).drain().map(\.word) == ["delivered, known"])
        #expect(try await unfinished.isEmpty)
    }

    @Test func `an unfinished purchase is the result of the next purchase of the product, without another charge`()
        async throws
    {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        let answer = try await makeQueue().purchase(.voyager("coins50"), quantity: 1)

        #expect(answer.word == "success, not charged again")
        #expect(await balance() == 50)
        #expect(try await voyager.store.transactions().count == 1)
    }

    @Test func `a ledger failure leaves a purchase unfinished, and the next attempt succeeds`() async throws {
        let failing = FailingLedger()
        let answer = try await makeQueue(ledger: failing).purchase(.voyager("coins50"), quantity: 1)

        #expect(answer.word == "pending: the disk is full")
        #expect(steps.values == ["received", "verified", "waiting"])
        #expect(try await unfinished.count == 1)
        #expect(try await makeQueue().drain().map(\.word) == ["delivered, new"])
        #expect(await balance() == 50)
    }

    @Test func `a purchase that another process has recorded first is not reported as charged by this call`()
        async throws
    {
        let queue = try makeQueue()
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, options async throws(StoreError) in
            let answer = try await base.purchase(identifier, options: options)
            try await queue.drain()
            return answer
        }

        let answer = try await makeQueue(store: store).purchase(.voyager("coins50"), quantity: 1)
        #expect(answer.word == "success, not charged again")
        #expect(await balance() == 50)
    }

    @Test func `a purchase has an unknown outcome if the store's answer is lost`() async throws {
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, options async throws(StoreError) in
            _ = try await base.purchase(identifier, options: options)
            throw StoreError(code: .unavailable, reason: "the connection was lost")
        }
        let queue = try makeQueue(store: store)

        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "unknown: the connection was lost")
        #expect(try await queue.drain().map(\.word) == ["delivered, new"])
        #expect(await balance() == 50)
    }
}
