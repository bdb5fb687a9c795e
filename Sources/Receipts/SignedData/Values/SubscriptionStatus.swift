/// State of a subscription in a notification. The store may add others.
public struct SubscriptionStatus: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let active = SubscriptionStatus(rawValue: 1)
    public static let expired = SubscriptionStatus(rawValue: 2)
    /// The store could not charge for the subscription and tries again.
    public static let billingRetry = SubscriptionStatus(rawValue: 3)
    /// The store could not charge for the subscription, which remains active for a limited time.
    public static let billingGracePeriod = SubscriptionStatus(rawValue: 4)
    public static let revoked = SubscriptionStatus(rawValue: 5)
}
