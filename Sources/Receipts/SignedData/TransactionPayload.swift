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
    /// The number of a subscription's period, across renewals and devices.
    public var webOrderLineItemID: String?
    /// The group of the subscription.
    public var subscriptionGroupIdentifier: String?
    /// What it came from; `nil` in older data.
    public var reason: TransactionReason?
    /// The storefront's number.
    public var storefrontID: String?
    /// The offer that the price came from; `nil` for none.
    public var offerType: OfferType?
    /// The name of a promotional offer, an offer code or a win-back offer.
    public var offerIdentifier: String?
    public var offerDiscountType: OfferDiscountType?
    /// How long the offer lasts, as ISO 8601 writes a duration.
    public var offerPeriod: String?
    public var revocationReason: RevocationReason?
    public var revocationType: RevocationType?
    /// The part of the price that was given back, in thousandths of a percent.
    public var revocationPercentage: Int?
    /// What tells one customer of the app from another.
    public var appTransactionID: String?
    public var billingPlanType: BillingPlanType?

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
        case webOrderLineItemID = "webOrderLineItemId"
        case subscriptionGroupIdentifier
        case reason = "transactionReason"
        case storefrontID = "storefrontId"
        case offerType, offerIdentifier, offerDiscountType, offerPeriod
        case revocationReason, revocationType, revocationPercentage
        case appTransactionID = "appTransactionId"
        case billingPlanType
    }
}

extension TransactionPayload {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        transactionID = try container.decode(String.self, forKey: .transactionID)
        originalTransactionID = try container.decode(String.self, forKey: .originalTransactionID)
        bundleIdentifier = try container.decode(String.self, forKey: .bundleIdentifier)
        productIdentifier = try container.decode(String.self, forKey: .productIdentifier)
        purchaseDate = try container.decode(Date.self, forKey: .purchaseDate)
        originalPurchaseDate = try container.decode(Date.self, forKey: .originalPurchaseDate)
        quantity = try container.decode(Int.self, forKey: .quantity)
        type = try container.decode(ProductType.self, forKey: .type)
        environment = try container.decode(StoreEnvironment.self, forKey: .environment)
        signedDate = try container.decode(Date.self, forKey: .signedDate)
        revocationDate = try container.decodeIfPresent(Date.self, forKey: .revocationDate)
        expiresDate = try container.decodeIfPresent(Date.self, forKey: .expiresDate)
        isUpgraded = try container.decodeIfPresent(Bool.self, forKey: .isUpgraded)
        ownershipType = try container.decodeIfPresent(OwnershipType.self, forKey: .ownershipType)
        appAccountToken = try container.decodeIfPresent(UUID.self, forKey: .appAccountToken)
        storefront = container.information(.storefront)
        price = container.information(.price)
        currency = container.information(.currency)
        webOrderLineItemID = container.information(.webOrderLineItemID)
        subscriptionGroupIdentifier = container.information(.subscriptionGroupIdentifier)
        reason = container.information(.reason)
        storefrontID = container.information(.storefrontID)
        offerType = container.information(.offerType)
        offerIdentifier = container.information(.offerIdentifier)
        offerDiscountType = container.information(.offerDiscountType)
        offerPeriod = container.information(.offerPeriod)
        revocationReason = container.information(.revocationReason)
        revocationType = container.information(.revocationType)
        revocationPercentage = container.information(.revocationPercentage)
        appTransactionID = container.information(.appTransactionID)
        billingPlanType = container.information(.billingPlanType)
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
        guard let segments = try? CompactJWS.Segments(signedData), let bytes = Base64URL.decode(segments.payload),
            let payload = try? JSONDecoder.storeDates.decode(TransactionPayload.self, from: bytes)
        else { return nil }
        self = payload
    }
}

extension TransactionPayload: SignedPayload {
    static let name = "a transaction"

    var subjects: [SignedSubject] { [SignedSubject(app: bundleIdentifier, environment: environment)] }

    var signatureDate: Date? { signedDate }

    var isComplete: Bool { quantity >= 1 && !transactionID.isEmpty && !originalTransactionID.isEmpty }

    var dates: [Date] {
        [signedDate, purchaseDate, originalPurchaseDate] + [revocationDate, expiresDate].compactMap(\.self)
    }
}

/// A transaction whose signature, chain, app and environment have been checked, with the data that proves it.
public struct SignedTransaction: SignedContent, Hashable {
    public let payload: TransactionPayload
    /// The compact JWS as it was received.
    public let signedData: String

    package init(payload: TransactionPayload, signedData: String) {
        self.payload = payload
        self.signedData = signedData
    }
}
