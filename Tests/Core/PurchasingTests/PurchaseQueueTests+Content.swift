import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Content provider that calls a test's function, and records the transactions.
private struct ScriptedContent: ContentProvider {
    let asked = Recorder<String>()
    let body: @Sendable () async throws(ContentProviderError) -> [String]

    func lacksContent(unlockedBy transaction: SignedTransaction) async -> Bool { true }

    func installContent(unlockedBy transaction: SignedTransaction) async throws(ContentProviderError) -> [String] {
        asked.record(transaction.payload.transactionID)
        return try await body()
    }
}

extension PurchaseQueueTests {
    @Test func `content is installed after the purchase is recorded and before the transaction is finished`()
        async throws
    {
        let content = ScriptedContent { () throws(ContentProviderError) in ["rome"] }
        let answer = try await makeQueue(content: content).purchase(.voyager("rome"), quantity: 1)

        #expect(answer.word == "success, charged")
        #expect(steps.values == ["received", "verified", "recorded", "installed rome", "finished"])
    }

    @Test func `a transaction is recorded without its content and remains unfinished until the content is installed`()
        async throws
    {
        let failing = ScriptedContent { () throws(ContentProviderError) in
            throw ContentProviderError(code: .unavailable, reason: "no network")
        }
        let answer = try await makeQueue(content: failing).purchase(.voyager("rome"), quantity: 1)
        #expect(answer.word == "pending: no content: no network")
        #expect(steps.values == ["received", "verified", "recorded", "waiting"])
        #expect(try await unfinished == ["1"])
        #expect(await ledger.entries(after: 0).count == 1)

        let working = ScriptedContent { () throws(ContentProviderError) in ["rome"] }
        #expect(try await makeQueue(content: working).drain().map(\.word) == ["delivered, known"])
        #expect(try await unfinished.isEmpty)
    }

    @Test func `no content is requested for a consumable`() async throws {
        let content = ScriptedContent { () throws(ContentProviderError) in [] }
        _ = try await makeQueue(content: content).purchase(.voyager("coins50"), quantity: 1)

        #expect(content.asked.values.isEmpty)
    }

    @Test func `restoring downloads content only for unfinished transactions`() async throws {
        _ = try await makeQueue().purchase(.voyager("rome"), quantity: 1)
        _ = try await voyager.store.purchase(.voyager("athens"), quantity: 1)
        let content = ScriptedContent { () throws(ContentProviderError) in [] }
        let queue = try makeQueue(ledger: MemoryLedger(), content: content)
        let result = try await queue.restore()

        #expect(result.restored == ["rome", "athens"].map(String.voyager))
        await queue.contentSettled()
        #expect(content.asked.values == ["2"])
        #expect(try await unfinished.isEmpty)
    }

    @Test func `a purchase fails as revoked if another process records its refund during the content download`()
        async throws
    {
        let (voyager, ledger) = (voyager, ledger)
        let content = ScriptedContent { () async throws(ContentProviderError) in
            do {
                try await voyager.store.refund("1")
                let other = PurchaseQueue(
                    store: voyager.store, entitlements: EntitlementStore(ledger), verifier: try voyager.verifier(),
                    content: NoContent(), catalog: { nil }, emit: { _ in })
                try await other.drain()
            } catch {
                Issue.record(error)
            }
            throw ContentProviderError(code: .unavailable, reason: "not owned any more")
        }

        #expect(try await makeQueue(content: content).purchase(.voyager("rome"), quantity: 1).word == "failed: revoked")
        #expect(try await unfinished.isEmpty)
    }

    @Test func `a purchase made during a restore remains pending until its content is installed`() async throws {
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onRestore = { () async throws(StoreError) in
            _ = try await base.purchase(.voyager("rome"), quantity: 1)
            return try await base.restore()
        }
        let failing = ScriptedContent { () throws(ContentProviderError) in
            throw ContentProviderError(code: .unavailable, reason: "no network")
        }
        let queue = try makeQueue(store: store, content: failing)
        let result = try await queue.restore()

        #expect(result.restored == [.voyager("rome")])
        await queue.contentSettled()
        #expect(await queue.pending().map(\.id) == ["1"])
        #expect(try await unfinished == ["1"])
    }

    @Test func `no content is requested for a refunded purchase`() async throws {
        let content = ScriptedContent { () throws(ContentProviderError) in [] }
        _ = try await voyager.store.purchase(.voyager("rome"), quantity: 1)
        try await voyager.store.refund("1")

        #expect(try await makeQueue(content: content).drain().map(\.word) == ["taken back, new"])
        #expect(content.asked.values.isEmpty)
    }
}
