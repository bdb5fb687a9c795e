import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import Receipts
import StoreSimulator
import TestSupport
import Testing

@Suite struct PurchaseQueueTests {
    private let voyager: VoyagerStore
    private let ledger = MemoryLedger()
    private let steps = Recorder<String>()

    init() throws { voyager = try VoyagerStore() }

    private func makeQueue(
        store: (any Store)? = nil,
        ledger: (any Ledger)? = nil,
        verifier: (any TransactionVerifier)? = nil,
        catalog: @escaping @Sendable () -> Catalog? = { try? VoyagerStore.catalog() }
    ) throws -> PurchaseQueue {
        let steps = steps
        return PurchaseQueue(
            store: store ?? voyager.store,
            ledger: ledger ?? self.ledger,
            verifier: try verifier ?? voyager.verifier(),
            catalog: catalog,
            announce: { steps.record($0.word) }
        )
    }

    private var unfinished: [String] {
        get async throws { try await voyager.store.unfinishedTransactions().map(\.id) }
    }

    private func balance() async -> Int {
        await ledger.entries(after: 0).compactMap(\.fact.walletChange).reduce(0) { $0 + $1.amount }
    }

    // MARK: The way of a transaction

    @Test func `a purchase is verified, recorded, announced and finished, in this order`() async throws {
        let answer = try await makeQueue().purchase(.voyager("lisbon"), quantity: 1)

        #expect(answer.word == "success, charged")
        #expect(steps.values == ["received", "verified", "recorded", "finished"])
        #expect(try await unfinished.isEmpty)
        guard case .purchase(let purchase) = await ledger.entries(after: 0).first?.fact else {
            Issue.record("no purchase was recorded")
            return
        }
        #expect(purchase.productIdentifier == .voyager("lisbon"))
        #expect(purchase.environment == "Sandbox")
        #expect(try await voyager.verifier().verify(transaction: purchase.signedData).word == "verified")
    }

