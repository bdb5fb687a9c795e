internal import VitrineReceipts
internal import VitrineSupport

/// Purchase calls that wait for the store, and purchases with an unknown outcome.
struct OpenPurchases {
    private var inProgress: Set<String> = []
    private var ofUnknownOutcome: Set<String> = []
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

    /// Records that the store did not answer a purchase call for a product. The customer may have been charged.
    mutating func noteUnknownOutcome(of identifier: String) { ofUnknownOutcome.insert(identifier) }

    /// Records that the outcome of an earlier purchase of a product is known.
    mutating func noteOutcome(of identifier: String) { ofUnknownOutcome.remove(identifier) }

    /// Returns `true` if an earlier purchase of a product has an unknown outcome, so that the customer may have been
    /// charged.
    func isOutcomeUnknown(of identifier: String) -> Bool { ofUnknownOutcome.contains(identifier) }
}
