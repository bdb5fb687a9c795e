/// Purchase calls that wait for the store, and purchases of which the store did not say whether they were made.
struct OpenPurchases {
    private var inProgress: Set<String> = []
    private var ofUnknownOutcome: Set<String> = []

    /// Begins a purchase call for a product.
    ///
    /// - Throws: ``PurchaseFailure`` `inProgress` if another call for the product waits for the store.
    mutating func begin(_ identifier: String) throws(PurchaseFailure) {
        guard inProgress.insert(identifier).inserted else {
            throw PurchaseFailure(code: .inProgress, reason: "another purchase of \(identifier) is in progress")
        }
    }

    mutating func end(_ identifier: String) { inProgress.remove(identifier) }

    /// Notes that the store did not answer a purchase call for a product: the customer may have been charged.
    mutating func noteUnknownOutcome(of identifier: String) { ofUnknownOutcome.insert(identifier) }

    /// Notes that an earlier purchase of a product was delivered, or was not made.
    mutating func noteOutcome(of identifier: String) { ofUnknownOutcome.remove(identifier) }

    /// Returns `true` if it is unknown whether an earlier purchase of a product was made.
    func isOutcomeUnknown(of identifier: String) -> Bool { ofUnknownOutcome.contains(identifier) }
}
