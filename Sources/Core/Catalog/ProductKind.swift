/// Product type, in the App Store's terms.
public enum ProductKind: String, Sendable, Hashable, Codable, CaseIterable {
    /// A product that is used up and can be bought again. Its value is credited to a wallet.
    case consumable
    /// A product that is bought once and owned permanently.
    case nonConsumable
    /// A subscription for a limited time that the app determines.
    case nonRenewingSubscription
    /// A subscription that the store renews.
    case autoRenewableSubscription
    /// A type that the catalog does not declare. The store response provides the type.
    case unknown
}

extension ProductKind {
    package var description: String {
        switch self {
        case .consumable: "consumable"
        case .nonConsumable: "non-consumable"
        case .nonRenewingSubscription: "non-renewing subscription"
        case .autoRenewableSubscription: "auto-renewable subscription"
        case .unknown: "unknown"
        }
    }

    /// Largest quantity of one purchase in the App Store.
    package var mostUnits: Int { self == .consumable || self == .nonRenewingSubscription ? 10 : 1 }

    /// `true` if the product is bought for a limited time.
    var isSubscription: Bool { self == .autoRenewableSubscription || self == .nonRenewingSubscription }

    /// Creates the product type from the value of the key `type` in a catalog file.
    init?(declared name: String) {
        guard let kind = ProductKind(rawValue: name), kind != .unknown else { return nil }
        self = kind
    }

    /// Creates the product type from the values of the keys `type` and `consumable` in a catalog file.
    init(type: String?, isConsumable: Bool?) {
        self =
            type.flatMap(ProductKind.init(declared:))
            ?? isConsumable.map { $0 ? .consumable : .nonConsumable } ?? .unknown
    }
}
