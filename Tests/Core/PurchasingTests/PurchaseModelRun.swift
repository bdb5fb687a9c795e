import Foundation
import Synchronization
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Difference between the model and the tested components.
struct ModelDifference: Error, CustomStringConvertible {
    let description: String
}

/// Random operations of a queue, a ledger and a snapshot, which are compared with the model after each operation.
struct PurchaseModelRun {
    enum Operation: CaseIterable {
        case purchase, purchaseElsewhere, oldCopy, refund, reversal, drain, restore, rebuild, catalogChange
        case deposit, spend, grant, lock, relaunch, time
    }

    /// Faults during one operation.
    private struct Faults {
        var isAnswerLost = false
        var isFinishFailing = false
    }

    private final class Stage: Sendable {
        let faults = Mutex(Faults())
        let verified = Mutex<[SignedTransaction]>([])
        let notRecorded = Mutex<Set<String>>([])
        let catalog: Mutex<Catalog>

        init(catalog: Catalog) { self.catalog = Mutex(catalog) }

        func begin(_ faults: Faults) {
            self.faults.withLock { $0 = faults }
            verified.withLock { $0 = [] }
            notRecorded.withLock { $0 = [] }
        }

        func hear(_ step: TransactionStep) {
            switch step {
            case .verified(let signed): verified.withLock { $0.append(signed) }
            // A restored copy of what is recorded is verified too, and begins no delivery.
            case .recorded(let signed, isNew: false):
                verified.withLock { if !$0.contains(signed) { $0.append(signed) } }
            case .waiting(let transaction, .ledger):
                notRecorded.withLock { _ = $0.insert(transaction.signedData) }
            default: return
            }
        }
    }

    private struct Copy {
        let transaction: StoreTransaction
        let isRevoked: Bool
    }

    private let store: any EventfulStore
    private let verifier: any TransactionVerifier
    private let ledger: FlakyLedger
    private let clock: TestClock
    private let stage: Stage
    private var random: SeededGenerator
    private var queue: PurchaseQueue
    private var snapshot: EntitlementSnapshot
    private var model: PurchaseModel
    /// Copies of transactions that the store has sent, delivered or not.
    private var copies: [Copy] = []
    private var tokenCount = 0

    init(
        store: any EventfulStore, verifier: any TransactionVerifier, ledger: any Ledger, clock: TestClock, seed: UInt64
    ) {
        (self.store, self.verifier, self.clock) = (store, verifier, clock)
        self.ledger = FlakyLedger(ledger)
        random = SeededGenerator(seed: seed)
        stage = Stage(catalog: PurchaseModelShop.catalogs[0])
        model = PurchaseModel(catalog: PurchaseModelShop.catalogs[0])
        snapshot = EntitlementSnapshot(
            catalog: PurchaseModelShop.catalogs[0],
            summary: LedgerSummary(lastSequence: 0, entries: [], balances: [:]),
            at: clock.now)
        queue = Self.makeQueue(store, self.ledger, verifier, stage)
    }

    private static func makeQueue(
        _ store: any EventfulStore, _ ledger: FlakyLedger, _ verifier: any TransactionVerifier, _ stage: Stage
    ) -> PurchaseQueue {
        var intercepted = InterceptedStore(store)
        intercepted.onPurchase = { identifier, options async throws(StoreError) in
            let answer = try await store.purchase(identifier, options: options)
            guard !stage.faults.withLock(\.isAnswerLost) else {
                throw StoreError(code: .network, reason: "the connection was lost")
            }
            return answer
        }
        intercepted.onFinish = { transaction async throws(StoreError) in
            guard !stage.faults.withLock(\.isFinishFailing) else {
                throw StoreError(code: .unavailable, reason: "the process has ended")
            }
            try await store.finish(transaction)
        }
        return PurchaseQueue(
            store: intercepted, entitlements: EntitlementStore(ledger), verifier: verifier, content: NoContent(),
            catalog: { stage.catalog.withLock { $0 } }, schedule: .never, emit: { stage.hear($0) })
    }

    // MARK: One operation after another

    /// - Throws: ``ModelDifference`` at the first operation after which the model and the tested components differ.
    mutating func run(operations count: Int, comparingRebuiltEvery interval: Int) async throws {
        for number in 1...count {
            guard let operation = Operation.allCases.randomElement(using: &random) else { return }
            do {
                try await run(operation)
                if number.isMultiple(of: interval) { try await compareRebuilt() }
            } catch let difference as ModelDifference {
                throw ModelDifference(description: "operation \(number) (\(operation)): \(difference)")
            }
        }
    }