    @Test func `a consumable is credited by value and quantity, together with its purchase`() async throws {
        _ = try await makeQueue().purchase(.voyager("coins50"), quantity: 3)

        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.purchase, .credit])
        #expect(await balance() == 150)
    }

    @Test func `two purchases of one pack are credited twice, a replay of one once`() async throws {
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

    @Test func `a transaction that comes from many sides at once is delivered once`() async throws {
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

    // MARK: Interruptions

    @Test func `paid for and not recorded, it is delivered at the next launch`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        let deliveries = try await makeQueue(store: voyager.reopened()).drain()

        #expect(deliveries.map(\.word) == ["delivered, new"])
        #expect(await balance() == 50)
        #expect(try await unfinished.isEmpty)
    }

    @Test func `recorded and not finished, it is finished at the next launch and not credited again`() async throws {
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

    @Test func `what is recorded is finished even without a catalog`() async throws {
        var store = InterceptedStore(voyager.store)
        store.onFinish = { _ throws(StoreError) in throw StoreError(code: .unavailable, reason: "no network") }
        _ = try await makeQueue(store: store).purchase(.voyager("coins50"), quantity: 1)

        #expect(try await makeQueue(catalog: { nil }).drain().map(\.word) == ["delivered, known"])
        #expect(try await unfinished.isEmpty)
    }

    @Test func `an unfinished purchase answers the next one, and the call says that nothing was charged`() async throws
    {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        let answer = try await makeQueue().purchase(.voyager("coins50"), quantity: 1)

        #expect(answer.word == "success, not charged again")
        #expect(await balance() == 50)
        #expect(try await voyager.store.transactions().count == 1)
    }

    @Test func `a ledger that fails finishes nothing, and the next try succeeds`() async throws {
        let failing = FailingLedger()
        let answer = try await makeQueue(ledger: failing).purchase(.voyager("coins50"), quantity: 1)

        #expect(answer.word == "pending: the disk is full")
        #expect(steps.values == ["received", "verified", "waiting"])
        #expect(try await unfinished.count == 1)
        #expect(try await makeQueue().drain().map(\.word) == ["delivered, new"])
        #expect(await balance() == 50)
    }

    @Test func `delivered by somebody faster, a purchase was still charged for`() async throws {
        let queue = try makeQueue()
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, quantity async throws(StoreError) in
            let answer = try await base.purchase(identifier, quantity: quantity)
            try await queue.drain()
            return answer
        }

        #expect(try await makeQueue(store: store).purchase(.voyager("coins50"), quantity: 1).word == "success, charged")
        #expect(await balance() == 50)
    }

    @Test func `where the store gives no answer, nobody says that nothing was bought`() async throws {
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, quantity async throws(StoreError) in
            _ = try await base.purchase(identifier, quantity: quantity)
            throw StoreError(code: .unavailable, reason: "the connection was lost")
        }
        let queue = try makeQueue(store: store)

        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "unknown: the connection was lost")
        #expect(try await queue.drain().map(\.word) == ["delivered, new"])
        #expect(await balance() == 50)
    }

    // MARK: What cannot be delivered

    @Test func `before a catalog is known a transaction waits, and is delivered once it is`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        let known = Recorder<Catalog>()
        let queue = try makeQueue(catalog: { known.values.last })
        #expect(try await queue.drain().map(\.word) == ["waiting: no catalog is loaded"])
        #expect(try await unfinished.count == 1)

        known.record(try VoyagerStore.catalog())
        #expect(try await queue.drain().map(\.word) == ["delivered, new"])
    }

    @Test func `a delivery that waited for a catalog is tried again by who comes later`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        let transaction = try await voyager.store.unfinishedTransactions()[0]
        let (known, gate) = (Recorder<Catalog>(), Gate())
        let (store, ledger) = (voyager.store, ledger)
        let queue = PurchaseQueue(
            store: store, ledger: ledger, verifier: try voyager.verifier(), catalog: { known.values.last },
            announce: { step in if case .waiting = step { await gate.pass() } })
        async let first = queue.deliver(transaction)
        await gate.arrival()
        known.record(try VoyagerStore.catalog())
        async let second = queue.deliver(transaction)
        await gate.open()

        #expect(await first.word == "waiting: no catalog is loaded")
        #expect(await second.word == "delivered, new")
    }

    @Test func `what the store has taken back unlocks nothing`() async throws {
        let identity = try SigningIdentity(commonName: "Test Store", around: voyager.clock.now)
        let payload = TransactionPayload(
            transactionID: "9", originalTransactionID: "9", bundleIdentifier: VoyagerStore.bundleIdentifier,
            productIdentifier: .voyager("lisbon"), purchaseDate: voyager.clock.now,
            originalPurchaseDate: voyager.clock.now, quantity: 1, type: .nonConsumable, environment: .sandbox,
            signedDate: voyager.clock.now, storefront: nil, price: nil, currency: nil,
            revocationDate: voyager.clock.now)
        let verifier = SignedDataVerifier(
            roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: VoyagerStore.bundleIdentifier,
            environment: .sandbox)
        let transaction = StoreTransaction(id: "9", signedData: try identity.sign(payload))
        let delivery = try await makeQueue(verifier: verifier).deliver(transaction)

        #expect(delivery.word.hasPrefix("waiting: the store has taken com.example.voyager.lisbon back"))
        #expect(await ledger.entries(after: 0).isEmpty)
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
            product: "coins50", word: "waiting: the catalog says nonConsumable and the store consumable"),
        Obstacle(
            testDescription: "a consumable without wallet", catalog: Catalog(identifiers: [.voyager("coins50")]),
            product: "coins50",
            word: "waiting: the catalog names no wallet and value for com.example.voyager.coins50"),
        Obstacle(
            testDescription: "hosted content",
            catalog: Catalog(products: [
                CatalogProduct(identifier: .voyager("lisbon"), kind: .nonConsumable, isHosted: true)
            ]),
            product: "lisbon",
            word: "waiting: com.example.voyager.lisbon is a subscription or has hosted content, which this version "
                + "does not deliver"),
    ])
    func `what cannot be delivered stays with the store`(_ obstacle: Obstacle) async throws {
        _ = try await voyager.store.purchase(.voyager(obstacle.product), quantity: 1)
        let queue = try makeQueue(catalog: { obstacle.catalog })

        #expect(try await queue.drain().map(\.word) == [obstacle.word])
        #expect(await ledger.entries(after: 0).isEmpty)
        #expect(try await unfinished.count == 1)
    }

    @Test func `a product of unknown kind is delivered as what the store says`() async throws {
        let catalog = Catalog(identifiers: [.voyager("lisbon")])
        let answer = try await makeQueue(catalog: { catalog }).purchase(.voyager("lisbon"), quantity: 1)

        #expect(answer.word == "success, charged")
    }

    @Test func `what cannot be trusted is not delivered and not finished`() async throws {
        let stranger = try VoyagerStore().verifier()
        let answer = try await makeQueue(verifier: stranger).purchase(.voyager("coins50"), quantity: 1)

        #expect(answer.word == "failed: rejected")
        #expect(steps.values == ["received", "rejected"])
        #expect(await ledger.entries(after: 0).isEmpty)
        #expect(try await unfinished.count == 1)
    }

    @Test func `what could not be verified waits`() async throws {
        struct Undecided: TransactionVerifier {
            func verify(transaction signedData: String) async -> Verification<SignedTransaction> {
                .undetermined("no answer")
            }
        }
        let answer = try await makeQueue(verifier: Undecided()).purchase(.voyager("coins50"), quantity: 1)

        #expect(answer.word == "pending: no answer")
        #expect(try await unfinished.count == 1)
        #expect(try await makeQueue().drain().map(\.word) == ["delivered, new"])
    }

    @Test func `a transaction under another's name finishes neither`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        let both = try await voyager.store.unfinishedTransactions()
        let mixed = StoreTransaction(id: both[1].id, signedData: both[0].signedData)

        #expect(try await makeQueue().deliver(mixed).word == "rejected")
        #expect(try await unfinished.count == 2)
        #expect(await ledger.entries(after: 0).isEmpty)
    }

    // MARK: Answers

    @Test func `a purchase of something that is being bought is refused`() async throws {
        let gate = Gate()
        let base = voyager.store
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, quantity async throws(StoreError) in
            await gate.pass()
            return try await base.purchase(identifier, quantity: quantity)
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
            (StorePurchaseAnswer.pending, "pending: ask to buy"), (StorePurchaseAnswer.cancelled, "cancelled"),
        ]
    )
    func `what the store has not sold is told as that`(reply: StorePurchaseAnswer, word: String) async throws {
        var store = InterceptedStore(voyager.store)
        store.onPurchase = { _, _ throws(StoreError) in reply }

        #expect(try await makeQueue(store: store).purchase(.voyager("lisbon"), quantity: 1).word == word)
        #expect(await ledger.entries(after: 0).isEmpty)
    }

    @Test(
        arguments: [("atlantis", 1, "failed: store"), ("coins50", 11, "failed: invalid-quantity")]
    )
    func `what the store refuses is a failure`(name: String, quantity: Int, word: String) async throws {
        #expect(try await makeQueue().purchase(.voyager(name), quantity: quantity).word == word)
    }

    @Test func `what is bought elsewhere is delivered without a call`() async throws {
        let queue = try makeQueue()
        await queue.observe()
        try await voyager.store.purchaseElsewhere(.voyager("lisbon"))
        while try await !unfinished.isEmpty { await Task.yield() }

        #expect(await ledger.entries(after: 0).map(\.fact.kind) == [.purchase])
        await queue.stop()
    }

    // MARK: Restoring

    @Test func `restoring tells what was restored and what was there`() async throws {
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

    @Test func `there may be nothing to restore`() async throws {
        #expect(try await makeQueue().restore().isEmpty)
    }

    @Test func `what cannot be restored is told, and the rest restored`() async throws {
        _ = try await makeQueue().purchase(.voyager("lisbon"), quantity: 1)
        _ = try await makeQueue().purchase(.voyager("porto"), quantity: 1)
        let catalog = Catalog(products: [CatalogProduct(identifier: .voyager("porto"), kind: .nonConsumable)])
        let result = try await makeQueue(ledger: MemoryLedger(), catalog: { catalog }).restore()

        #expect(result.restored == [.voyager("porto")])
        #expect(result.failed.map(\.transactionID) == ["1"])
        #expect(result.failed.map(\.reason) == [.waiting(.unknownProduct(.voyager("lisbon")))])
    }
}

