internal import VitrinePurchasing

extension Product {
    /// Answer of the store to a purchase.
    public enum PurchaseResult: Sendable {
        case success(VerificationResult<Transaction>)
        case userCancelled
        /// The purchase waits for another person's approval, or until the customer resolves an issue. Its transaction
        /// then arrives on ``Transaction/updates``.
        case pending
    }

    /// Buys the product. A product that the customer owns, or of which a transaction is unfinished, is not charged again:
    /// the store answers with that transaction.
    ///
    /// - Throws: ``PurchaseError`` if the store refuses the purchase; ``StoreKitError`` if it cannot be reached, or
    ///   fails.
    @MainActor
    @available(visionOS, unavailable)
    public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
        try await connection.value.purchase(self, PurchaseRequest(options))
    }
}
