public import Entitlements
public import Foundation
public import Networking
public import ProductCatalog
public import Receipts

/// Queue that verifies, records, delivers and finishes all transactions of the store: those of purchases, updates and
/// restores, and those that are unfinished at launch.
///
/// Each transaction is verified, recorded in the ledger together with its credit, and announced; then its content is
/// installed, the app's own delivery handler is called, and only then the transaction is finished with the store. If
/// the process ends between two steps, the store sends the transaction again, and the delivery resumes from the
/// ledger's state. A transaction that arrives from several sources at once is delivered once; different transactions do
/// not wait for each other.
public actor PurchaseQueue {
    let store: any Store
    let ledger: any Ledger
    let verifier: any TransactionVerifier
    let content: any ContentProvider
    let hooks: AppHooks
    let catalog: @Sendable () -> Catalog?
    let now: @Sendable () -> Date
    let announce: @Sendable (TransactionStep) async -> Void
    private let schedule: RetrySchedule
    /// Deliveries in progress of each transaction, in the order in which they began.
    var deliveries: [String: [RunningDelivery]] = [:]
    var lastNumber = 0
    /// Deliveries that wait for the installation of content, by their number.
    var lackingContent: [Int: Task<Delivery, Never>] = [:]
    var pendingTransactions: [PendingTransaction] = []
    /// Verifications that belong, or may belong, to each transaction, until it is delivered.
    var callVerifications: [String: CallVerifications] = [:]
    /// Purchase calls whose transactions have not arrived, by product.
    var openCalls: [String: OpenCalls] = [:]
    var isStoreUnread = false
    var purchasesInProgress: Set<String> = []
    /// Products for which the outcome of a purchase is unknown.
    var unknownOutcomes: Set<String> = []
    private var observer: Task<Void, Never>?
    private var retrying: Task<Void, Never>?
    var restoring: [UUID?: Task<Result<RestoreResult, StoreError>, Never>] = [:]

    /// Creates a queue.
    ///
    /// - Parameters:
    ///   - store: The store that sells the products.
    ///   - ledger: The ledger that records facts.
    ///   - verifier: The verifier of signed transactions.
    ///   - content: The provider that installs the content of purchased products.
    ///   - hooks: The app's own verification and delivery.
    ///   - catalog: Returns the current catalog; `nil` before the first one is loaded.
    ///   - now: Returns the date at which facts are recorded.
    ///   - schedule: The schedule of retries.
    ///   - announce: Called at each step of each transaction, and awaited: a transaction is finished only after its
    ///     recording has been announced.
    public init(
        store: any Store,
        ledger: any Ledger,
        verifier: any TransactionVerifier,
        content: any ContentProvider,
        hooks: AppHooks = AppHooks(),
        catalog: @escaping @Sendable () -> Catalog?,
        now: @escaping @Sendable () -> Date = { Date() },
        schedule: RetrySchedule = RetrySchedule(),
        announce: @escaping @Sendable (TransactionStep) async -> Void
    ) {
        self.store = store
        self.ledger = ledger
        self.verifier = verifier
        self.content = content
        self.hooks = hooks
        self.catalog = catalog
        self.now = now
        self.schedule = schedule
        self.announce = announce
    }

    deinit {
        observer?.cancel()
        retrying?.cancel()
    }

    /// Starts to receive the transactions that arrive without a call, and to retry waiting ones. They are delivered
    /// concurrently, so that none delays the next.
    public func observe() {
        guard observer == nil else { return }
        let updates = store.updates()
        observer = Task { [weak self] in
            for await transaction in updates {
                Task { [weak self] in _ = await self?.deliver(transaction) }
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
        // The store's response does not include changes made while the store answers.
        isStoreUnread = false
        let waiting = Set(pendingTransactions.map(\.id))
        do {
            let transactions = try await store.unfinishedTransactions()
            let finished = waiting.subtracting(transactions.map(\.id))
            pendingTransactions.removeAll { finished.contains($0.id) }
            return transactions
        } catch {
            isStoreUnread = true
            retryLaterIfNeeded()
            throw error
        }
    }

    /// Returns the transactions that could not be delivered, in the order in which the failures occurred. A transaction
    /// whose content is being installed is not included.
    public func pending() -> [PendingTransaction] { pendingTransactions }

    /// Retries the waiting transactions, and waits for the content of those that need some.
    ///
    /// - Returns: The transactions that still wait.
    /// - Throws: ``StoreError`` if the store's transactions cannot be read.
    @discardableResult
    public func retry() async throws(StoreError) -> [PendingTransaction] {
        try await drain()
        return pending()
    }

    /// Finishes a rejected transaction without delivering it.
    ///
    /// - Throws: ``DiscardError`` if the transaction does not exist, was not rejected, or cannot be finished with the
    ///   store.
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
        guard case .ended(.rejected) = await begin(transaction) else {
            throw DiscardError(
                code: .notRejected, reason: "transaction \(id) was not rejected: it has been paid for")
        }
        do {
            try await store.finish(transaction)
        } catch {
            throw DiscardError(code: .store, reason: error.reason)
        }
        pendingTransactions.removeAll { $0.id == id }
        callVerifications[id] = nil
        await announce(.discarded(transaction))
    }

    func note(_ delivery: Delivery, of transaction: StoreTransaction) {
        pendingTransactions.removeAll { $0.id == transaction.id }
        let state: PendingTransaction.State
        switch delivery {
        case .waiting(let reason): state = .waiting(reason)
        case .rejected(let reasons): state = .rejected(reasons)
        case .delivered(let delivered), .revoked(let delivered):
            callVerifications[transaction.id] = nil
            if delivered.finishError != nil { isStoreUnread = true }
            unknownOutcomes.remove(delivered.transaction.payload.productIdentifier)
            retryLaterIfNeeded()
            return
        }
        pendingTransactions.append(
            PendingTransaction(
                id: transaction.id,
                productIdentifier: TransactionPayload(unverified: transaction.signedData)?.productIdentifier,
                state: state, date: now()))
        retryLaterIfNeeded()
    }

    /// `true` if transactions remain to be delivered: a transaction waits, or the store's transactions could not be
    /// read.
    private var hasSomethingToRetry: Bool {
        isStoreUnread || pendingTransactions.contains { if case .waiting = $0.state { true } else { false } }
    }

    func retryLaterIfNeeded() {
        guard observer != nil, retrying == nil, hasSomethingToRetry else { return }
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
        // A store that cannot be read is retried: `unfinishedTransactions()` has set `isStoreUnread`.
        try? await drainUpToContent()
        // Installing content may fail each time, so the delays keep increasing while it is in progress.
        let isOver = !hasSomethingToRetry && lackingContent.isEmpty
        if isOver { retrying = nil }
        return !isOver
    }
}
