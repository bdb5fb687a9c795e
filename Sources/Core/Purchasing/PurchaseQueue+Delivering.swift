internal import Foundation
internal import VitrineEntitlements
internal import VitrineReceipts
public import VitrineSupport

extension PurchaseQueue {
    /// Result of starting the delivery of a transaction, without waiting for its content.
    enum Begun: Sendable {
        case ended(Delivery)
        /// The delivery waits for missing content. The task ends with the delivery. If `isOurs` is `false`, an earlier
        /// call began the delivery, and may have checked the content before the current call.
        case lacksContent(RecordedPurchase, Task<Delivery, Never>, isOurs: Bool)
    }

    /// Maximum number of unfinished transactions that are delivered at the same time, in addition to transactions that
    /// wait for content.
    private static let mostDeliveries = 8

    // MARK: All unfinished transactions

    /// Delivers every unfinished transaction of the store, and waits for missing content. A transaction that waits for
    /// content does not delay the others. A hook of the app is waited for only within the limit; the result of its
    /// transaction is then `hookRunning`.
    ///
    /// - Returns: The results of the deliveries, ordered from the oldest transaction to the newest.
    /// - Throws: ``StoreError`` if the store's transactions cannot be read.
    @discardableResult
    public func drain() async throws(StoreError) -> [Delivery] {
        let transactions = try await unfinishedTransactions()
        var deliveries: [Delivery] = []
        for (transaction, begun) in zip(transactions, await begin(transactions)) {
            switch begun {
            case nil: deliveries.append(.waiting(.hookRunning))
            case .ended(let delivery): deliveries.append(delivery)
            case .lacksContent(_, let task, isOurs: true):
                deliveries.append(
                    await value(of: task, on: transaction, includingDownload: true) ?? .waiting(.hookRunning))
            case .lacksContent(_, _, isOurs: false): deliveries.append(await deliverWithinLimit(transaction))
            }
        }
        return deliveries
    }

    /// Delivers every unfinished transaction of the store, without waiting for content. Each transaction is verified,
    /// recorded and reported. If its content is not missing, it is also delivered and finished. Otherwise it continues
    /// automatically, and is finished when the content is installed; if the installation fails, ``pending()`` includes
    /// the transaction. A hook of the app is waited for only within the limit.
    ///
    /// - Throws: ``StoreError`` if the store's transactions cannot be read.
    public func drainUpToContent() async throws(StoreError) { _ = await begin(try await unfinishedTransactions()) }

    /// Begins to deliver transactions.
    ///
    /// - Returns: A result for each transaction; `nil` if a hook of the app has not ended within the limit.
    func begin(_ transactions: [StoreTransaction]) async -> [Begun?] {
        let dates = transactions.map { TransactionPayload(unverified: $0.signedData)?.purchaseDate ?? .distantPast }
        let order = transactions.indices.sorted { (dates[$0], $0) < (dates[$1], $1) }
        return await withTaskGroup(of: (Int, Begun?).self) { group in
            var results: [Begun?] = Array(repeating: nil, count: transactions.count)
            for (number, index) in order.enumerated() {
                if number >= Self.mostDeliveries, let (done, begun) = await group.next() { results[done] = begun }
                let transaction = transactions[index]
                guard !isHeldUpByHook(transaction) else { continue }
                let task = beginInOrder(transaction, isListed: true)
                group.addTask { (index, await self.value(of: task, on: transaction)) }
            }
            for await (index, begun) in group { results[index] = begun }
            return results
        }
    }

    /// Records transactions that the store has sent, and that another device or process has finished before they could
    /// be recorded here, such as before a catalog was loaded. Those that are recorded are delivered to the end.
    func recordMissed(_ missed: [WaitingTransactions.Missed]) async {
        for missed in missed where !isHeldUpByHook(missed.transaction) {
            _ = await value(
                of: Task { await begin(missed.transaction, awaitingContent: missed.isRecorded) },
                on: missed.transaction)
        }
    }

    // MARK: One transaction

