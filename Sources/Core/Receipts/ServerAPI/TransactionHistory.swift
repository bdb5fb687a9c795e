public import Foundation

/// Filter for a customer's transaction history. A transaction must match all properties that are set, and one value of
/// each list that is not empty.
public struct TransactionHistoryFilter: Sendable, Hashable {
    /// Type of a product in the filter.
    public enum ProductKind: String, Sendable, Hashable, CaseIterable {
        case autoRenewableSubscription = "AUTO_RENEWABLE"
        case nonRenewingSubscription = "NON_RENEWABLE"
        case consumable = "CONSUMABLE"
        case nonConsumable = "NON_CONSUMABLE"
    }

    /// Order of the transactions by the date of the store's last change, which may differ from the purchase date.
    public enum Order: String, Sendable, Hashable {
        case ascending = "ASCENDING"
        case descending = "DESCENDING"
    }

    /// Earliest purchase date.
    public var startDate: Date?
    /// Upper bound (exclusive) of the purchase date.
    public var endDate: Date?
    public var productIdentifiers: [String] = []
    public var productKinds: [ProductKind] = []
    /// Identifiers of subscription groups.
    public var subscriptionGroups: [String] = []
    public var ownership: OwnershipType?
    /// `true` to select only revoked transactions, `false` to select only others; `nil` for both.
    public var isRevoked: Bool?
    public var order = Order.ascending

    /// Creates a filter that every transaction matches.
    public init() {}

    /// Names and values of the query for a page of the history.
    ///
    /// - Throws: ``AppStoreServerError`` if a date is out of range.
    func query(after revision: String?) throws(AppStoreServerError) -> [(name: String, value: String)] {
        var query: [(name: String, value: String)] = []
        func add(_ name: String, _ values: [String]) { query += values.map { (name, $0) } }
        if let revision { add("revision", [revision]) }
        if let startDate { add("startDate", [String(try startDate.storeMilliseconds)]) }
        if let endDate { add("endDate", [String(try endDate.storeMilliseconds)]) }
        add("productId", productIdentifiers)
        add("productType", productKinds.map(\.rawValue))
        add("subscriptionGroupIdentifier", subscriptionGroups)
        if let ownership { add("inAppOwnershipType", [ownership.rawValue]) }
        if let isRevoked { add("revoked", [String(isRevoked)]) }
        if order != .ascending { add("sort", [order.rawValue]) }
        return query
    }
}

/// Page of a customer's transaction history, with at most 20 transactions and the fields of Apple's
/// [HistoryResponse](https://developer.apple.com/documentation/appstoreserverapi/historyresponse).
public struct TransactionHistoryPage: Sendable, Hashable {
    /// Transactions in compact JWS form, not yet verified. A transaction that the store has changed, for example by a
    /// refund, may occur again on a later page.
    public let signedTransactions: [String]
    /// Position after this page. A later request with this position and the same filter returns the transactions that
    /// the store has added or changed since.
    public let revision: String
    /// `true` if the store currently has further transactions.
    public let hasMore: Bool
    public let bundleIdentifier: String
    /// App's identifier in the App Store; `nil` outside production.
    public let appIdentifier: Int64?
    public let environment: StoreEnvironment
}

extension TransactionHistoryPage: Decodable {
    private enum CodingKeys: String, CodingKey {
        case signedTransactions, revision, hasMore, environment
        case bundleIdentifier = "bundleId"
        case appIdentifier = "appAppleId"
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        signedTransactions = try container.decodeIfPresent([String].self, forKey: .signedTransactions) ?? []
        revision = try container.decode(String.self, forKey: .revision)
        hasMore = try container.decode(Bool.self, forKey: .hasMore)
        bundleIdentifier = try container.decode(String.self, forKey: .bundleIdentifier)
        appIdentifier = try container.decodeIfPresent(Int64.self, forKey: .appIdentifier)
        environment = try container.decode(StoreEnvironment.self, forKey: .environment)
    }
}
