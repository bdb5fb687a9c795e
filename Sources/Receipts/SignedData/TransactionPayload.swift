public import Foundation

/// What the store signs about a transaction: the payload of a `JWSTransaction`, in the fields of Apple's
/// [JWSTransactionDecodedPayload](https://developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload).
public struct TransactionPayload: Sendable, Hashable, Codable {
    public var transactionID: String
    /// The identifier of the first transaction of the same purchase: equal to ``transactionID`` but for a restored or
    /// renewed one.
    public var originalTransactionID: String
    public var bundleIdentifier: String
    public var productIdentifier: String
    public var purchaseDate: Date
    public var originalPurchaseDate: Date
    /// Units bought; at least 1.
    public var quantity: Int
    public var type: ProductType
    public var environment: StoreEnvironment
    /// When the store signed this data.
    public var signedDate: Date
    /// The storefront's country as ISO 3166-1 alpha-3 names it.
    public var storefront: String?
    /// The price in thousandths of the currency's unit.
    public var price: Int?
    /// The currency of the price, as ISO 4217 names it.
    public var currency: String?
    /// When the store took the purchase back; `nil` for one that counts.
    public var revocationDate: Date?
    /// When a period of an auto-renewable subscription ends; `nil` for everything else.
    public var expiresDate: Date?
    /// The customer has changed to a better subscription of the group before the period ended.
    public var isUpgraded: Bool?
    /// Whether the customer bought it, or somebody shares it with them; `nil` in older data.
    public var ownershipType: OwnershipType?
    /// What the app gave with the purchase to tell one of its accounts from another.
    public var appAccountToken: UUID?

    package init(
        transactionID: String, originalTransactionID: String, bundleIdentifier: String, productIdentifier: String,
        purchaseDate: Date, originalPurchaseDate: Date, quantity: Int, type: ProductType,
        environment: StoreEnvironment, signedDate: Date, storefront: String?, price: Int?, currency: String?,
        revocationDate: Date? = nil, expiresDate: Date? = nil, isUpgraded: Bool? = nil,
        ownershipType: OwnershipType? = nil, appAccountToken: UUID? = nil
    ) {
        self.transactionID = transactionID
        self.originalTransactionID = originalTransactionID
        self.bundleIdentifier = bundleIdentifier
        self.productIdentifier = productIdentifier
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.quantity = quantity
        self.type = type
        self.environment = environment
        self.signedDate = signedDate
        self.storefront = storefront
        self.price = price
        self.currency = currency
        self.revocationDate = revocationDate
        self.expiresDate = expiresDate
        self.isUpgraded = isUpgraded
        self.ownershipType = ownershipType
        self.appAccountToken = appAccountToken
    }

    private enum CodingKeys: String, CodingKey {
        case transactionID = "transactionId"
        case originalTransactionID = "originalTransactionId"
        case bundleIdentifier = "bundleId"
        case productIdentifier = "productId"
        case purchaseDate, originalPurchaseDate, quantity, type, environment, signedDate, storefront, price, currency
        case revocationDate, expiresDate, isUpgraded, appAccountToken
        case ownershipType = "inAppOwnershipType"
    }
}

extension TransactionPayload {
    /// What was bought: the first transaction of a purchase that lasts, and each period of a subscription by itself.
    public var purchaseID: String {
        type == .autoRenewableSubscription || type == .nonRenewingSubscription
            ? transactionID : originalTransactionID
    }
}

extension TransactionPayload {
    /// What a transaction claims, whoever has signed it: for the store itself, about what it has sent.
    ///
    /// - Returns: `nil` for what is no transaction in compact JWS form.
    package init?(unverified signedData: String) {
        let segments = signedData.split(separator: ".", omittingEmptySubsequences: false)
        guard segments.count == 3, let bytes = Base64URL.decode(segments[1]),
            let payload = try? JSONDecoder.storeDates.decode(TransactionPayload.self, from: bytes)
        else { return nil }
        self = payload
    }
}

extension JSONDecoder {
    /// Reads dates as the store writes them, in milliseconds since 1970.
    static var storeDates: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        return decoder
    }
}

extension TransactionPayload: SignedPayload {
    static let name = "a transaction"

    var app: String? { bundleIdentifier }

    var isComplete: Bool { quantity >= 1 && !transactionID.isEmpty && !originalTransactionID.isEmpty }

    var dates: [Date] {
        [signedDate, purchaseDate, originalPurchaseDate] + [revocationDate, expiresDate].compactMap(\.self)
    }
}

/// How somebody came to have a purchase, as the store writes it in signed data. The store may add others.
public struct OwnershipType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought it.
    public static let purchased = OwnershipType(rawValue: "PURCHASED")
    /// Somebody of the customer's family bought it, and shares it.
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
}

/// The kind of a product as the store writes it in signed data. The store may add others.
public struct ProductType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let consumable = ProductType(rawValue: "Consumable")
    public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
    public static let nonRenewingSubscription = ProductType(rawValue: "Non-Renewing Subscription")
    public static let autoRenewableSubscription = ProductType(rawValue: "Auto-Renewable Subscription")
}

/// The environment of the store that signed something. The store may add others.
public struct StoreEnvironment: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let production = StoreEnvironment(rawValue: "Production")
    public static let sandbox = StoreEnvironment(rawValue: "Sandbox")
}

/// A transaction whose signature, chain, app and environment have been checked, with the data that proves it.
public struct SignedTransaction: Sendable, Hashable {
    public let payload: TransactionPayload
    /// The compact JWS as it was received.
    public let signedData: String

    package init(payload: TransactionPayload, signedData: String) {
        self.payload = payload
        self.signedData = signedData
    }
}
