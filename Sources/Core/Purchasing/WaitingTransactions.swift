internal import Foundation
internal import VitrineReceipts

/// Transactions that could not be delivered, in the order of the failures.
struct WaitingTransactions {
    private(set) var all: [PendingTransaction] = []
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

    /// Removes the transactions that are finished according to the store.
    ///
    /// - Parameters:
    ///   - unfinished: The store's unfinished transactions.
    ///   - before: The transactions that were waiting before the store's unfinished transactions were read.
    mutating func retain(_ unfinished: [StoreTransaction], of before: [PendingTransaction]) {
        let finished = Set(before.map(\.id)).subtracting(unfinished.map(\.id))
        all.removeAll { finished.contains($0.id) }
    }

    mutating func remove(_ id: String) { all.removeAll { $0.id == id } }

    /// Records the result of a delivery attempt. A transaction that could not be delivered is added to the waiting
    /// ones; any other transaction is removed from them.
    mutating func note(_ delivery: Delivery, of transaction: StoreTransaction, at date: Date) {
        remove(transaction.id)
        let state: PendingTransaction.State
        switch delivery {
        case .waiting(let reason): state = .waiting(reason)
        case .rejected(let reasons): state = .rejected(reasons)
        case .delivered(let delivered), .revoked(let delivered):
            if delivered.finishError != nil { storeMustBeRead() }
            return
        }
        all.append(
            PendingTransaction(
                id: transaction.id,
                productIdentifier: TransactionPayload(unverified: transaction.signedData)?.productIdentifier,
                state: state, date: date))
    }
}
