public import Entitlements
public import Foundation
public import ProductCatalog
public import Receipts

/// The one way from a transaction to the customer, whatever brought it: a purchase, an update, the backlog at launch
/// or a restore.
///
/// Each transaction is verified, recorded in the ledger together with what it credits, announced, its content is
/// installed, and only then it is finished with the store. It may be stopped between any two steps: it is then sent again, and goes on from what the
/// ledger has. One that comes in several ways at once is delivered once.
public actor PurchaseQueue {
    private let store: any Store
    private let ledger: any Ledger
    private let verifier: any TransactionVerifier
    private let content: any ContentProvider
    private let catalog: @Sendable () -> Catalog?
    private let now: @Sendable () -> Date
    private let announce: @Sendable (TransactionStep) async -> Void
    private var deliveries: [StoreTransaction: Task<Delivery, Never>] = [:]
    private var purchasesInProgress: Set<String> = []
    private var observer: Task<Void, Never>?

    /// - Parameters:
    ///   - content: What installs the content of bought products.
    ///   - catalog: The catalog that is known at the moment; `nil` before the first.
    ///   - now: The time at which facts are recorded.
    ///   - announce: Called at each step of each transaction, and waited for: a transaction is finished only after
    ///     its recording has been announced.
    public init(
        store: any Store,
        ledger: any Ledger,
        verifier: any TransactionVerifier,
        content: any ContentProvider,
        catalog: @escaping @Sendable () -> Catalog?,
        now: @escaping @Sendable () -> Date = { Date() },
        announce: @escaping @Sendable (TransactionStep) async -> Void
    ) {
        self.store = store
        self.ledger = ledger
        self.verifier = verifier
        self.content = content
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
        await deliver(transaction, awaitingContent: true)
    }

    private func deliver(_ transaction: StoreTransaction, awaitingContent: Bool) async -> Delivery {
        while let running = deliveries[transaction] {
            let delivery = await running.value
            // One that had to wait may have looked before what it waits for was there.
            guard case .waiting = delivery else { return delivery }
        }
        let task = Task {
            let delivery = await process(transaction, awaitingContent: awaitingContent)
            deliveries[transaction] = nil
            return delivery
        }
        deliveries[transaction] = task
        return await task.value
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
        let before: Before
        do {
            before = try await stateBeforePurchase()
        } catch {
            return .failed(error)
        }
        do throws(StoreError) {
            switch try await store.purchase(identifier, quantity: quantity) {
            case .cancelled: return .cancelled
            case .pending: return .pending(.askToBuy)
            case .purchased(let transaction):
                return answer(to: await deliver(transaction), of: transaction, quantity: quantity, before: before)
            }
        } catch {
            switch error.code {
            case .invalidQuantity: return .failed(PurchaseFailure(code: .invalidQuantity, reason: error.reason))
            case .productNotAvailable: return .failed(PurchaseFailure(code: .store, reason: error.reason))
            default: return .pending(.outcomeUnknown(error))
            }
        }
    }

    /// What was there before a purchase, so that its answer can be told from an older one.
    private struct Before {
        let lastSequence: Int64
        let unfinished: Set<String>
    }

    /// A store or ledger that cannot be read now is not asked to sell or record anything.
    private func stateBeforePurchase() async throws(PurchaseFailure) -> Before {
        let lastSequence: Int64
        do {
            lastSequence = try await ledger.lastSequence()
        } catch {
            throw PurchaseFailure(code: .ledger, reason: error.reason)
        }
        do {
            return Before(
                lastSequence: lastSequence, unfinished: Set(try await store.unfinishedTransactions().map(\.id)))
        } catch {
            throw PurchaseFailure(code: error.code == .storage ? .storage : .store, reason: error.reason)
        }
    }

    /// Records again what the store says was bought. Nothing is taken away, but for what the store says that it has
    /// taken back. Content is not installed by this, unless the purchase was never finished.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked.
    public func restore() async throws(StoreError) -> RestoreResult {
        var result = RestoreResult()
        let transactions = try await store.restore()
        // Asked afterwards: whoever waits for the content of one of them has not finished it then.
        let unfinished = Set(try await store.unfinishedTransactions().map(\.id))
        for transaction in transactions {
            switch await deliver(transaction, awaitingContent: unfinished.contains(transaction.id)) {
            case .delivered(let delivered):
                let identifier = delivered.transaction.payload.productIdentifier
                if delivered.isNew {
                    result.restored.append(identifier)
                } else {
                    result.alreadyOwned.append(identifier)
                }
            case .revoked(let revoked):
                if revoked.isNew { result.takenBack.append(revoked.transaction.payload.productIdentifier) }
            case .waiting(let reason):
                result.failed.append(
                    RestoreResult.Failure(transactionID: transaction.id, reason: .waiting(reason)))
            case .rejected(let reasons):
                result.failed.append(
                    RestoreResult.Failure(transactionID: transaction.id, reason: .rejected(reasons)))
            }
        }
        return result
    }
}

