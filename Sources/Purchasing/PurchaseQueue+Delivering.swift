internal import Receipts

/// Which deliveries are under way, and who waits for which.
extension PurchaseQueue {
    /// A delivery that is under way.
    struct RunningDelivery {
        let number: Int
        let transaction: StoreTransaction
        let awaitsContent: Bool
        /// Ends with the delivery, or once nothing but content is missing.
        let recording: Task<Recording, Never>
        let task: Task<Delivery, Never>
    }

    /// How far a transaction comes without waiting for content.
    enum Recording: Sendable {
        case ended(Delivery)
        /// It is recorded and announced, and its content has to come.
        case recorded(RecordedPurchase)
    }

    /// How far a transaction has come without waiting for content.
    enum Begun: Sendable {
        case ended(Delivery)
        /// Content has to come; the task ends with the delivery. Somebody else may have looked for it before this call.
        case lacksContent(RecordedPurchase, Task<Delivery, Never>, isOurs: Bool)
    }

    /// So many of the store's unfinished transactions are delivered at a time, beside those whose content comes.
    private static let mostDeliveries = 8

    // MARK: All that the store holds

    /// Delivers every transaction that the store still holds, and waits for the content of those that need some. One that
    /// waits for content holds up none of the others.
    ///
    /// - Returns: What became of each, the oldest first.
    /// - Throws: ``StoreError`` where the store cannot be asked for them.
    @discardableResult
    public func drain() async throws(StoreError) -> [Delivery] {
        let transactions = try await unfinishedTransactions()
        var deliveries: [Delivery] = []
        for (transaction, begun) in zip(transactions, await begin(transactions)) {
            switch begun {
            case .ended(let delivery): deliveries.append(delivery)
            case .lacksContent(_, let task, isOurs: true): deliveries.append(await task.value)
            case .lacksContent(_, _, isOurs: false): deliveries.append(await deliver(transaction))
            }
        }
        return deliveries
    }

    /// Delivers every transaction that the store still holds, without waiting for content: each is verified, recorded and
    /// announced, and delivered and finished unless content has to come. What needs content goes on by itself, and is
    /// finished once that is there; where it fails, it is among ``pending()``.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked for them.
    public func drainUpToContent() async throws(StoreError) { _ = await begin(try await unfinishedTransactions()) }

    private func begin(_ transactions: [StoreTransaction]) async -> [Begun] {
        await withTaskGroup(of: (Int, Begun).self) { group in
            var results: [Begun?] = Array(repeating: nil, count: transactions.count)
            for (index, transaction) in transactions.enumerated() {
                if index >= Self.mostDeliveries, let (done, begun) = await group.next() { results[done] = begun }
                group.addTask { (index, await self.begin(transaction)) }
            }
            for await (index, begun) in group { results[index] = begun }
            return results.compactMap(\.self)
        }
    }

    // MARK: One transaction

    /// Brings one transaction to its end. A second call for a transaction that is under way waits for the first.
    @discardableResult
    public func deliver(_ transaction: StoreTransaction) async -> Delivery {
        while true {
            switch await begin(transaction) {
            case .ended(let delivery): return delivery
            case .lacksContent(_, let task, let isOurs):
                let delivery = await task.value
                // Who has begun it earlier may have looked before the content was there.
                if case .waiting = delivery, !isOurs { continue }
                return delivery
            }
        }
    }

    /// Brings one transaction to its end, or so far that its content has to come: it then goes on by itself. One that is
    /// under way is joined.
    ///
    /// A copy that was signed at another time may say something else. It is recorded at once, even while content comes
    /// that an earlier copy waits for, and leaves the rest to that one.
    ///
    /// - Parameter awaitingContent: Content is installed before it is finished.
    func begin(_ transaction: StoreTransaction, awaitingContent: Bool = true) async -> Begun {
        var earlier: RunningDelivery?
        while let running = deliveries[transaction.id]?.last {
            let recording = await running.recording.value
            if case .recorded(let purchase) = recording {
                if running.transaction == transaction { return .lacksContent(purchase, running.task, isOurs: false) }
                guard deliveries[transaction.id]?.last?.number == running.number else { continue }
                earlier = running
                break
            }
            let delivery = await running.task.value
            // One that had to wait may have looked before what it waits for was there.
            if case .waiting = delivery { continue }
            if running.transaction == transaction, running.awaitsContent || !awaitingContent { return .ended(delivery) }
        }
        let running = start(transaction, awaitingContent: awaitingContent, after: earlier)
        switch await running.recording.value {
        case .ended: return .ended(await running.task.value)
        case .recorded(let purchase): return .lacksContent(purchase, running.task, isOurs: earlier == nil)
        }
    }

    /// - Parameter earlier: The delivery of another copy, for which content comes.
    private func start(
        _ transaction: StoreTransaction, awaitingContent: Bool, after earlier: RunningDelivery?
    ) -> RunningDelivery {
        lastNumber += 1
        let number = lastNumber
        let recording = Task {
            let recording = await process(transaction, awaitingContent: awaitingContent, after: earlier)
            if case .recorded = recording {
                lackingContent[number] = deliveries[transaction.id]?.first { $0.number == number }?.task
                pendingTransactions.removeAll { $0.id == transaction.id }
            }
            return recording
        }
        let task = Task {
            let delivery: Delivery
            switch await recording.value {
            case .ended(let ended): delivery = ended
            case .recorded(let purchase):
                delivery =
                    if let earlier, isUnderWay(earlier) {
                        await earlier.task.value
                    } else {
                        await complete(purchase)
                    }
            }
            lackingContent[number] = nil
            deliveries[transaction.id]?.removeAll { $0.number == number }
            if deliveries[transaction.id]?.isEmpty ?? false { deliveries[transaction.id] = nil }
            note(delivery, of: transaction)
            return delivery
        }
        let running = RunningDelivery(
            number: number, transaction: transaction, awaitsContent: awaitingContent, recording: recording, task: task)
        deliveries[transaction.id, default: []].append(running)
        return running
    }

    /// Whether a delivery has not ended.
    func isUnderWay(_ delivery: RunningDelivery?) -> Bool {
        guard let delivery else { return false }
        return deliveries[delivery.transaction.id]?.contains { $0.number == delivery.number } ?? false
    }

    func isContentComing(for id: String) -> Bool {
        deliveries[id]?.contains { lackingContent[$0.number] != nil } ?? false
    }

    /// Waits until no transaction waits for content that comes.
    package func contentSettled() async {
        while let delivery = lackingContent.first?.value { _ = await delivery.value }
    }
}