    /// Begins to deliver a transaction. The periods of a subscription are delivered in the order of the calls: the next
    /// one begins when the previous one is delivered, or only waits for its content. The observer of the entitlements
    /// knows meanwhile that the subscription is catching up.
    ///
    /// - Parameter isListed: `true` if the store has listed the transaction as unfinished.
    func beginInOrder(_ transaction: StoreTransaction, isListed: Bool = false) -> Task<Begun, Never> {
        if let begun = periods.waiting[transaction] { return begun }
        guard deliveries.last(of: transaction.id) == nil,
            let claim = TransactionPayload(unverified: transaction.signedData), claim.type == .autoRenewableSubscription
        else { return Task { await begin(transaction, isListed: isListed, isSentByStore: true) } }
        let subscription = claim.originalTransactionID
        let earlier = periods.latest[subscription]
        let task = Task {
            if let earlier { _ = await value(of: earlier.begun, on: earlier.transaction) }
            periods.begin(of: subscription)
            entitlements.setCatchingUp(periods.subscriptionsCatchingUp)
            let begun = await begin(transaction, isListed: isListed, isSentByStore: true)
            periods.waiting[transaction] = nil
            if !periods.subscriptionsCatchingUp.contains(subscription) { entitlements.catchUpHasEnded() }
            return begun
        }
        periods.add(transaction, of: subscription, task)
        entitlements.setCatchingUp(periods.subscriptionsCatchingUp)
        return task
    }

    /// Delivers one transaction. A second call for a transaction that is in progress waits for the first.
    ///
    /// - Parameter isListed: `true` if the store has listed the transaction as unfinished.
    @discardableResult
    public func deliver(_ transaction: StoreTransaction, isListed: Bool = false) async -> Delivery {
        while true {
            switch await begin(transaction, isListed: isListed) {
            case .ended(let delivery): return delivery
            case .lacksContent(_, let task, let isOurs):
                let delivery = await task.value
                // The call that began the delivery may have checked before the content was available.
                if case .waiting = delivery, !isOurs { continue }
                return delivery
            }
        }
    }

    /// Delivers a transaction that the store has listed as unfinished, but waits for a hook of the app only within the
    /// limit.
    func deliverWithinLimit(_ transaction: StoreTransaction) async -> Delivery {
        guard !isHeldUpByHook(transaction) else { return .waiting(.hookRunning) }
        return await value(
            of: Task { await deliver(transaction, isListed: true) }, on: transaction, includingDownload: true)
            ?? .waiting(.hookRunning)
    }

    /// Waits for work on a transaction, but for a hook of the app that verifies or delivers it only within the limit.
    ///
    /// - Parameter includingDownload: `true` for work that downloads content, so that the app's decision about downloads
    ///   is waited for only within the limit too.
    /// - Returns: `nil` if the hook has not ended within the limit. The work goes on.
    func value<Value: Sendable>(
        of work: Task<Value, Never>, on transaction: StoreTransaction, includingDownload: Bool = false
    ) async -> Value? {
        let hook = HookCalls.Hook.transaction(transaction.id)
        let value = await hookCalls.value(of: work) { $0 == hook || includingDownload && $0 == .download }
        if let value { return value }
        _ = isHeldUpByHook(transaction)
        return nil
    }

    /// Returns `true` if a hook of the app has been verifying or delivering a transaction for longer than the limit.
    /// The transaction is then reported, and listed as pending until the hook and with it the delivery has ended.
    func isHeldUpByHook(_ transaction: StoreTransaction) -> Bool {
        guard hookCalls.isOverdue(.transaction(transaction.id)) else { return false }
        if !waiting.hasRunningHook(transaction.id) {
            waiting.note(pipeline.wait(transaction, .hookRunning), of: transaction, at: pipeline.now())
        }
        return true
    }

