public import Foundation
public import VitrineCatalog
public import VitrineEntitlements
public import VitrineNetworking
public import VitrineReceipts
public import VitrineSupport

/// Queue that verifies, records, delivers and finishes all transactions of the store: from purchases, updates and
/// restores, and unfinished ones at launch.
///
/// Each transaction is verified, recorded in the ledger together with its credit, and reported. Then its content is
/// installed, the app's own delivery handler is called, and finally the transaction is finished with the store. If the
/// process ends between two steps, the store sends the transaction again, and the delivery resumes from the ledger's
/// state. A transaction that arrives from several sources at the same time is delivered once. Different transactions do
/// not wait for each other, except that the periods of a subscription are delivered in the order in which they begin.
public actor PurchaseQueue {
    let pipeline: TransactionPipeline
    let hookCalls: HookCalls
    let completed: @Sendable (SignedTransaction) -> Void
    private let schedule: RetrySchedule
    var deliveries = RunningDeliveries()
    var periods = PeriodDeliveries()
    var waiting = WaitingTransactions()
    var purchases = OpenPurchases()
    private var observer: Task<Void, Never>?
    private var retrying: Task<Void, Never>?
    var restoring: [UUID?: Task<Result<RestoreResult, StoreError>, Never>] = [:]

    var store: any Store { pipeline.store }
    var entitlements: EntitlementStore { pipeline.entitlements }

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - store: The store that sells the products.
    ///   - entitlements: The ledger that records facts, with ownership and balances.
    ///   - verifier: The verifier of signed transactions.
    ///   - content: The provider that installs the content of purchased products.
    ///   - hooks: The app's own verification and delivery.
    ///   - catalog: Returns the current catalog; `nil` before the first one is loaded.
    ///   - now: Returns the recording date of facts.
    ///   - schedule: The schedule of retries.
    ///   - hookLimit: The limit for the time that calls wait for the hooks. A purchase waits for the hooks of its own
    ///     transaction as long as they take.
    ///   - emit: A closure that receives each step of each transaction. The closure must not call `entitlements`, which
    ///     is locked while a recording is reported.
    ///   - completed: A closure that receives each delivered and finished purchase that no call in this process waits
    ///     for. The purchase was approved later, made elsewhere, or left by an earlier launch. Renewals and restored
    ///     purchases are not included.
    public init(
        store: any Store,
        entitlements: EntitlementStore,
        verifier: any TransactionVerifier,
        content: any ContentProvider,
        hooks: AppHooks = AppHooks(),
        catalog: @escaping @Sendable () -> Catalog?,
        now: @escaping @Sendable () -> Date = { Date() },
        schedule: RetrySchedule = RetrySchedule(),
        hookLimit: HookLimit = HookLimit(),
        emit: @escaping @Sendable (TransactionStep) -> Void,
        completed: @escaping @Sendable (SignedTransaction) -> Void = { _ in }
    ) {
        let hookCalls = HookCalls(limit: hookLimit)
        self.init(
            store: store, entitlements: entitlements, verifier: verifier, content: content,
            hooks: hookCalls.counting(hooks), hookCalls: hookCalls, catalog: catalog, now: now, schedule: schedule,
            emit: emit, completed: completed)
    }

    /// Creates a queue whose hooks count their calls themselves.
    ///
    /// - Parameter hookCalls: Calls of the hooks, and of the app's other functions, that are in progress.
    package init(
        store: any Store,
        entitlements: EntitlementStore,
        verifier: any TransactionVerifier,
        content: any ContentProvider,
        hooks: AppHooks,
        hookCalls: HookCalls,
        catalog: @escaping @Sendable () -> Catalog?,
        now: @escaping @Sendable () -> Date,
        schedule: RetrySchedule,
        emit: @escaping @Sendable (TransactionStep) -> Void,
        completed: @escaping @Sendable (SignedTransaction) -> Void
    ) {
        self.hookCalls = hookCalls
        pipeline = TransactionPipeline(
            store: store, entitlements: entitlements, verifier: verifier, content: content, hooks: hooks,
            catalog: catalog, now: now, emit: emit)
        self.schedule = schedule
        self.completed = completed
    }

    deinit {
        observer?.cancel()
        retrying?.cancel()
    }

    /// Starts to receive the transactions that the store sends without a call, and to retry waiting ones. The
    /// transactions are delivered concurrently, except the periods of a subscription.
    public func observe() {
        guard observer == nil else { return }
        let updates = store.updates()
        observer = Task { [weak self] in
            for await transaction in updates {
                guard let begun = await self?.beginInOrder(transaction) else { return }
                Task { [weak self] in
                    if case .lacksContent(_, _, isOurs: false) = await begun.value { await self?.deliver(transaction) }
                }
            }
        }
        retryLaterIfNeeded()
    }

    /// Stops receiving transactions. Deliveries in progress are completed, including those that wait for content.
    public func stop() {
        observer?.cancel()
        observer = nil
        retrying?.cancel()
        retrying = nil
    }

    // MARK: Waiting transactions

    func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] {
        // Changes made while the store answers are not included in its response.
        waiting.storeIsRead()
        let before = waiting.all
        do {
            let transactions = try await store.unfinishedTransactions()
            let (missed, settled) = waiting.retain(
                transactions, of: before, replacements: entitlements.replacements)
            for transaction in settled { pipeline.emit(.settledElsewhere(transaction)) }
            await recordMissed(missed)
            return transactions
        } catch {
            waiting.storeMustBeRead()
            retryLaterIfNeeded()
            throw error
        }
    }

    /// Returns the transactions that could not be delivered, in the order of the failures. A transaction whose content
    /// is being installed is not included.
    public func pending() -> [PendingTransaction] { waiting.all }

    /// Retries the waiting transactions, and waits for missing content.
    ///
    /// - Returns: The transactions that are still waiting.
    /// - Throws: ``StoreError`` if the store's transactions cannot be read.
    @discardableResult
    public func retry() async throws(StoreError) -> [PendingTransaction] {
        try await drain()
        return pending()
    }

    /// Finishes a rejected transaction without delivering it.
    ///
    /// - Throws: ``DiscardError`` if the transaction does not exist, was not rejected, or cannot be finished with the
    ///   store; `notRejected` also while a hook of the app verifies or delivers the transaction: within a hook at once,
    ///   otherwise after the limit.
    public func discard(_ id: String) async throws(DiscardError) {
        let transactions: [StoreTransaction]
        do {
            transactions = try await unfinishedTransactions()
        } catch {
            throw DiscardError(code: .store, reason: error.reason)
        }
        guard let transaction = transactions.first(where: { $0.id == id }) else {
            throw DiscardError(code: .notFound, reason: "the store has no unfinished transaction \(id)")
        }
        let isOccupied = hookCalls.isInside && deliveries.last(of: id) != nil || isHeldUpByHook(transaction)
        guard !isOccupied, let begun = await value(of: Task { await begin(transaction) }, on: transaction) else {
            throw DiscardError(
                code: .notRejected,
                reason: "transaction \(id) cannot be discarded: the app's own verification or delivery of it has not "
                    + "ended")
        }
        guard case .ended(.rejected) = begun else {
            throw DiscardError(
                code: .notRejected,
                reason: "transaction \(id) cannot be discarded: it was not rejected, and has been paid for")
        }
        do {
            try await store.finish(transaction)
        } catch {
            throw DiscardError(code: .store, reason: error.reason)
        }
        waiting.remove(id)
        pipeline.emit(.discarded(transaction))
    }

    /// Records the result of delivering a transaction, reports a complete purchase that no call waits for, and starts
    /// retries if a transaction still has to be delivered.
    ///
    /// - Parameter isRestored: `true` if a restore only recorded the transaction.
    func note(_ delivery: Delivery, of transaction: StoreTransaction, isRestored: Bool) {
        waiting.note(delivery, of: transaction, at: pipeline.now())
        switch delivery {
        case .delivered(let delivered):
            purchases.noteOutcome(delivered, replacements: entitlements.replacements)
            if delivered.isLeftUnfinished {
                if !isRestored { waiting.storeMustBeRead() }
            } else if delivered.finishError == nil, !isRestored || delivered.isNew {
                deliveries.noteFinished(delivered.transaction)
            }
            if !isRestored, delivered.finishError == nil, delivered.transaction.payload.reason != .renewal,
                purchases.noteDelivery(of: delivered.transaction)
            {
                completed(delivered.transaction)
            }
        case .revoked: deliveries.forgetFinished(transaction.id)
        case .waiting, .rejected: break
        }
        retryLaterIfNeeded()
    }

    func retryLaterIfNeeded() {
        guard observer != nil, retrying == nil, waiting.needRetry else { return }
        let schedule = schedule
        retrying = Task { [weak self] in
            var attempt = 0
            repeat {
                do {
                    try await schedule.sleep(schedule.delay(before: attempt))
                } catch {
                    return
                }
                attempt += 1
            } while await self?.tryAgain() ?? false
        }
    }

    /// Retries the delivery of waiting transactions, once.
    ///
    /// - Returns: `true` if a retry is still needed.
    private func tryAgain() async -> Bool {
        // An error is not handled here: `unfinishedTransactions()` has recorded that the store must be read again.
        try? await drainUpToContent()
        // The delays keep increasing while content is being installed, because the installation may fail each time.
        let isOver = !waiting.needRetry && !deliveries.isAnyLackingContent
        if isOver { retrying = nil }
        return !isOver
    }
}
