internal import Receipts

/// The calls for a product whose transactions have not come: they may come in another way than as their answers.
struct OpenCalls {
    struct Call {
        let number: Int
        /// What was there before the call is not what it brings.
        let unfinished: Set<String>
        /// What it wants to be asked; `nil` where Vitrine's own verification is enough.
        let verification: TransactionVerification?
    }

    var calls: [Call] = []
    /// The purchases that were recorded meanwhile. Which call each belongs to is not known.
    var recorded: Set<String> = []

    /// As many purchases have come as there are calls.
    var areServed: Bool { recorded.count >= calls.count }
}

/// What calls want to be asked about a transaction before it is delivered.
struct CallVerifications {
    var verifications: [TransactionVerification] = []
    /// It came by itself, and may be that of any call whose own has not come.
    var isOfOpenCalls = false
}

extension PurchaseQueue {
    /// - Returns: The number to close it with.
    func openCall(
        for identifier: String, _ verification: TransactionVerification?, unfinished: Set<String>
    ) -> Int {
        lastNumber += 1
        openCalls[identifier, default: OpenCalls()].calls.append(
            OpenCalls.Call(number: lastNumber, unfinished: unfinished, verification: verification))
        return lastNumber
    }

    /// A call has been answered for good.
    ///
    /// - Parameter transaction: What it was answered with, which is no other call's then.
    func closeCall(_ number: Int, for identifier: String, answeredWith transaction: String? = nil) {
        openCalls[identifier]?.calls.removeAll { $0.number == number }
        if let transaction { openCalls[identifier]?.recorded.remove(transaction) }
        forgetServedCalls(for: identifier)
    }

    /// A purchase was recorded for the first time. Where it was not the answer of a call, it may be that of any open one:
    /// all go on to be asked until as many have come as there are calls.
    func noteRecorded(_ id: String, of identifier: String) {
        guard callVerifications[id]?.isOfOpenCalls ?? false else { return }
        openCalls[identifier]?.recorded.insert(id)
        forgetServedCalls(for: identifier)
    }

    private func forgetServedCalls(for identifier: String) {
        if openCalls[identifier]?.areServed ?? false { openCalls[identifier] = nil }
    }

    /// A transaction that has come in another way may be that of any call whose own has not come.
    func adoptVerifications(for id: String, of identifier: String) {
        guard callVerifications[id] == nil, let open = openCalls[identifier] else { return }
        let calls = open.calls.filter { !$0.unfinished.contains(id) }
        guard !calls.isEmpty else { return }
        callVerifications[id] = CallVerifications(
            verifications: calls.compactMap(\.verification), isOfOpenCalls: true)
    }

    /// The store has answered a call with the transaction, which is no other call's then, unless an earlier one wants to
    /// be asked.
    func claimAnswer(_ id: String, for verification: TransactionVerification?) {
        let asked = callVerifications[id]?.verifications ?? []
        callVerifications[id] = CallVerifications(
            verifications: asked.isEmpty ? [verification].compactMap(\.self) : asked)
    }

    /// A call brings a transaction that may be an earlier one's.
    func claimTransaction(_ id: String, of identifier: String, for verification: TransactionVerification?) {
        adoptVerifications(for: id, of: identifier)
        guard let verification, callVerifications[id]?.verifications.isEmpty ?? true else { return }
        callVerifications[id, default: CallVerifications()].verifications = [verification]
    }
}
