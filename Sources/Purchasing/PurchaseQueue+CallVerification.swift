internal import Receipts

/// What a call wants to be asked about the transaction that it brings, wherever that comes from.
struct OpenVerification {
    let number: Int
    let productIdentifier: String
    /// What was there before the call is not what it brings.
    let unfinished: Set<String>
    let verification: TransactionVerification
}

extension PurchaseQueue {
    /// - Returns: The number to close it with.
    func openVerification(
        of identifier: String, _ verification: TransactionVerification?, unfinished: Set<String>
    ) -> Int {
        lastNumber += 1
        if let verification {
            openVerifications.append(
                OpenVerification(
                    number: lastNumber, productIdentifier: identifier, unfinished: unfinished,
                    verification: verification))
        }
        return lastNumber
    }

    /// The call has been answered for good.
    func closeVerification(_ number: Int) { openVerifications.removeAll { $0.number == number } }

    /// A transaction that has come in another way may be that of any call whose own has not come.
    func adoptVerifications(for id: String, of identifier: String) {
        guard callVerifications[id] == nil else { return }
        let open = openVerifications.filter { $0.productIdentifier == identifier && !$0.unfinished.contains(id) }
        if !open.isEmpty { callVerifications[id] = open.map(\.verification) }
    }

    /// The store has answered a call with the transaction, which is no other call's then, unless an earlier one wants to
    /// be asked.
    func claimAnswer(_ id: String, for verification: TransactionVerification?) {
        guard callVerifications[id]?.isEmpty ?? true else { return }
        callVerifications[id] = [verification].compactMap(\.self)
    }

    /// A call brings a transaction that may be an earlier one's.
    func claimTransaction(_ id: String, of identifier: String, for verification: TransactionVerification?) {
        adoptVerifications(for: id, of: identifier)
        guard let verification, callVerifications[id]?.isEmpty ?? true else { return }
        callVerifications[id] = [verification]
    }

    /// What a call waited for after its answer has come, unless another call for the product goes on, whose it may be.
    func endVerifications(of transaction: StoreTransaction, _ delivered: Delivered) {
        callVerifications[transaction.id] = nil
        let identifier = delivered.transaction.payload.productIdentifier
        guard delivered.isNew, !purchasesInProgress.contains(identifier) else { return }
        openVerifications.removeAll { $0.productIdentifier == identifier }
    }
}
