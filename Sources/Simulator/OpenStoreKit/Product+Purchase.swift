extension Product {
    /// Result of a purchase.
    @nonexhaustive
    public enum PurchaseResult: Sendable {
        case success(VerificationResult<Transaction>)
        case userCancelled
        /// The purchase waits until another person approves it, or until the customer resolves an issue. Its
        /// transaction then arrives on ``Transaction/updates``.
        case pending
    }

    /// Buys the product. If the customer owns the product, or a transaction of the product is unfinished, the store
    /// does not charge again and returns that transaction.
    ///
    /// - Throws: ``PurchaseError`` if the store refuses the purchase; ``StoreKitError`` if it cannot be reached, or
    ///   fails.
    @MainActor
    @available(visionOS, unavailable)
    public func purchase(options: Set<PurchaseOption> = []) async throws -> PurchaseResult {
        try await connection.value.purchase(self, PurchaseRequest(options))
    }
}
