internal import Receipts

/// Purchase calls for one product whose transactions have not arrived yet. A transaction may arrive as an update of the
/// store instead of the response to its call.
struct OpenCalls {
    struct Call {
        let number: Int
        /// Identifiers of the transactions that were unfinished before the purchase call and therefore do not belong to
        /// it.
        let unfinished: Set<String>
        /// Verification that the purchase call requires; `nil` if Vitrine's own verification is sufficient.
        let verification: TransactionVerification?
    }

    var calls: [Call] = []
    /// Purchases of the product that were recorded while calls were open. The call that each belongs to is unknown.
    var recorded: Set<String> = []

    /// `true` if at least as many purchases of the product have arrived as there are open calls.
    var areServed: Bool { recorded.count >= calls.count }
}

/// Verifications of a transaction that purchase calls require before it is delivered.
struct CallVerifications {
    var verifications: [TransactionVerification] = []
    /// `true` if the transaction did not arrive as the response to a purchase call, and may belong to any open call.
    var isOfOpenCalls = false
}

extension PurchaseQueue {
    /// Registers a purchase call for a product, until its transaction has arrived.
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

    /// Removes a purchase call that the store has answered conclusively.
    ///
    /// - Parameter transaction: The transaction in the answer, which then belongs to no other call.
    func closeCall(_ number: Int, for identifier: String, answeredWith transaction: String? = nil) {
        openCalls[identifier]?.calls.removeAll { $0.number == number }
        if let transaction { openCalls[identifier]?.recorded.remove(transaction) }
        forgetServedCalls(for: identifier)
    }

    /// Notes that a purchase was recorded for the first time. A purchase that was not the answer to a purchase call may
    /// belong to any open call: the verifications of all remain in use until as many purchases have arrived as there
    /// are calls.
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