    private mutating func run(_ operation: Operation) async throws {
        clock.advance(by: 1)
        stage.begin(Faults())
        ledger.begin(callsBeforeFailure: nil)
        try await perform(operation)
        let entries = try await ledger.base.entries(after: snapshot.lastSequence)
        hearCopies(recordedAs: entries)
        let before = Set(snapshot.owned)
        let changes = [try snapshot.apply(entries), snapshot.set(date: clock.now)]
        try compare(changes, with: before)
    }

    private mutating func perform(_ operation: Operation) async throws {
        switch operation {
        case .purchase: try await purchase()
        case .purchaseElsewhere:
            try await store.buyElsewhere(somethingSold(), quantity: 1)
        case .oldCopy:
            guard let copy = copies.randomElement(using: &random) else { return }
            arm()
            await queue.deliver(copy.transaction)
        case .refund:
            guard let copy = copies.randomElement(using: &random) else { return }
            try await store.revokePurchase(copy.transaction.id)
            try await storeCopy(of: copy.transaction.id, isRevoked: true)
        case .reversal:
            guard let copy = copies.filter(\.isRevoked).randomElement(using: &random) else { return }
            // One that has been given back already cannot be given back again.
            try? await store.giveBack(copy.transaction.id)
            try await storeCopy(of: copy.transaction.id, isRevoked: false)
        case .drain: try await drain()
        case .restore:
            arm()
            _ = try await queue.restore()
        case .rebuild:
            arm()
            _ = try await queue.recordKnown()
        case .catalogChange: changeCatalog()
        case .deposit, .spend: try await changeWallet(operation)
        case .grant, .lock: try await changeGrants(operation)
        case .relaunch:
            queue = Self.makeQueue(store, ledger, verifier, stage)
            snapshot = EntitlementSnapshot(
                catalog: model.catalog, summary: try await ledger.summary(), at: clock.now)
        case .time: clock.advance(by: 3_600)
        }
    }

    /// Sets a fault for one in three operations.
    ///
    /// - Returns: `true` if no fault is set.
    @discardableResult
    private mutating func arm() -> Bool {
        switch Int.random(in: 0..<9, using: &random) {
        case 0: stage.begin(Faults(isAnswerLost: true))
        case 1: stage.begin(Faults(isFinishFailing: true))
        case 2: ledger.begin(callsBeforeFailure: Int.random(in: 0..<6, using: &random))
        default: return true
        }
        return false
    }

    private mutating func somethingSold() -> String {
        (Bool.random(using: &random) ? PurchaseModelShop.products : PurchaseModelShop.packs).randomElement(
            using: &random) ?? ""
    }

    private mutating func purchase() async throws {
        let (isFaultless, identifier) = (arm(), somethingSold())
        let quantity = PurchaseModelShop.packs.contains(identifier) ? Int.random(in: 1...3, using: &random) : 1
        let salesBefore = try await store.saleCount()
        let answer = await queue.purchase(identifier, options: PurchaseOptions(quantity: quantity))
        guard isFaultless else { return }
        let isSold = try await store.saleCount() > salesBefore
        switch answer {
        case .success(let signed, let notChargedAgain)
        where signed.payload.productIdentifier == identifier && notChargedAgain != isSold:
            return
        case .pending(.delivery(.unknownProduct(identifier))) where model.catalog[identifier] == nil: return
        default: throw ModelDifference(description: "\(identifier), sold: \(isSold), was answered with \(answer)")
        }
    }

    /// Stores copies of a transaction, which may be delivered later, even after newer copies.
    private mutating func storeCopy(of id: String, isRevoked: Bool) async throws {
        let transactions = try await store.unfinishedTransactions()
        copies += transactions.filter { $0.id == id }.map { Copy(transaction: $0, isRevoked: isRevoked) }
    }

    private mutating func drain() async throws {
        let isFaultless = arm()
        try await queue.drain()
        guard isFaultless else { return }
        for transaction in try await store.unfinishedTransactions() {
            guard let payload = TransactionPayload(unverified: transaction.signedData),
                model.catalog[payload.productIdentifier] == nil
            else { throw ModelDifference(description: "transaction \(transaction.id) is still unfinished") }
        }
    }

    private mutating func changeCatalog() {
        guard let catalog = PurchaseModelShop.catalogs.randomElement(using: &random) else { return }
        model.catalog = catalog
        stage.catalog.withLock { $0 = catalog }
        snapshot = snapshot.with(catalog: catalog)
    }

