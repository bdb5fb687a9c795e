internal import Receipts

/// Open calls for a product, whose transactions have not arrived: they may arrive by another path than as the response
/// to the call.
struct OpenCalls {
    struct Call {
        let number: Int
        /// Identifiers of the transactions that were unfinished before the call: they do not belong to it.
        let unfinished: Set<String>
        /// Verification that the call requires; `nil` if Vitrine's own verification is sufficient.
        let verification: TransactionVerification?
    }

    var calls: [Call] = []
    /// Purchases that were recorded in the meantime. It is unknown to which call each belongs.
    var recorded: Set<String> = []

    /// `true` if at least as many purchases have arrived as there are calls.
    var areServed: Bool { recorded.count >= calls.count }
}

/// Verifications that calls require for a transaction before it is delivered.
struct CallVerifications {
    var verifications: [TransactionVerification] = []
    /// `true` if the transaction arrived without a call, and may belong to any open call.
    var isOfOpenCalls = false
}

extension PurchaseQueue {
    /// Opens a call for a product.
    ///
    /// - Returns: The number with which to close the call.
    func openCall(
        for identifier: String, _ verification: TransactionVerification?, unfinished: Set<String>
    ) -> Int {
        lastNumber += 1
        openCalls[identifier, default: OpenCalls()].calls.append(
            OpenCalls.Call(number: lastNumber, unfinished: unfinished, verification: verification))
        return lastNumber
    }

    /// Closes a call that has been answered conclusively.
    ///
    /// - Parameter transaction: The transaction in the answer, which then belongs to no other call.
    func closeCall(_ number: Int, for identifier: String, answeredWith transaction: String? = nil) {
        openCalls[identifier]?.calls.removeAll { $0.number == number }
        if let transaction { openCalls[identifier]?.recorded.remove(transaction) }
        forgetServedCalls(for: identifier)
    }

    /// Notes that a purchase was recorded for the first time. If it was not the answer to a call, it may belong to any
    /// open call: the verifications of all remain in use until as many purchases have arrived as there are calls.
    func noteRecorded(_ id: String, of identifier: String) {
        guard callVerifications[id]?.isOfOpenCalls ?? false else { return }
        openCalls[identifier]?.recorded.insert(id)
        forgetServedCalls(for: identifier)
    }

    private func forgetServedCalls(for identifier: String) {
        if openCalls[identifier]?.areServed ?? false { openCalls[identifier] = nil }
    }

    /// Assigns the verifications of all open calls to a transaction that arrived by another path: it may belong to any
    /// of them.
    func adoptVerifications(for id: String, of identifier: String) {
        guard callVerifications[id] == nil, let open = openCalls[identifier] else { return }
        let calls = open.calls.filter { !$0.unfinished.contains(id) }
        guard !calls.isEmpty else { return }
        callVerifications[id] = CallVerifications(
            verifications: calls.compactMap(\.verification), isOfOpenCalls: true)
    }

    /// Assigns the verification of a call to the transaction with which the store answered the call. The transaction
    /// belongs to no other call, unless an earlier one has assigned a verification.
    func claimAnswer(_ id: String, for verification: TransactionVerification?) {
        let asked = callVerifications[id]?.verifications ?? []
        callVerifications[id] = CallVerifications(
            verifications: asked.isEmpty ? [verification].compactMap(\.self) : asked)
    }

    /// Assigns the verification of a call to a transaction, unless an earlier call has assigned one.
    func claimTransaction(_ id: String, of identifier: String, for verification: TransactionVerification?) {
        adoptVerifications(for: id, of: identifier)
        guard let verification, callVerifications[id]?.verifications.isEmpty ?? true else { return }
        callVerifications[id, default: CallVerifications()].verifications = [verification]
    }
}
