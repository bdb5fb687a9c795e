public import Entitlements
public import Foundation
public import ProductCatalog
public import Receipts

/// The one way from a transaction to the customer, whatever brought it: a purchase, an update, the backlog at launch
/// or a restore.
///
/// Each transaction is verified, recorded in the ledger together with what it credits, announced, and only then
/// finished with the store. It may be stopped between any two steps: it is then sent again, and goes on from what the
/// ledger has. One that comes in several ways at once is delivered once.
public actor PurchaseQueue {
    private let store: any Store
    private let ledger: any Ledger
    private let verifier: any TransactionVerifier
    private let catalog: @Sendable () -> Catalog?
    private let now: @Sendable () -> Date
    private let announce: @Sendable (TransactionStep) async -> Void
    private var deliveries: [StoreTransaction: Task<Delivery, Never>] = [:]
    private var purchasesInProgress: Set<String> = []
    private var observer: Task<Void, Never>?

    /// - Parameters:
    ///   - catalog: The catalog that is known at the moment; `nil` before the first.
    ///   - now: The time at which facts are recorded.
    ///   - announce: Called at each step of each transaction, and waited for: a transaction is finished only after
    ///     its recording has been announced.
    public init(
        store: any Store,
        ledger: any Ledger,
        verifier: any TransactionVerifier,
        catalog: @escaping @Sendable () -> Catalog?,
        now: @escaping @Sendable () -> Date = { Date() },
        announce: @escaping @Sendable (TransactionStep) async -> Void
    ) {
        self.store = store
        self.ledger = ledger
        self.verifier = verifier
        self.catalog = catalog
        self.now = now
        self.announce = announce
    }

    deinit { observer?.cancel() }

    /// Starts to take in the transactions that come without a call. They are delivered beside each other, so that
    /// none holds up the next.
    public func observe() {
        guard observer == nil else { return }
        let updates = store.updates()
        observer = Task { [weak self] in
            for await transaction in updates {
                Task { [weak self] in _ = await self?.deliver(transaction) }
            }
        }
    }

    /// Stops taking in transactions. Those under way are delivered.
    public func stop() {
        observer?.cancel()
        observer = nil
    }

    /// Delivers every transaction that the store still holds, oldest first.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked for them.
    @discardableResult
    public func drain() async throws(StoreError) -> [Delivery] {
        var deliveries: [Delivery] = []
        for transaction in try await store.unfinishedTransactions() { deliveries.append(await deliver(transaction)) }
        return deliveries
    }

    /// Brings one transaction to its end. A second call for a transaction that is under way waits for the first.
    @discardableResult
    public func deliver(_ transaction: StoreTransaction) async -> Delivery {
        if let delivery = deliveries[transaction] { return await delivery.value }
        let task = Task { await process(transaction) }
        deliveries[transaction] = task
        let delivery = await task.value
        deliveries[transaction] = nil
        return delivery
    }

    /// Buys a product and brings its transaction to its end.
    ///
    /// Whether the product is on offer is for the caller to check; here it is refused only while a purchase of it has
    /// not been answered.
    public func purchase(_ identifier: String, quantity: Int) async -> PurchaseAnswer {
        guard purchasesInProgress.insert(identifier).inserted else {
            return .failed(
                PurchaseFailure(code: .inProgress, reason: "a purchase of \(identifier) has not been answered yet"))
        }
        defer { purchasesInProgress.remove(identifier) }
        do throws(StoreError) {
            let earlier = Set(try await store.unfinishedTransactions().map(\.id))
            switch try await store.purchase(identifier, quantity: quantity) {
            case .cancelled: return .cancelled
            case .pending: return .pending(.askToBuy)
            case .purchased(let transaction):
                let delivery = await deliver(transaction)
                return answer(to: delivery, wasUnfinished: earlier.contains(transaction.id))
            }
        } catch {
            let code: PurchaseFailure.Code = error.code == .invalidQuantity ? .invalidQuantity : .store
            return .failed(PurchaseFailure(code: code, reason: error.reason))
        }
    }

    /// Records again what the store says was bought. Nothing is taken away.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked.
    public func restore() async throws(StoreError) -> RestoreResult {
        var result = RestoreResult()
        for transaction in try await store.restore() {
            switch await deliver(transaction) {
            case .delivered(let signed, let isNew, _):
                let identifier = signed.payload.productIdentifier
                if isNew { result.restored.append(identifier) } else { result.alreadyOwned.append(identifier) }
            case .waiting(let reason):
                result.failed.append(
                    RestoreResult.Failure(transactionID: transaction.id, reason: reason.description))
            case .rejected(let reasons):
                result.failed.append(
                    RestoreResult.Failure(transactionID: transaction.id, reason: reasons.inWords))
            }
        }
        return result
    }
}

