public import Foundation

/// Payload of a `JWSRenewalInfo`, in which the store describes the renewal of a subscription, with the fields of
/// Apple's
/// [JWSRenewalInfoDecodedPayload](https://developer.apple.com/documentation/appstoreserverapi/jwsrenewalinfodecodedpayload).
public struct RenewalPayload: Sendable, Hashable, Codable {
    public var originalTransactionID: String
    /// Product of the current subscription.
    public var productIdentifier: String
    /// End of the grace period, during which a subscription remains active although the store could not charge for it;
    /// `nil` if there is no grace period.
    public var gracePeriodExpiresDate: Date?
    public var environment: StoreEnvironment
    /// Signing date of the renewal information.
    public var signedDate: Date
    /// Product of the next period.
    public var autoRenewProductIdentifier: String?
    public var autoRenewStatus: AutoRenewStatus?
    /// Reason why the subscription ended; `nil` if it has not ended.
    public var expirationIntent: ExpirationIntent?
    /// `true` if the store could not charge for the subscription and tries again.
    public var isInBillingRetryPeriod: Bool?
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// Renewal or end date of the subscription.
    public var renewalDate: Date?
    /// Price of the next period, in thousandths of the currency's unit.
    public var renewalPrice: Int?
    /// Currency of the price, as an ISO 4217 code.
    public var currency: String?
    /// Type of the subscription offer that determines the price of the next period; `nil` for none.
    public var offerType: OfferType?
    public var offerIdentifier: String?
    public var offerDiscountType: OfferDiscountType?
    /// Duration of the subscription offer that determines the price of the next period, in ISO 8601 format.
    public var offerPeriod: String?
    /// Win-back offers that the customer can use.
    public var eligibleWinBackOfferIdentifiers: [String]?
    /// Date at which the customer subscribed for the first time, or after the last pause of at least 60 days.
    public var recentSubscriptionStartDate: Date?
    public var appAccountToken: UUID?
    /// Identifier that distinguishes the customers of the app.
    public var appTransactionID: String?
    public var billingPlanType: BillingPlanType?
    /// Value that binds the renewal information to a device, in Base64: the SHA-384 hash of the nonce and the device's
    /// identifier.
    public var deviceVerification: String?
    public var deviceVerificationNonce: String?

    package init(
        originalTransactionID: String, productIdentifier: String, gracePeriodExpiresDate: Date?,
        environment: StoreEnvironment, signedDate: Date
    ) {
        self.originalTransactionID = originalTransactionID
        self.productIdentifier = productIdentifier
        self.gracePeriodExpiresDate = gracePeriodExpiresDate
        self.environment = environment
        self.signedDate = signedDate
    }

    private enum CodingKeys: String, CodingKey {
        case originalTransactionID = "originalTransactionId"
        case productIdentifier = "productId"
        case gracePeriodExpiresDate, environment, signedDate
        case autoRenewProductIdentifier = "autoRenewProductId"
        case autoRenewStatus, expirationIntent, isInBillingRetryPeriod, priceIncreaseStatus, renewalDate, renewalPrice
        case currency, offerType, offerIdentifier, offerDiscountType, offerPeriod
        case eligibleWinBackOfferIdentifiers = "eligibleWinBackOfferIds"
        case recentSubscriptionStartDate, appAccountToken
        case appTransactionID = "appTransactionId"
        case billingPlanType = "renewalBillingPlanType"
        case deviceVerification, deviceVerificationNonce
    }
}

extension RenewalPayload {
    /// Names of fields that signed renewal information never has. Data with one of these fields is of another type and
    /// is rejected, even if it contains all required fields of renewal information.
    private enum ForeignKeys: String, CodingKey, CaseIterable {
        case transactionId, receiptType, notificationType, userLocale
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let foreign = try decoder.container(keyedBy: ForeignKeys.self)
        if let key = ForeignKeys.allCases.first(where: foreign.contains) {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: foreign,
                debugDescription: "the signed data of a renewal must not contain the field \(key.stringValue)")
        }
        originalTransactionID = try container.decode(String.self, forKey: .originalTransactionID)
        productIdentifier = try container.decode(String.self, forKey: .productIdentifier)
        gracePeriodExpiresDate = try container.decodeIfPresent(Date.self, forKey: .gracePeriodExpiresDate)
        environment = try container.decode(StoreEnvironment.self, forKey: .environment)
        signedDate = try container.decode(Date.self, forKey: .signedDate)
        autoRenewProductIdentifier = container.information(.autoRenewProductIdentifier)
        autoRenewStatus = container.information(.autoRenewStatus)
        expirationIntent = container.information(.expirationIntent)
        isInBillingRetryPeriod = container.information(.isInBillingRetryPeriod)
        priceIncreaseStatus = container.information(.priceIncreaseStatus)
        renewalDate = container.information(.renewalDate)
        renewalPrice = container.information(.renewalPrice)
        currency = container.information(.currency)
        offerType = container.information(.offerType)
        offerIdentifier = container.information(.offerIdentifier)
        offerDiscountType = container.information(.offerDiscountType)
        offerPeriod = container.information(.offerPeriod)
        eligibleWinBackOfferIdentifiers = container.information(.eligibleWinBackOfferIdentifiers)
        recentSubscriptionStartDate = container.information(.recentSubscriptionStartDate)
        appAccountToken = container.information(.appAccountToken)
        appTransactionID = container.information(.appTransactionID)
        billingPlanType = container.information(.billingPlanType)
        deviceVerification = container.information(.deviceVerification)
        deviceVerificationNonce = container.information(.deviceVerificationNonce)
    }
}

extension RenewalPayload: SignedPayload {
    static let name = "a renewal"

    /// Environment for which the renewal information was signed. Renewal information does not contain the app; only the
    /// transaction of the subscription does.
    var subjects: [SignedSubject] { [SignedSubject(environment: environment)] }

    var signatureDate: Date? { signedDate }

    var isComplete: Bool { !originalTransactionID.isEmpty }

    var dates: [Date] {
        [signedDate] + [gracePeriodExpiresDate, renewalDate, recentSubscriptionStartDate].compactMap(\.self)
    }
}

/// Verified renewal information. Its signature, certificate chain and environment were checked.
public struct SignedRenewal: SignedContent, Hashable {
    public let payload: RenewalPayload
    /// Compact JWS of the renewal information as it was received.
    public let signedData: String
}

extension RenewalPayload {
    /// Copy of the payload with placeholders for values that differ between two signatures of the same renewal
    /// information.
    package var withoutSignature: RenewalPayload {
        var copy = self
        copy.signedDate = .distantPast
        (copy.deviceVerification, copy.deviceVerificationNonce) = (nil, nil)
        return copy
    }
}
