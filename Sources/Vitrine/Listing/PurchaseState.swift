/// How far a purchase of a product is that has not come to its end.
public enum PurchaseState: String, Sendable, Hashable, Codable, CaseIterable {
    /// The store has been asked to sell it, and has not answered.
    case inProgress
    /// Somebody else has to approve of it first.
    case waitingForApproval
    /// It is paid for, and is being delivered, or waits to be.
    case delivering
}
