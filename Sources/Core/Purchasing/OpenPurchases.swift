internal import VitrineReceipts
internal import VitrineSupport

/// Purchase calls that wait for the store, and purchases with an unknown outcome.
struct OpenPurchases {
    private var inProgress: Set<String> = []
    /// State before each purchase with an unknown outcome, by product.
    private var ofUnknownOutcome: [String: StateBeforePurchase] = [:]
    /// Transactions that were delivered while a purchase call for their product waited for the store, by product.
    private var duringCalls: [String: [SignedTransaction]] = [:]
    /// Identifiers of the transactions whose delivery was reported, in the answer to a call or otherwise. They prevent
    /// duplicate reports, because the store may send a transaction more than once.
    private var reported: Set<String> = []

    /// Begins a purchase call for a product.
    ///
    /// - Throws: ``PurchaseFailure`` `inProgress` if another call for the product waits for the store.
    mutating func begin(_ identifier: String) throws(PurchaseFailure) {
        guard inProgress.insert(identifier).inserted else {
            throw PurchaseFailure(code: .inProgress, reason: "another purchase of \(identifier) is in progress")
        }
    }

    /// Ends a purchase call.
    ///
    /// - Returns: Purchases of the product that were delivered during the call, without the purchase in the answer.
    mutating func end(_ identifier: String, answeredWith answer: PurchaseAnswer) -> [SignedTransaction] {
        inProgress.remove(identifier)
        let delivered = duringCalls.removeValue(forKey: identifier) ?? []
        guard case .success(let signed, _) = answer else { return delivered }
        reported.insert(signed.payload.transactionID)
        return delivered.filter { $0.payload.transactionID != signed.payload.transactionID }
    }

    /// Records that a purchase was delivered.
    ///
    /// - Returns: `true` if no call waits for the purchase, and its delivery was not reported before.
    mutating func noteDelivery(of signed: SignedTransaction) -> Bool {
        let identifier = signed.payload.productIdentifier
        guard reported.insert(signed.payload.transactionID).inserted else { return false }
        guard inProgress.contains(identifier) else { return true }
        duringCalls[identifier, default: []].append(signed)
        return false
    }

    /// Returns `true` if a transaction was delivered while a purchase call for its product waits for the store.
    func hasDelivered(_ id: String) -> Bool {
        duringCalls.values.contains { $0.contains { $0.payload.transactionID == id } }
    }

    /// Records that the store did not answer a purchase call for a product. The customer may have been charged.
    ///
    /// - Parameter before: State before the call.
    mutating func noteUnknownOutcome(of identifier: String, after before: StateBeforePurchase) {
        ofUnknownOutcome[identifier] = before
    }

    /// Records that the store has no transaction of an earlier purchase of a product.
    mutating func noteOutcome(of identifier: String) { ofUnknownOutcome[identifier] = nil }

    /// Records that the outcome of an earlier purchase is known, if a delivered transaction may be that purchase. Another
    /// transaction of the product, such as an older one that the store sends again, says nothing about it.
    ///
    /// - Parameter replacements: Number of times that another ledger has replaced the one in use.
    mutating func noteOutcome(_ delivered: Delivered, replacements: Int) {
        let identifier = delivered.transaction.payload.productIdentifier
        ofUnknownOutcome[identifier]?.follow(replacements: replacements)
        if ofUnknownOutcome[identifier]?.mayBeAnswered(by: delivered) == true { ofUnknownOutcome[identifier] = nil }
    }

    /// Returns the state before an earlier purchase of a product whose outcome is unknown, so that the customer may have
    /// been charged; `nil` if there is none.
    func stateBeforeUnknownOutcome(of identifier: String) -> StateBeforePurchase? { ofUnknownOutcome[identifier] }
}