extension PurchaseQueue {
    private func process(_ transaction: StoreTransaction, awaitingContent: Bool) async -> Delivery {
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
            if let date = signed.payload.revocationDate { return await revoke(signed, from: transaction, at: date) }
            return await record(signed, from: transaction, awaitingContent: awaitingContent)
        }
    }

    private func reject(_ transaction: StoreTransaction, _ reasons: [RejectionReason]) async -> Delivery {
        await announce(.rejected(transaction, reasons))
        return .rejected(reasons)
    }

    private func record(
        _ signed: SignedTransaction, from transaction: StoreTransaction, awaitingContent: Bool
    ) async -> Delivery {
        let isNew: Bool
        let sequence: Int64
        do throws(LedgerError) {
            if let delivery = try await deliveryOfRevoked(signed, transaction) { return delivery }
            // What the ledger has was delivered under the catalog of its time: a later one is not asked again.
            if let entry = try await recordedPurchase(of: signed) {
                (isNew, sequence) = (false, entry.sequence)
            } else {
                switch DeliveryPlan(transaction: signed, catalog: catalog()) {
                case .wait(let reason): return await wait(transaction, reason)
                case .record(let facts):
                    isNew = try await !ledger.append(facts, at: now()).isEmpty
                    sequence = try await recordedPurchase(of: signed)?.sequence ?? 0
                }
            }
        } catch {
            return await wait(transaction, .ledger(error))
        }
        await announce(.recorded(signed, isNew: isNew))
        if awaitingContent, signed.payload.type != .consumable {
            do {
                let products = try await content.installContent(unlockedBy: signed)
                if !products.isEmpty { await announce(.contentInstalled(signed, products: products)) }
            } catch {
                return await waitForContent(signed, transaction, error)
            }
        }
        return .delivered(
            Delivered(
                transaction: signed, isNew: isNew, sequence: sequence, finishError: await finish(signed, transaction)))
    }

    private func revoke(_ signed: SignedTransaction, from transaction: StoreTransaction, at date: Date) async
        -> Delivery
    {
        let payload = signed.payload
        let fact = Fact.Revocation(
            originalTransactionID: payload.originalTransactionID, transactionID: payload.transactionID,
            productIdentifier: payload.productIdentifier, revocationDate: date,
            environment: payload.environment.rawValue, signedData: signed.signedData)
        do throws(LedgerError) {
            let isNew = try await !ledger.append([.revocation(fact)], at: now()).isEmpty
            let entry = try await revocation(of: signed)
            return await finishRevoked(signed, transaction, isNew: isNew, sequence: entry?.sequence ?? 0)
        } catch {
            return await wait(transaction, .ledger(error))
        }
    }

    private func finishRevoked(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, isNew: Bool, sequence: Int64
    ) async -> Delivery {
        await announce(.revoked(signed, isNew: isNew))
        return .revoked(
            Delivered(
                transaction: signed, isNew: isNew, sequence: sequence, finishError: await finish(signed, transaction)))
    }

    /// What is not owned any more waits for no content: another process may have recorded a refund meanwhile.
    private func waitForContent(
        _ signed: SignedTransaction, _ transaction: StoreTransaction, _ missing: ContentProviderError
    ) async -> Delivery {
        do throws(LedgerError) {
            if let delivery = try await deliveryOfRevoked(signed, transaction) { return delivery }
        } catch {
            return await wait(transaction, .ledger(error))
        }
        return await wait(transaction, .content(missing))
    }

    /// - Returns: `nil` for a transaction that has not been taken back.
    private func deliveryOfRevoked(
        _ signed: SignedTransaction, _ transaction: StoreTransaction
    ) async throws(LedgerError) -> Delivery? {
        guard let entry = try await revocation(of: signed), case .revocation(let revocation) = entry.fact else {
            return nil
        }
        // Signed later without a revocation, it is no copy from before.
        if let revoked = TransactionPayload(unverified: revocation.signedData),
            signed.payload.signedDate > revoked.signedDate
        {
            return await wait(transaction, .givenBack(signed.payload.productIdentifier))
        }
        return await finishRevoked(signed, transaction, isNew: false, sequence: entry.sequence)
    }

    private func revocation(of signed: SignedTransaction) async throws(LedgerError) -> LedgerEntry? {
        try await ledger.entry(of: .revocation, key: signed.payload.originalTransactionID)
    }

    private func recordedPurchase(of signed: SignedTransaction) async throws(LedgerError) -> LedgerEntry? {
        let entry = try await ledger.entry(of: .purchase, key: signed.payload.originalTransactionID)
        guard let entry, case .purchase(let purchase) = entry.fact else { return nil }
        guard purchase.productIdentifier == signed.payload.productIdentifier else {
            throw LedgerError.conflict(entry.fact)
        }
        return entry
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

    /// A transaction that was unfinished before the store was asked, or recorded by then, was not charged for again; one
    /// of another quantity is not the one that was asked for.
    private func answer(
        to delivery: Delivery, of transaction: StoreTransaction, quantity: Int, before: Before
    ) -> PurchaseAnswer {
        switch delivery {
        case .delivered(let delivered):
            .success(
                delivered.transaction,
                notChargedAgain: before.unfinished.contains(transaction.id)
                    || delivered.sequence <= before.lastSequence
                    || delivered.transaction.payload.quantity != quantity)
        case .revoked:
            .failed(
                PurchaseFailure(
                    code: .revoked, reason: "the store has taken transaction \(transaction.id) back"))
        case .waiting(.verification(let reason)): .pending(.verification(reason))
        case .waiting(.content(let error)): .pending(.content(error))
        case .waiting(let reason): .pending(.delivery(reason))
        case .rejected(let reasons): .failed(PurchaseFailure(code: .rejected, reason: reasons.inWords))
        }
    }
}

extension [RejectionReason] {
    /// All reasons in one phrase.
    package var inWords: String { map(\.detail).joined(separator: "; ") }
}
