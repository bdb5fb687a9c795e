import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

extension EntitlementStore {
    /// Creates an entitlement store whose ledger is read at the first recording.
    convenience init(_ ledger: any Ledger) {
        self.init(
            ledger, summary: LedgerSummary(lastSequence: 0, entries: [], balances: [:]), at: .distantPast)
    }
}

@Suite(.hangLimit) struct PurchaseQueueTests {
    let voyager: VoyagerStore
    let ledger = MemoryLedger()
    let steps = Recorder<String>()

    init() throws { voyager = try VoyagerStore() }

    func makeQueue(
        store: (any Store)? = nil,
        ledger: (any Ledger)? = nil,
        verifier: (any TransactionVerifier)? = nil,
        content: any ContentProvider = NoContent(),
        hooks: AppHooks = AppHooks(),
        catalog: @escaping @Sendable () -> Catalog? = { try? VoyagerStore.catalog() },
        schedule: RetrySchedule = .never
    ) throws -> PurchaseQueue {
        let (steps, clock) = (steps, voyager.clock)
        return PurchaseQueue(
            store: store ?? voyager.store,
            entitlements: EntitlementStore(ledger ?? self.ledger),
            verifier: try verifier ?? voyager.verifier(),
            content: content,
            hooks: hooks,
            catalog: catalog,
            now: { clock.now },
            schedule: schedule,
            emit: { steps.record($0.word) }
        )
    }

    var unfinished: [String] {
        get async throws { try await voyager.store.unfinishedTransactions().map(\.id) }
    }

    func balance() async -> Int {
        await ledger.entries(after: 0).compactMap(\.fact.walletChange).reduce(0) { $0 + $1.amount }
    }

    @Test func `a purchase is verified, recorded, reported and finished, in this order`() async throws {
        let answer = try await makeQueue().purchase(.voyager("lisbon"), quantity: 1)

        #expect(answer.word == "success, charged")
        #expect(steps.values == ["received", "verified", "recorded", "finished"])
        #expect(try await unfinished.isEmpty)
        guard case .purchase(let purchase) = await ledger.entries(after: 0).first?.fact else {
            Issue.record("no purchase was recorded")
            return
        }
        #expect(purchase.productIdentifier == .voyager("lisbon"))
        #expect(purchase.origin.environment == "Sandbox")
        #expect(try await voyager.verifier().verify(transaction: purchase.origin.signedData).word == "verified")
    }

    @Test func `a consumable purchase credits its product value times the quantity`() async throws {
        _ = try await makeQueue().purchase(.voyager("coins50"), quantity: 3)

        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.purchase, .credit])
        #expect(await balance() == 150)
    }

    @Test func `two purchases of a coin pack are each credited once, even if they are received again`()
        async throws
    {
        let queue = try makeQueue()
        _ = await queue.purchase(.voyager("coins50"), quantity: 1)
        _ = await queue.purchase(.voyager("coins50"), quantity: 1)
        #expect(await balance() == 100)

        let bought = await ledger.entries(after: 0).compactMap(\.fact.signedTransaction)
        #expect(bought.count == 2)
        for transaction in bought + bought {
            #expect(await queue.deliver(transaction).word == "delivered, known")
        }
        #expect(await balance() == 100)
    }

    @Test func `a transaction that is delivered concurrently 200 times is credited once`() async throws {
        let queue = try makeQueue()
        guard case .purchased(let transaction) = try await voyager.store.purchase(.voyager("coins500"), quantity: 1)
        else { throw StoreError(code: .unavailable, reason: "not purchased") }
        let resigned = try await voyager.store.unfinishedTransactions()[0]

        let new = await withTaskGroup { group in
            for index in 0..<200 {
                group.addTask { await queue.deliver(index.isMultiple(of: 2) ? transaction : resigned).word }
            }
            return await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(new.isSubset(of: ["delivered, new", "delivered, known"]))
        #expect(await balance() == 500)
    }
}