/// A ledger on a full disk.
private struct FailingLedger: Ledger {
    private let error = LedgerError(code: .unavailable, reason: "the disk is full")

    func append(_ facts: [Fact], at date: Date) async throws(LedgerError) -> [LedgerEntry] { throw error }

    func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry] { throw error }

    func purchase(originalTransactionID: String) async throws(LedgerError) -> LedgerEntry? { nil }

    func lastSequence() async throws(LedgerError) -> Int64 { 0 }
}

extension TransactionStep {
    fileprivate var word: String {
        switch self {
        case .received: "received"
        case .verified: "verified"
        case .recorded: "recorded"
        case .finished: "finished"
        case .notFinished: "not finished"
        case .waiting: "waiting"
        case .rejected: "rejected"
        }
    }
}

extension Delivery {
    fileprivate var word: String {
        switch self {
        case .delivered(let delivered): delivered.isNew ? "delivered, new" : "delivered, known"
        case .waiting(let reason): "waiting: \(reason)"
        case .rejected: "rejected"
        }
    }
}

extension PurchaseAnswer {
    fileprivate var word: String {
        switch self {
        case .success(_, let notChargedAgain): notChargedAgain ? "success, not charged again" : "success, charged"
        case .pending(.askToBuy): "pending: ask to buy"
        case .pending(.outcomeUnknown(let reason)): "unknown: \(reason)"
        case .pending(.verification(let reason)): "pending: \(reason)"
        case .pending(.delivery(let reason)): "pending: \(reason)"
        case .cancelled: "cancelled"
        case .failed(let failure): "failed: \(failure.code)"
        }
    }
}

extension Verification {
    fileprivate var word: String {
        switch self {
        case .verified: "verified"
        case .rejected: "rejected"
        case .undetermined: "undetermined"
        }
    }
}

extension Fact {
    fileprivate var signedTransaction: StoreTransaction? {
        guard case .purchase(let purchase) = self else { return nil }
        return StoreTransaction(id: purchase.transactionID, signedData: purchase.signedData)
    }
}
