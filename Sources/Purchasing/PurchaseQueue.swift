public import Entitlements
public import Foundation
public import ProductCatalog
public import Receipts

/// The one way from a transaction to the customer, whatever brought it: a purchase, an update, the backlog at launch
/// or a restore.
///
/// Each transaction is verified, recorded in the ledger together with what it credits, announced, its content is
/// installed, the app's own delivery is asked, and only then it is finished with the store. It may be stopped between
/// any two steps: it is then sent again, and goes on from what the ledger has. One that comes in several ways at once
/// is delivered once; different ones do not wait for each other.
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
    /// What is under way of each transaction, in the order in which it has begun.
    var deliveries: [String: [RunningDelivery]] = [:]
    var lastNumber = 0
    /// The deliveries that wait for content, by their numbers.
    var lackingContent: [Int: Task<Delivery, Never>] = [:]
    var pendingTransactions: [PendingTransaction] = []
    /// The latest copy of each purchase that was recorded here, so that an older one that comes late undoes nothing.
    var latestCopies: [String: LatestCopy] = [:]
    /// What the calls that a transaction is of, or may be of, want to be asked about it, until it is delivered.
    var callVerifications: [String: CallVerifications] = [:]
    /// The calls whose transactions have not come, by product.
    var openCalls: [String: OpenCalls] = [:]
    var isStoreUnread = false
    var purchasesInProgress: Set<String> = []
    /// The products of which a purchase was not answered.
    var unknownOutcomes: Set<String> = []
    private var observer: Task<Void, Never>?
    private var retrying: Task<Void, Never>?
    var restoring: [UUID?: Task<Result<RestoreResult, StoreError>, Never>] = [:]

    /// - Parameters:
    ///   - store: The store that sells.
    ///   - ledger: Where facts are recorded.
    ///   - verifier: What decides whether a transaction can be trusted.
    ///   - content: What installs the content of bought products.
    ///   - hooks: What the app has its say in.
    ///   - catalog: The catalog that is known at the moment; `nil` before the first.
    ///   - now: The time at which facts are recorded.
    ///   - schedule: When what waits is tried again.
    ///   - announce: Called at each step of each transaction, and waited for: a transaction is finished only after
    ///     its recording has been announced.
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

    /// Starts to take in the transactions that come without a call, and to try again what waits. They are delivered
    /// beside each other, so that none holds up the next.
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

    /// Stops taking in transactions. Those under way are delivered, also those that wait for content.
    public func stop() {
        observer?.cancel()
        observer = nil
        retrying?.cancel()
        retrying = nil
    }

    // MARK: What waits

    func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] {
        // What happens while the store answers is not in its answer.
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

    /// The transactions that could not be delivered, in the order in which that was found out. One whose content is coming
    /// is not among them.
    public func pending() -> [PendingTransaction] { pendingTransactions }

    /// Tries to deliver what waits, and waits for the content of what needs some.
    ///
    /// - Returns: What still waits.
    /// - Throws: ``StoreError`` where the store cannot be asked.
    @discardableResult
    public func retry() async throws(StoreError) -> [PendingTransaction] {
        try await drain()
        return pending()
    }

    /// Finishes a transaction that was rejected, without delivering it.
    ///
    /// - Throws: ``DiscardError`` where there is no such transaction, it was not rejected, or the store cannot be told.
    public func discard(_ id: String) async throws(DiscardError) {
        let transactions: [StoreTransaction]
        do {
            transactions = try await unfinishedTransactions()
        } catch {
            throw DiscardError(code: .store, reason: error.reason)
        }
        guard let transaction = transactions.first(where: { $0.id == id }) else {
            throw DiscardError(code: .notFound, reason: "the store holds no unfinished transaction \(id)")
        }
        guard case .ended(.rejected) = await begin(transaction) else {
            throw DiscardError(
                code: .notRejected, reason: "transaction \(id) was not rejected: somebody has paid for it")
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

    /// Something waits that may be deliverable later.
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

    /// - Returns: Whether something is left to try.
    private func tryAgain() async -> Bool {
        // A store that cannot be asked is asked again: that is noted where it was found out.
        try? await drainUpToContent()
        // While content comes, the waits go on growing: it may fail each time.
        let isOver = !hasSomethingToRetry && lackingContent.isEmpty
        if isOver { retrying = nil }
        return !isOver
    }
}

/// What the store has said last about a purchase, as far as it was recorded by a queue.
struct LatestCopy {
    let signedDate: Date
    let isRevoked: Bool
}

extension LatestCopy {
    init(_ payload: TransactionPayload) {
        self.init(signedDate: payload.signedDate, isRevoked: payload.revocationDate != nil)
    }
}
