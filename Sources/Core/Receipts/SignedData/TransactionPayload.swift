public import Foundation

/// Payload of a `JWSTransaction`, in which the store describes a transaction, with the fields of Apple's
/// [JWSTransactionDecodedPayload](https://developer.apple.com/documentation/appstoreserverapi/jwstransactiondecodedpayload).
public struct TransactionPayload: Sendable, Hashable, Codable {
    public var transactionID: String
    /// Identifier of the first transaction of the same purchase. It differs from ``transactionID`` only in a restored
    /// or renewed transaction.
    public var originalTransactionID: String
    public var bundleIdentifier: String
    public var productIdentifier: String
    public var purchaseDate: Date
    public var originalPurchaseDate: Date
    /// Number of purchased units; at least 1.
    public var quantity: Int
    public var type: SignedProductKind
    public var environment: StoreEnvironment
    /// Signing date of the transaction.
    public var signedDate: Date
    /// Country of the storefront as an ISO 3166-1 alpha-3 code.
    public var storefront: String?
    /// Price of the purchase in thousandths of the currency's unit.
    public var price: Int?
    /// Currency of the price, as an ISO 4217 code.
    public var currency: String?
    /// Revocation date of the purchase; `nil` if it is not revoked.
    public var revocationDate: Date?
    /// End of the purchased period of an auto-renewable subscription; `nil` for all other products.
    public var expiresDate: Date?
    /// `true` if the customer upgraded to a better subscription of the group before the period ended.
    public var isUpgraded: Bool?
    /// Ownership of the purchase: bought by the customer, or shared by the customer's family. `nil` in older data.
    public var ownershipType: OwnershipType?
    /// Token that the app passed with the purchase to identify one of its accounts.
    public var appAccountToken: UUID?
    /// Number that identifies a period of a subscription, across renewals and devices.
    public var webOrderLineItemID: String?
    /// Identifier of the subscription group.
    public var subscriptionGroupIdentifier: String?
    /// Cause of the transaction; `nil` in older data.
    public var reason: TransactionReason?
    /// Identifier of the storefront in the App Store.
    public var storefrontID: String?
    /// Type of the subscription offer that determined the price; `nil` for a purchase without an offer.
    public var offerType: OfferType?
    /// Identifier of the promotional offer, offer code or win-back offer that determined the price.
    public var offerIdentifier: String?
    public var offerDiscountType: OfferDiscountType?
    /// Duration of the subscription offer that determined the price, in ISO 8601 format.
    public var offerPeriod: String?
    public var revocationReason: RevocationReason?
    public var revocationType: RevocationType?
    /// Refunded part of the price, in thousandths of a percent.
    public var revocationPercentage: Int?
    /// Identifier that distinguishes the customers of the app.
    public var appTransactionID: String?
    public var billingPlanType: BillingPlanType?
    /// Value that binds the transaction to a device, in Base64: the SHA-384 hash of the nonce and the device's
    /// identifier.
    public var deviceVerification: String?
    public var deviceVerificationNonce: String?

    package init(
        transactionID: String, originalTransactionID: String, bundleIdentifier: String, productIdentifier: String,
        purchaseDate: Date, originalPurchaseDate: Date, quantity: Int, type: SignedProductKind,
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
        case billingPlanType, deviceVerification, deviceVerificationNonce
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
        type = try container.decode(SignedProductKind.self, forKey: .type)
        environment = try container.decode(StoreEnvironment.self, forKey: .environment)
        signedDate = try container.decode(Date.self, forKey: .signedDate)
        revocationDate = try container.decodeIfPresent(Date.self, forKey: .revocationDate)
        expiresDate = try container.decodeIfPresent(Date.self, forKey: .expiresDate)
        isUpgraded = try container.decodeIfPresent(Bool.self, forKey: .isUpgraded)
        ownershipType = try container.decodeIfPresent(OwnershipType.self, forKey: .ownershipType)
        // The App Store may sign an empty text for a purchase without a token.
        let token = try container.decodeIfPresent(String.self, forKey: .appAccountToken)
        appAccountToken = token == "" ? nil : try container.decodeIfPresent(UUID.self, forKey: .appAccountToken)
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
        deviceVerification = container.information(.deviceVerification)
        deviceVerificationNonce = container.information(.deviceVerificationNonce)
    }
}

extension KeyedEncodingContainer {
    /// Encodes an account token in lower case, as the App Store signs it: servers look up tokens as texts. The payloads of
    /// this module use this function in place of the general one, which writes upper case.
    mutating func encodeIfPresent(_ token: UUID?, forKey key: Key) throws {
        try encodeIfPresent(token?.uuidString.lowercased(), forKey: key)
    }
}

extension TransactionPayload {
    /// Identifier of the purchase: the transaction's own identifier for a period of a subscription, otherwise the
    /// original transaction's.
    public var purchaseID: String {
        type == .autoRenewableSubscription || type == .nonRenewingSubscription
            ? transactionID : originalTransactionID
    }
}

extension TransactionPayload {
    /// Reads the claims of a transaction without verifying its signature. Only for an implementation of the store,
    /// which reads data that it has signed itself.
    ///
    /// - Returns: `nil` if the data is not a transaction in compact JWS form.
    package init?(unverified signedData: String) {
        guard let payload = UnverifiedJWS(signedData)?.decode(TransactionPayload.self) else { return nil }
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

/// Verified transaction, with the data that proves it. Its signature, certificate chain, app and environment were
/// checked.
public struct SignedTransaction: SignedContent, Hashable {
    public let payload: TransactionPayload
    /// Compact JWS of the transaction as it was received.
    public let signedData: String

    package init(payload: TransactionPayload, signedData: String) {
        self.payload = payload
        self.signedData = signedData
    }
}

extension TransactionPayload {
    /// Copy of the payload with placeholders for values that differ between two signatures of the same transaction.
    package var withoutSignature: TransactionPayload {
        var copy = self
        copy.signedDate = .distantPast
        (copy.deviceVerification, copy.deviceVerificationNonce) = (nil, nil)
        return copy
    }
}
