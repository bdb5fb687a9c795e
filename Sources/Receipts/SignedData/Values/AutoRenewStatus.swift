/// Whether a subscription renews at the end of its period, as the store writes it in signed data. The store may add
/// others.
public struct AutoRenewStatus: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let off = AutoRenewStatus(rawValue: 0)
    public static let on = AutoRenewStatus(rawValue: 1)
}

/// Why a subscription ended, as the store writes it in signed data. The store may add others.
public struct ExpirationIntent: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The customer ended it.
    public static let cancelled = ExpirationIntent(rawValue: 1)
    public static let billingError = ExpirationIntent(rawValue: 2)
    /// The customer did not agree to a higher price.
    public static let priceIncrease = ExpirationIntent(rawValue: 3)
    public static let productNotAvailable = ExpirationIntent(rawValue: 4)
    public static let other = ExpirationIntent(rawValue: 5)
}

/// Whether the customer has agreed to a higher price, as the store writes it in signed data. The store may add others.
public struct PriceIncreaseStatus: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The customer has not answered.
    public static let pending = PriceIncreaseStatus(rawValue: 0)
    /// The customer has agreed, or was told where no agreement is asked for.
    public static let agreed = PriceIncreaseStatus(rawValue: 1)
}
