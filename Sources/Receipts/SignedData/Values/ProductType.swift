/// Product type in signed data. The store may add others.
public struct ProductType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let consumable = ProductType(rawValue: "Consumable")
    public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
    public static let nonRenewingSubscription = ProductType(rawValue: "Non-Renewing Subscription")
    public static let autoRenewableSubscription = ProductType(rawValue: "Auto-Renewable Subscription")
}