    /// Returns a new token, or one that was used before.
    private mutating func token(_ kind: String) -> String {
        if Int.random(in: 0..<4, using: &random) > 0 || tokenCount == 0 { tokenCount += 1 }
        return "\(kind) \(Int.random(in: max(1, tokenCount - 5)...max(1, tokenCount), using: &random))"
    }

    private mutating func changeWallet(_ operation: Operation) async throws {
        let wallet = PurchaseModelShop.wallets.randomElement(using: &random) ?? ""
        let amount = Int.random(in: 1...200, using: &random)
        let token = token("\(operation)")
        let fact: Fact
        if operation == .deposit {
            fact = .deposited(amount, in: wallet, token: token)
            model.deposit(amount, in: wallet, token: token)
        } else {
            fact = .spent(amount, from: wallet, token: token)
            model.spend(amount, from: wallet, token: token)
        }
        try await append(fact)
    }

    private mutating func changeGrants(_ operation: Operation) async throws {
        let product = PurchaseModelShop.products.randomElement(using: &random) ?? ""
        let token = token("\(operation)")
        guard operation == .grant else {
            // A lock by a token that was used before is none.
            if try await append(.locked(product, token: token)) { model.lock(product) }
            return
        }
        let end = clock.now + Double(Int.random(in: 1...40_000, using: &random))
        try await append(.given(product, token: token, until: end))
        model.grant(product, until: end, token: token)
    }

    /// Appends a fact to the ledger.
    ///
    /// - Returns: `true` if the fact was new.
    @discardableResult
    private func append(_ fact: Fact) async throws -> Bool {
        do throws(LedgerError) {
            return try await !ledger.append([fact], at: clock.now).isEmpty
        } catch  where [.insufficientFunds, .conflict].contains(error.code) {
            return false
        }
    }

    // MARK: Comparing

    /// Passes copies that arrived together to the model, in the order in which the ledger has recorded them.
    private mutating func hearCopies(recordedAs entries: [LedgerEntry]) {
        let places = Dictionary(
            entries.compactMap { entry in entry.fact.origin.map { ($0.signedData, entry.sequence) } },
            uniquingKeysWith: min)
        let recorded = ledger.recorded
        let notRecorded = stage.notRecorded.withLock { $0 }
        let verified = stage.verified.withLock { $0 }
        for copy in verified.sorted(by: { places[$0.signedData] ?? .max < places[$1.signedData] ?? .max })
        where !notRecorded.contains(copy.signedData) || recorded.contains(copy.signedData) { model.hear(copy.payload) }
        copies += verified.map { copy in
            Copy(
                transaction: StoreTransaction(id: copy.payload.transactionID, signedData: copy.signedData),
                isRevoked: copy.payload.revocationDate != nil)
        }
        copies.removeFirst(max(0, copies.count - 300))
    }

    private func compare(_ changes: [EntitlementSnapshot.Changes], with before: Set<String>) throws {
        let owned = model.owned(at: clock.now)
        guard Set(snapshot.owned) == owned else {
            throw ModelDifference(description: "owned: \(snapshot.owned.sorted()), expected: \(owned.sorted())")
        }
        var reported = before
        for change in changes { reported = reported.union(change.newlyOwned).subtracting(change.noLongerOwned) }
        guard reported == owned else {
            throw ModelDifference(description: "told: \(reported.sorted()), expected: \(owned.sorted())")
        }
        for wallet in PurchaseModelShop.wallets
        where snapshot.balance(of: wallet) != .known(model.balances[wallet, default: 0]) {
            let expected = model.balances[wallet, default: 0]
            throw ModelDifference(
                description: "\(wallet): \(snapshot.balance(of: wallet).units), expected: \(expected)")
        }
    }

    /// Compares the updated snapshot with a rebuilt one.
    private func compareRebuilt() async throws {
        let ledger = ledger.base
        let rebuilt = [
            try EntitlementSnapshot(
                catalog: model.catalog, entries: await ledger.entries(after: 0), at: clock.now),
            EntitlementSnapshot(catalog: model.catalog, summary: try await ledger.summary(), at: clock.now),
        ]
        for other in rebuilt {
            guard other.owned == snapshot.owned, other.lastSequence == snapshot.lastSequence,
                other.nextEnd == snapshot.nextEnd, other.hasRevocations == snapshot.hasRevocations,
                other.balances.filter({ $0.value != 0 }) == snapshot.balances.filter({ $0.value != 0 }),
                PurchaseModelShop.products.allSatisfy({ other.ownership(of: $0) == snapshot.ownership(of: $0) })
            else { throw ModelDifference(description: "made anew, the snapshot is another one") }
        }
    }
}
