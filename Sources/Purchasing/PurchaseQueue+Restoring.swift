public import Foundation
internal import Receipts

extension PurchaseQueue {
    /// Records again what the store says was bought. Nothing is taken away, but for what the store says that it has
    /// taken back. Content is not installed by this; where a purchase was never finished, it comes by itself and is not
    /// waited for. A call while one is under way waits for that one.
    ///
    /// - Parameters:
    ///   - accountToken: What the app gave with the purchases of one of its accounts; those that were made with another
    ///     are left alone.
    ///   - verification: Asked about what the call brings, beside the hook, as long as the process lasts. What an earlier
    ///     call has brought with a verification of its own stays with that one; where another restore is under way, which
    ///     this call then waits for, that one's is asked.
    /// - Throws: ``StoreError`` where the store cannot be asked.
    public func restore(
        accountToken: UUID? = nil, verification: TransactionVerification? = nil
    ) async throws(StoreError) -> RestoreResult {
        if let running = restoring[accountToken] { return try await running.value.get() }
        let task = Task {
            let result: Result<RestoreResult, StoreError>
            do throws(StoreError) {
                let transactions = try await store.restore()
                result = .success(try await record(transactions, of: accountToken, verification))
            } catch {
                result = .failure(error)
            }
            restoring[accountToken] = nil
            return result
        }
        restoring[accountToken] = task
        return try await task.value.get()
    }

    /// Records what the store knows on this device, without asking the customer anything: for a ledger that was lost.
    ///
    /// - Throws: ``StoreError`` where the store cannot be asked.
    public func rebuild() async throws(StoreError) -> RestoreResult {
        try await record(try await store.knownTransactions(), of: nil, nil)
    }

    private func record(
        _ transactions: [StoreTransaction], of accountToken: UUID?, _ verification: TransactionVerification?
    ) async throws(StoreError) -> RestoreResult {
        var result = RestoreResult()
        // Asked afterwards: whoever waits for the content of one of them has not finished it then.
        let unfinished = Set(try await store.unfinishedTransactions().map(\.id))
        for transaction in transactions {
            let claim = TransactionPayload(unverified: transaction.signedData)
            if let accountToken, let other = claim?.appAccountToken, other != accountToken,
                claim?.revocationDate == nil
            {
                result.otherAccounts.append(claim?.productIdentifier ?? transaction.id)
                continue
            }
            if let verification, let claim {
                claimTransaction(transaction.id, of: claim.productIdentifier, for: verification)
            }
            switch await begin(transaction, awaitingContent: unfinished.contains(transaction.id)) {
            case .ended(let delivery): result.add(delivery, of: transaction)
            case .lacksContent(let purchase, _, _): result.add(purchase.signed, isNew: purchase.isNew)
            }
        }
        return result
    }
}

extension RestoreResult {
    fileprivate mutating func add(_ delivery: Delivery, of transaction: StoreTransaction) {
        switch delivery {
        case .delivered(let delivered): add(delivered.transaction, isNew: delivered.isNew)
        case .revoked(let revoked):
            if revoked.isNew { takenBack.append(revoked.transaction.payload.productIdentifier) }
        case .waiting(let reason): failed.append(Failure(transactionID: transaction.id, reason: .waiting(reason)))
        case .rejected(let reasons): failed.append(Failure(transactionID: transaction.id, reason: .rejected(reasons)))
        }
    }
    fileprivate mutating func add(_ recorded: SignedTransaction, isNew: Bool) {
        let identifier = recorded.payload.productIdentifier
        if isNew { restored.append(identifier) } else { alreadyOwned.append(identifier) }
    }
}
