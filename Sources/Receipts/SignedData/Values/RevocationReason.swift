/// Reason for the revocation of a purchase in signed data. The store may add others.
public struct RevocationReason: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let other = RevocationReason(rawValue: 0)
    /// The customer had trouble with the app.
    public static let issue = RevocationReason(rawValue: 1)
}

/// Type of the revocation of a purchase in signed data. The store may add others.
public struct RevocationType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The full price was refunded.
    public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
    /// A part of the price was refunded.
    public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
    /// The family no longer shares the purchase.
    public static let family = RevocationType(rawValue: "FAMILY_REVOKE")
}
