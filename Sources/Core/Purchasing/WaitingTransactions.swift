internal import Foundation
internal import VitrineEntitlements
internal import VitrineReceipts

/// Transactions that could not be delivered, in the order of the failures.
struct WaitingTransactions {
    private(set) var all: [PendingTransaction] = []
    /// Transactions that the store has sent for delivery, by their identifiers, until they are delivered or rejected.
    private var sent: [String: Sent] = [:]
    /// `true` if the unfinished transactions of the store must be read again.
    private(set) var isStoreUnread = false

    private struct Sent {
        let transaction: StoreTransaction
        /// Number of times that another ledger had replaced the one in use.
        let replacements: Int
    }

    /// Transaction that the store does not list any more, although its delivery has not ended here.
    struct Missed {
        let transaction: StoreTransaction
        /// `true` if the transaction is recorded, and the app or the installation of content has to deliver it.
        let isRecorded: Bool
    }

    /// `true` if transactions remain to be delivered: a transaction waits, or the store has to be read. A transaction
    /// whose hook is running is being delivered.
    var needRetry: Bool {
        isStoreUnread
            || all.contains { if case .waiting(let reason) = $0.state { reason != .hookRunning } else { false } }
    }

    /// Returns `true` if a transaction is recorded as waiting for a running hook of the app.
    func hasRunningHook(_ id: String) -> Bool {
        all.contains { $0.id == id && $0.state == .waiting(.hookRunning) }
    }

    mutating func storeMustBeRead() { isStoreUnread = true }

    mutating func storeIsRead() { isStoreUnread = false }

    /// Records that a transaction is to be delivered.
    ///
    /// - Parameter replacements: Number of times that another ledger has replaced the one in use.
    mutating func begin(_ transaction: StoreTransaction, replacements: Int) {
        sent[transaction.id] = Sent(transaction: transaction, replacements: replacements)
    }

    /// Removes the transactions that are finished according to the store.
    ///
    /// - Parameters:
    ///   - unfinished: The store's unfinished transactions.
    ///   - before: The transactions that were waiting before the store's unfinished transactions were read.
    ///   - replacements: Number of times that another ledger has replaced the one in use. What was sent before the last
    ///     time may belong to another App Store account, whose list does not contain it either.
    /// - Returns: Those of the removed transactions whose delivery goes on, and the others. Another device or process has
    ///   finished them, so that the store does not send them again. The delivery of a consumable that is not recorded does
    ///   not go on: it is credited by whoever finishes it.
    mutating func retain(
        _ unfinished: [StoreTransaction], of before: [PendingTransaction], replacements: Int
    ) -> (missed: [Missed], settled: [PendingTransaction]) {
        let finished = Set(before.map(\.id)).subtracting(unfinished.map(\.id))
        let missed: [Missed] = all.filter { finished.contains($0.id) && $0.mayBelongToLedger }.compactMap { pending in
            guard let sent = sent[pending.id], sent.replacements == replacements,
                pending.isRecorded || TransactionPayload(unverified: sent.transaction.signedData)?.type != .consumable
            else { return nil }
            return Missed(transaction: sent.transaction, isRecorded: pending.isRecorded)
        }
        let going = Set(missed.map(\.transaction.id))
        let settled = all.filter { finished.contains($0.id) && !going.contains($0.id) }
        all.removeAll { finished.contains($0.id) }
        for id in finished.subtracting(going) { sent[id] = nil }
        return (missed, settled)
    }

    /// - Returns: The removed transaction; `nil` if there is none.
    @discardableResult
    mutating func remove(_ id: String) -> PendingTransaction? {
        guard let index = all.firstIndex(where: { $0.id == id }) else { return nil }
        return all.remove(at: index)
    }

    /// Records the result of a delivery attempt. A transaction that could not be delivered is added to the waiting
    /// ones; any other transaction is removed from them.
    mutating func note(_ delivery: Delivery, of transaction: StoreTransaction, at date: Date) {
        remove(transaction.id)
        let state: PendingTransaction.State
        switch delivery {
        case .waiting(let reason): state = .waiting(reason)
        case .rejected(let reasons):
            state = .rejected(reasons)
            sent[transaction.id] = nil
        case .delivered(let delivered), .revoked(let delivered):
            sent[transaction.id] = nil
            if delivered.finishError != nil { storeMustBeRead() }
            return
        }
        let claim = TransactionPayload(unverified: transaction.signedData)
        all.append(
            PendingTransaction(
                id: transaction.id, productIdentifier: claim?.productIdentifier, productType: claim?.type,
                state: state, date: date))
    }
}

extension PendingTransaction {
    /// `true` if the ledger has the transaction, and its content or the app's own delivery is missing.
    fileprivate var isRecorded: Bool {
        switch state {
        case .waiting(.content), .waiting(.handler): true
        default: false
        }
    }

    /// `true` if the transaction waits to be recorded in this ledger, and not in another App Store account's.
    fileprivate var mayBelongToLedger: Bool {
        switch state {
        case .waiting(.ledger(let error)): error.code != .otherAccount
        case .waiting: true
        case .rejected: false
        }
    }
}