    /// Begins to deliver one transaction, and returns when it is delivered, or when only its content is missing. In the
    /// second case, the delivery continues automatically. If the transaction is already being delivered, the call joins
    /// that delivery.
    ///
    /// A copy of the transaction that was signed at another time may contain other data. The copy is recorded
    /// immediately, even if an earlier copy waits for content, and is completed together with the earlier copy.
    ///
    /// - Parameters:
    ///   - awaitingContent: `true` to install content before the transaction is finished.
    ///   - isListed: `true` if the store has listed the transaction as unfinished.
    ///   - isSentByStore: `true` if the store sent the transaction without a call. If this process has already finished
    ///     the transaction in the same state, it is finished once more but not delivered again, because the store may
    ///     have sent an old copy.
    func begin(
        _ transaction: StoreTransaction, awaitingContent: Bool = true, isListed: Bool = false,
        isSentByStore: Bool = false
    ) async -> Begun {
        let isOfKnownStatus = transaction.isStatusOnly ? await pipeline.hasRecorded(transaction) : false
        var earlier: RunningDelivery?
        while let running = deliveries.last(of: transaction.id) {
            let recording = await running.recording.value
            if case .recorded(let purchase) = recording {
                if running.transaction == transaction { return .lacksContent(purchase, running.task, isOurs: false) }
                guard deliveries.last(of: transaction.id)?.number == running.number else { continue }
                earlier = running
                break
            }
            let delivery = await running.task.value
            // A delivery that had to wait may have checked before the missing item was available.
            if case .waiting = delivery { continue }
            if running.transaction == transaction, running.awaitsContent || !awaitingContent { return .ended(delivery) }
        }
        // A purchase call may be answered with a transaction that the store has sent as an update in the meantime.
        let isRepeated =
            (isSentByStore || purchases.hasDelivered(transaction.id)) && deliveries.hasFinished(transaction)
        let running = start(
            transaction, awaitingContent: awaitingContent && !isRepeated && !isOfKnownStatus, isListed: isListed,
            after: earlier)
        switch await running.recording.value {
        case .ended:
            let delivery = await running.task.value
            if isRepeated, case .delivered(let delivered) = delivery {
                _ = await pipeline.finish(delivered.transaction, transaction)
            }
            return .ended(delivery)
        case .recorded(let purchase): return .lacksContent(purchase, running.task, isOurs: earlier == nil)
        }
    }

    /// Starts a delivery.
    ///
    /// - Parameters:
    ///   - isListed: `true` if the store has listed the transaction as unfinished.
    ///   - earlier: The delivery of an earlier copy of the same transaction, which waits for content.
    private func start(
        _ transaction: StoreTransaction, awaitingContent: Bool, isListed: Bool, after earlier: RunningDelivery?
    ) -> RunningDelivery {
        let number = deliveries.nextNumber()
        if awaitingContent { waiting.begin(transaction, replacements: entitlements.replacements) }
        let recording = Task {
            let recording = await process(
                transaction, awaitingContent: awaitingContent, isListed: isListed, after: earlier)
            if case .recorded = recording {
                deliveries.markAsLackingContent(number, of: transaction.id)
                waiting.remove(transaction.id)
            }
            return recording
        }
        let task = Task {
            let delivery: Delivery
            switch await recording.value {
            case .ended(let ended): delivery = ended
            case .recorded(let purchase):
                delivery =
                    if let earlier, deliveries.contains(earlier) {
                        await earlier.task.value
                    } else {
                        await pipeline.complete(purchase)
                    }
            }
            deliveries.end(number, of: transaction.id)
            note(delivery, of: transaction, isRestored: !awaitingContent)
            return delivery
        }
        let running = RunningDelivery(
            number: number, transaction: transaction, awaitsContent: awaitingContent, recording: recording, task: task)
        deliveries.begin(running)
        return running
    }

    /// Verifies and records a transaction, and completes it unless content is missing.
    ///
    /// - Parameter earlier: The delivery of an earlier copy of the same transaction, which waits for content. While it
    ///   is in progress, this copy is completed together with it.
    private func process(
        _ transaction: StoreTransaction, awaitingContent: Bool, isListed: Bool, after earlier: RunningDelivery?
    ) async -> Recording {
        let recording = await pipeline.record(
            transaction, awaitingContent: awaitingContent,
            isUnfinished: {
                guard awaitingContent, !isListed else { return awaitingContent }
                // If the list cannot be read, the transaction is left as if it were not in the list.
                return (try? await store.unfinishedTransactions())?.contains { $0.id == transaction.id } ?? false
            },
            isContentComing: { deliveries.isContentComing(for: transaction.id) })
        guard case .recorded(let purchase) = recording, !deliveries.contains(earlier) else { return recording }
        if purchase.awaitsContent, await pipeline.content.lacksContent(unlockedBy: purchase.signed) {
            return recording
        }
        return .ended(await pipeline.complete(purchase))
    }

    /// Waits until no transaction waits for content that is being installed. A hook of the app is waited for only
    /// within the limit.
    package func contentSettled() async {
        var left: Set<Int> = []
        while let delivery = deliveries.lackingContent(except: left) {
            let ended = await value(of: delivery.task, on: delivery.transaction, includingDownload: true)
            if ended == nil { left.insert(delivery.number) }
        }
    }
}
