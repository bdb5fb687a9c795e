internal import VitrineReceipts

/// Deliveries in progress for each transaction, in the order in which they began. Deliveries that only wait for content
/// are marked.
struct RunningDeliveries {
    private var deliveries: [String: [RunningDelivery]] = [:]
    private var lastNumber = 0
    /// Deliveries that wait for the installation of content, by their number.
    private var lackingContent: [Int: Task<Delivery, Never>] = [:]
    /// Payloads of finished transactions, as they were when finished, by transaction identifier.
    private var finished: [String: TransactionPayload] = [:]

    mutating func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    mutating func begin(_ delivery: RunningDelivery) {
        deliveries[delivery.transaction.id, default: []].append(delivery)
    }

    /// Marks a delivery that only waits for content.
    mutating func markAsLackingContent(_ number: Int, of id: String) {
        lackingContent[number] = deliveries[id]?.first { $0.number == number }?.task
    }

    mutating func end(_ number: Int, of id: String) {
        lackingContent[number] = nil
        deliveries[id]?.removeAll { $0.number == number }
        if deliveries[id]?.isEmpty ?? false { deliveries[id] = nil }
    }

    mutating func noteFinished(_ transaction: SignedTransaction) {
        finished[transaction.payload.transactionID] = transaction.payload.withoutSignature
    }

    /// Removes the record that a transaction was finished. After a revocation, the transaction may be reinstated in its
    /// earlier state.
    mutating func forgetFinished(_ id: String) { finished[id] = nil }

    /// Returns `true` if this process has finished a transaction with the same payload. A new signature alone makes no
    /// difference.
    func hasFinished(_ transaction: StoreTransaction) -> Bool {
        guard let finished = finished[transaction.id] else { return false }
        return finished == TransactionPayload(unverified: transaction.signedData)?.withoutSignature
    }

    /// Returns the most recently started delivery of a transaction.
    func last(of id: String) -> RunningDelivery? { deliveries[id]?.last }

    /// Returns `true` if a delivery was started and has not ended.
    func contains(_ delivery: RunningDelivery?) -> Bool {
        guard let delivery else { return false }
        return deliveries[delivery.transaction.id]?.contains { $0.number == delivery.number } ?? false
    }

    /// Returns `true` if content is being installed for a transaction.
    func isContentComing(for id: String) -> Bool {
        deliveries[id]?.contains { lackingContent[$0.number] != nil } ?? false
    }

    /// `true` if a delivery waits for content.
    var isAnyLackingContent: Bool { !lackingContent.isEmpty }

    /// Returns a delivery that waits for content, with its transaction; `nil` if there is none.
    ///
    /// - Parameter others: Numbers of deliveries that are not returned.
    func lackingContent(except others: Set<Int>) -> RunningDelivery? {
        deliveries.values.joined().first { lackingContent[$0.number] != nil && !others.contains($0.number) }
    }
}

/// Deliveries of subscription periods. The periods of a subscription are delivered one after the other.
struct PeriodDeliveries {
    /// Most recently requested delivery of a period for each subscription, with the transaction of the period, by the
    /// subscription's original transaction.
    private(set) var latest: [String: (transaction: StoreTransaction, begun: Task<PurchaseQueue.Begun, Never>)] = [:]
    /// Deliveries of subscription periods that have not begun or are in progress, by the transaction of the period.
    var waiting: [StoreTransaction: Task<PurchaseQueue.Begun, Never>] = [:]
    /// Number of deliveries that have not begun, by the subscription's original transaction.
    private var notBegun: [String: Int] = [:]

    /// Original transactions of the subscriptions with periods that are still to be recorded.
    var subscriptionsCatchingUp: Set<String> { Set(notBegun.keys) }

    mutating func add(
        _ transaction: StoreTransaction, of subscription: String, _ task: Task<PurchaseQueue.Begun, Never>
    ) {
        waiting[transaction] = task
        latest[subscription] = (transaction, task)
        notBegun[subscription, default: 0] += 1
    }

    mutating func begin(of subscription: String) {
        let count = notBegun[subscription, default: 1] - 1
        notBegun[subscription] = count == 0 ? nil : count
    }
}

/// Delivery of a transaction, from its start until its end.
struct RunningDelivery {
    let number: Int
    let transaction: StoreTransaction
    let awaitsContent: Bool
    /// Task that ends when the delivery has ended, or when only the installation of content remains.
    let recording: Task<Recording, Never>
    let task: Task<Delivery, Never>
}
