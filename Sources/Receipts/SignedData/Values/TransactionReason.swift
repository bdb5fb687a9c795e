/// Cause of a transaction in signed data. The store may add others.
public struct TransactionReason: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought the product.
    public static let purchase = TransactionReason(rawValue: "PURCHASE")
    /// The store renewed a subscription.
    public static let renewal = TransactionReason(rawValue: "RENEWAL")
}
