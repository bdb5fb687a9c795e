internal import Foundation
internal import VitrineEntitlements
internal import VitrineReceipts

/// Transactions that could not be delivered, in the order of the failures.
struct WaitingTransactions {
    private(set) var all: [PendingTransaction] = []
    /// Transactions that the store has sent for delivery, by their identifiers, until they are delivered or rejected.
    private var sent: [String: StoreTransaction] = [:]
    /// `true` if the unfinished transactions of the store must be read again.
    private(set) var isStoreUnread = false

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
    mutating func begin(_ transaction: StoreTransaction) { sent[transaction.id] = transaction }

    /// Removes the transactions that are finished according to the store.
    ///
    /// - Parameters:
    ///   - unfinished: The store's unfinished transactions.
    ///   - before: The transactions that were waiting before the store's unfinished transactions were read.
    /// - Returns: Those of the removed transactions that are still to be recorded. Another device or process has
    ///   finished them, so that the store does not send them again. Consumables are not included: they are credited by
    ///   whoever finishes them.
    mutating func retain(
        _ unfinished: [StoreTransaction], of before: [PendingTransaction]
    ) -> [StoreTransaction] {
        let finished = Set(before.map(\.id)).subtracting(unfinished.map(\.id))
        let missed = all.filter { finished.contains($0.id) && $0.mayBelongToLedger }.compactMap { sent[$0.id] }
            .filter { TransactionPayload(unverified: $0.signedData)?.type != .consumable }
        all.removeAll { finished.contains($0.id) }
        for id in finished.subtracting(missed.map(\.id)) { sent[id] = nil }
        return missed
    }

    mutating func remove(_ id: String) { all.removeAll { $0.id == id } }

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
    /// `true` if the transaction waits to be recorded in this ledger, and not in another App Store account's.
    fileprivate var mayBelongToLedger: Bool {
        switch state {
        case .waiting(.ledger(let error)): error.code != .otherAccount
        case .waiting: true
        case .rejected: false
        }
    }
}
