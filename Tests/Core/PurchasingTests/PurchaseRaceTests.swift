import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Races in which the same transaction arrives over several ways at once, and must be credited once.
///
/// Most races use a store and a verifier without signatures, and test the queue and the ledger's rules. Some hundreds
/// more use the simulated store, real signatures, and a ledger on disk.
@Suite(.hangLimit) struct PurchaseRaceTests {
    /// Returns a store that also restores consumables, as one more way on which a transaction arrives.
    private static func generous(_ store: any Store) -> InterceptedStore {
        var generous = InterceptedStore(store)
        generous.onRestore = { () async throws(StoreError) in try await store.knownTransactions() }
        return generous
    }

    private static func race(
        rounds: Int, store: any EventfulStore, ledger: any Ledger, verifier: any TransactionVerifier, clock: TestClock
    ) async throws {
        let catalog = try VoyagerStore.catalog()
        let queue = PurchaseQueue(
            store: generous(store), entitlements: EntitlementStore(ledger), verifier: verifier, content: NoContent(),
            catalog: { catalog }, now: { clock.now }, schedule: .never, emit: { _ in })
        await queue.observe()
        for round in 1...rounds {
            clock.advance(by: 1)
            // It is sent to who listens, while it is asked for in every other way.
            try await store.buyElsewhere(.voyager("coins50"), quantity: 1)
            try await withThrowingTaskGroup { group in
                // Where it has come and is finished already, this buys another one.
                group.addTask { _ = await queue.purchase(.voyager("coins50"), quantity: 1) }
                group.addTask { try await queue.drain() }
                group.addTask { _ = try await queue.restore() }
                group.addTask { _ = try await queue.recordKnown() }
                try await group.waitForAll()
            }
            try #require(try await store.unfinishedTransactions().isEmpty, "round \(round)")
        }
        await queue.stop()
        let sales = try await store.saleCount()
        let credits = try await ledger.entries(after: 0).compactMap(\.fact.walletChange)
        #expect(sales >= rounds)
        #expect(credits.count == sales)
        #expect(try await ledger.summary().balances == ["coins": sales * 50])
    }

    @Test(arguments: 1...20)
    func `a purchase that arrives at once by update, purchase call and restore is credited once, in 10000 rounds`(
        part: Int
    )
        async throws
    {
        let clock = TestClock()
        try await Self.race(
            rounds: 500, store: PaperStore(selling: [.voyager("coins50"): .consumable], now: { clock.now }),
            ledger: MemoryLedger(), verifier: PaperVerifier(), clock: clock)
    }

    @Test func `a signed purchase that arrives at once by update, call and restore is credited once in a disk ledger`()
        async throws
    {
        let voyager = try VoyagerStore()
        try await Self.race(
            rounds: 200, store: voyager.store, ledger: try SQLiteLedger(url: voyager.folder["ledger.sqlite"]),
            verifier: try voyager.verifier(), clock: voyager.clock)
    }

    @Test func `a hundred concurrent purchases each return their own product`() async throws {
        let clock = TestClock()
        let products = (1...100).map { CatalogProduct(identifier: "guide\($0)", kind: .nonConsumable) }
        let catalog = Catalog(products: products)
        let kinds = Dictionary(uniqueKeysWithValues: products.map { ($0.identifier, $0.kind) })
        let store = PaperStore(selling: kinds, now: { clock.now })
        let ledger = MemoryLedger()
        let queue = PurchaseQueue(
            store: store, entitlements: EntitlementStore(ledger), verifier: PaperVerifier(), content: NoContent(),
            catalog: { catalog }, schedule: .never, emit: { _ in })
        let answers = await withTaskGroup(of: (String, PurchaseAnswer).self) { group in
            for product in products {
                group.addTask { (product.identifier, await queue.purchase(product.identifier, quantity: 1)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(answers.count == 100)
        for (identifier, answer) in answers {
            guard case .success(let signed, notChargedAgain: false) = answer else {
                Issue.record("\(identifier): \(answer)")
                continue
            }
            #expect(signed.payload.productIdentifier == identifier)
        }
        #expect(await ledger.entries(after: 0).count == 100)
    }
}
