/// Settings of a wallet in a catalog.
public struct CatalogWallet: Sendable, Hashable {
    /// Number of units before any purchase; not negative.
    public var startingBalance: Int
    /// Effect of a refund on the wallet.
    public var refundPolicy: RefundPolicy

    /// Creates a wallet. By default, it is initially empty and a refund deducts units down to zero.
    public init(startingBalance: Int = 0, refundPolicy: RefundPolicy = .clawback) {
        self.startingBalance = startingBalance
        self.refundPolicy = refundPolicy
    }
}

/// Treatment of the credited units when a purchase is refunded.
public enum RefundPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// Deducts the credited units, down to a balance of zero. Units already spent are not owed.
    case clawback
    /// Deducts all credited units. Units already spent are owed, and later credits reduce the debt.
    case debt
    /// Keeps the credited units in the wallet.
    case ignore
}
