/// Automatic renewal setting of a subscription in signed data. The store may add others.
public struct AutoRenewStatus: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let off = AutoRenewStatus(rawValue: 0)
    public static let on = AutoRenewStatus(rawValue: 1)
}

/// Reason for the end of a subscription in signed data. The store may add others.
public struct ExpirationIntent: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The customer cancelled the subscription.
    public static let cancelled = ExpirationIntent(rawValue: 1)
    public static let billingError = ExpirationIntent(rawValue: 2)
    /// The customer did not agree to a higher price.
    public static let priceIncrease = ExpirationIntent(rawValue: 3)
    public static let productNotAvailable = ExpirationIntent(rawValue: 4)
    public static let other = ExpirationIntent(rawValue: 5)
}

/// Customer's consent to a higher price in signed data. The store may add others.
public struct PriceIncreaseStatus: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The customer has not answered.
    public static let pending = PriceIncreaseStatus(rawValue: 0)
    /// The customer has agreed, or was notified if no consent is required.
    public static let agreed = PriceIncreaseStatus(rawValue: 1)
}
