import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

extension PurchaseQueueTests {
    @Test func `a transaction waits while no catalog is loaded, and is delivered once one is loaded`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        let known = Recorder<Catalog>()
        let queue = try makeQueue(catalog: { known.values.last })
        #expect(try await queue.drain().map(\.word) == ["waiting: no catalog is loaded"])
        #expect(try await unfinished.count == 1)

        known.record(try VoyagerStore.catalog())
        #expect(try await queue.drain().map(\.word) == ["delivered, new"])
    }

    @Test func `a second concurrent delivery of a transaction succeeds if a catalog is loaded after the first began`()
        async throws
    {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        let transaction = try await voyager.store.unfinishedTransactions()[0]
        let (known, gate) = (Recorder<Catalog>(), Gate())
        var ledger = InterceptedLedger(ledger)
        ledger.before = { call in if call == "entry" { await gate.pass() } }
        let queue = try makeQueue(ledger: ledger, catalog: { known.values.last })
        async let first = queue.deliver(transaction)
        await gate.arrival()
        known.record(try VoyagerStore.catalog())
        async let second = queue.deliver(transaction)
        await gate.open()

        #expect(await first.word == "waiting: no catalog is loaded")
        #expect(await second.word == "delivered, new")
    }

    struct Obstacle: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let catalog: Catalog
        let product: String
        let word: String
    }

    @Test(arguments: [
        Obstacle(
            testDescription: "a product that the catalog does not have", catalog: Catalog(products: []),
            product: "lisbon", word: "waiting: com.example.voyager.lisbon is not in the catalog"),
        Obstacle(
            testDescription: "a kind on which catalog and store differ",
            catalog: Catalog(products: [CatalogProduct(identifier: .voyager("coins50"), kind: .nonConsumable)]),
            product: "coins50",
            word: "waiting: the product is nonConsumable in the catalog and consumable in the store"),
        Obstacle(
            testDescription: "a consumable without wallet", catalog: Catalog(identifiers: [.voyager("coins50")]),
            product: "coins50",
            word:
                "waiting: the catalog has no storageKey or no usable productValue for com.example.voyager.coins50"
        ),
    ])
    func `a transaction that cannot be delivered stays unfinished in the store`(_ obstacle: Obstacle) async throws {
        _ = try await voyager.store.purchase(.voyager(obstacle.product), quantity: 1)
        let queue = try makeQueue(catalog: { obstacle.catalog })

        #expect(try await queue.drain().map(\.word) == [obstacle.word])
        #expect(await ledger.entries(after: 0).allSatisfy { $0.fact.kind == .note })
        #expect(try await unfinished.count == 1)
    }

    @Test func `a product without a kind in the catalog is delivered with the kind that the store reports`()
        async throws
    {
        let catalog = Catalog(identifiers: [.voyager("lisbon")])
        let answer = try await makeQueue(catalog: { catalog }).purchase(.voyager("lisbon"), quantity: 1)

        #expect(answer.word == "success, charged")
    }

    @Test func `a transaction signed by an untrusted store is neither delivered nor finished`() async throws {
        let stranger = try VoyagerStore().verifier()
        let answer = try await makeQueue(verifier: stranger).purchase(.voyager("coins50"), quantity: 1)

        #expect(answer.word == "failed: rejected")
        #expect(steps.values == ["received", "rejected"])
        #expect(await ledger.entries(after: 0).isEmpty)
        #expect(try await unfinished.count == 1)
    }

    @Test func `a transaction with an undetermined verification waits, and is delivered once it is verified`()
        async throws
    {
        struct Undecided: TransactionVerifier {
            func verify(transaction signedData: String) async -> Verification<SignedTransaction> {
                .undetermined("no answer")
            }

            func verify(appTransaction signedData: String) async -> Verification<SignedAppTransaction> {
                .undetermined("no answer")
            }

            func verify(renewal signedData: String) async -> Verification<SignedRenewal> {
                .undetermined("no answer")
            }
        }
        let answer = try await makeQueue(verifier: Undecided()).purchase(.voyager("coins50"), quantity: 1)

        #expect(answer.word == "pending: no answer")
        #expect(try await unfinished.count == 1)
        #expect(try await makeQueue().drain().map(\.word) == ["delivered, new"])
    }

    @Test
    func `a transaction identifier with the signed data of another transaction is rejected, and neither is finished`()
        async throws
    {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        let both = try await voyager.store.unfinishedTransactions()
        let mixed = StoreTransaction(id: both[1].id, signedData: both[0].signedData)

        #expect(try await makeQueue().deliver(mixed).word == "rejected")
        #expect(try await unfinished.count == 2)
        #expect(await ledger.entries(after: 0).isEmpty)
    }
}