extension PurchaseQueue {
    private func process(_ transaction: StoreTransaction) async -> Delivery {
        await announce(.received(transaction))
        switch await verifier.verify(transaction: transaction.signedData) {
        case .undetermined(let reason): return await wait(transaction, .verification(reason))
        case .rejected(let reasons): return await reject(transaction, reasons)
        case .verified(let signed):
            // Finished is what the store named, delivered what was signed: they have to be the same.
            guard signed.payload.transactionID == transaction.id else {
                let detail = "the store calls it \(transaction.id), and signed \(signed.payload.transactionID)"
                return await reject(transaction, [RejectionReason(code: .payload, detail: detail)])
            }
            await announce(.verified(signed))
            return await record(signed, from: transaction)
        }
    }

    private func reject(_ transaction: StoreTransaction, _ reasons: [RejectionReason]) async -> Delivery {
        await announce(.rejected(transaction, reasons))
        return .rejected(reasons)
    }

    private func record(_ signed: SignedTransaction, from transaction: StoreTransaction) async -> Delivery {
        do throws(LedgerError) {
            // What the ledger has was delivered under the catalog of its time: a later one is not asked again.
            var isNew = false
            if try await !isRecorded(signed) {
                switch DeliveryPlan(transaction: signed, catalog: catalog()) {
                case .wait(let reason): return await wait(transaction, reason)
                case .record(let facts): isNew = try await !ledger.append(facts, at: now()).isEmpty
                }
            }
            await announce(.recorded(signed, isNew: isNew))
            return .delivered(signed, isNew: isNew, finishError: await finish(signed, transaction))
        } catch {
            return await wait(transaction, .ledger(error))
        }
    }

    private func isRecorded(_ signed: SignedTransaction) async throws(LedgerError) -> Bool {
        let entry = try await ledger.purchase(originalTransactionID: signed.payload.originalTransactionID)
        guard let entry, case .purchase(let purchase) = entry.fact else { return false }
        guard purchase.productIdentifier == signed.payload.productIdentifier else {
            throw LedgerError.conflict(entry.fact)
        }
        return true
    }

    private func finish(_ signed: SignedTransaction, _ transaction: StoreTransaction) async -> StoreError? {
        do throws(StoreError) {
            try await store.finish(transaction)
            await announce(.finished(signed))
            return nil
        } catch {
            await announce(.notFinished(signed, error))
            return error
        }
    }

    private func wait(_ transaction: StoreTransaction, _ reason: WaitingReason) async -> Delivery {
        await announce(.waiting(transaction, reason))
        return .waiting(reason)
    }

    private func answer(to delivery: Delivery, wasUnfinished: Bool) -> PurchaseAnswer {
        switch delivery {
        case .delivered(let signed, let isNew, _): .success(signed, notChargedAgain: wasUnfinished || !isNew)
        case .waiting(.verification(let reason)): .pending(.verification(reason))
        case .waiting(let reason): .pending(.delivery(reason))
        case .rejected(let reasons): .failed(PurchaseFailure(code: .rejected, reason: reasons.inWords))
        }
    }
}

extension [RejectionReason] {
    /// All reasons in one phrase.
    package var inWords: String { map(\.detail).joined(separator: "; ") }
}
