/// Auto-renewable subscriptions of a customer, with the fields of Apple's
/// [StatusResponse](https://developer.apple.com/documentation/appstoreserverapi/statusresponse).
public struct SubscriptionStatuses: Sendable, Hashable {
    /// Subscriptions of a customer in one subscription group.
    public struct Group: Sendable, Hashable {
        /// Identifier of the subscription group.
        public let identifier: String
        public let subscriptions: [Subscription]
    }

    /// Subscription of a customer.
    public struct Subscription: Sendable, Hashable {
        public let originalTransactionID: String
        public let status: SubscriptionState
        /// Latest transaction of the subscription in compact JWS form, not yet verified.
        public let signedTransaction: String
        /// Renewal information of the subscription in compact JWS form, not yet verified.
        public let signedRenewal: String
    }

    public let groups: [Group]
    public let bundleIdentifier: String
    /// App's identifier in the App Store; `nil` outside production.
    public let appIdentifier: Int64?
    public let environment: StoreEnvironment
}

extension SubscriptionStatuses: Decodable {
    private enum CodingKeys: String, CodingKey {
        case groups = "data"
        case bundleIdentifier = "bundleId"
        case appIdentifier = "appAppleId"
        case environment
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        groups = try container.decodeIfPresent([Group].self, forKey: .groups) ?? []
        bundleIdentifier = try container.decode(String.self, forKey: .bundleIdentifier)
        appIdentifier = try container.decodeIfPresent(Int64.self, forKey: .appIdentifier)
        environment = try container.decode(StoreEnvironment.self, forKey: .environment)
    }
}

extension SubscriptionStatuses.Group: Decodable {
    private enum CodingKeys: String, CodingKey {
        case identifier = "subscriptionGroupIdentifier"
        case subscriptions = "lastTransactions"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        identifier = try container.decode(String.self, forKey: .identifier)
        subscriptions =
            try container.decodeIfPresent([SubscriptionStatuses.Subscription].self, forKey: .subscriptions) ?? []
    }
}

extension SubscriptionStatuses.Subscription: Decodable {
    private enum CodingKeys: String, CodingKey {
        case originalTransactionID = "originalTransactionId"
        case status
        case signedTransaction = "signedTransactionInfo"
        case signedRenewal = "signedRenewalInfo"
    }
}
