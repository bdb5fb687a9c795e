/// What a catalog says of a wallet, beside the products that credit it.
public struct CatalogWallet: Sendable, Hashable {
    /// The units that are in it before anything is bought; not below zero.
    public var startingBalance: Int
    /// What a refund does to it.
    public var refundPolicy: RefundPolicy

    /// A wallet that begins empty and pays refunds back as far as it can, unless something else is said.
    public init(startingBalance: Int = 0, refundPolicy: RefundPolicy = .clawback) {
        self.startingBalance = startingBalance
        self.refundPolicy = refundPolicy
    }
}

/// What happens to the units that a purchase has credited once it is refunded.
public enum RefundPolicy: String, Sendable, Hashable, Codable, CaseIterable {
    /// They are taken back, down to zero: what was spent is not owed.
    case clawback
    /// They are taken back whole: what was spent is owed, and later credits pay for it.
    case debt
    /// They stay.
    case ignore
}
