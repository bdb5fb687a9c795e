public import Foundation

/// What the store signs about the renewal of a subscription: the payload of a `JWSRenewalInfo`, in the fields of Apple's
/// [JWSRenewalInfoDecodedPayload](https://developer.apple.com/documentation/appstoreserverapi/jwsrenewalinfodecodedpayload).
public struct RenewalPayload: Sendable, Hashable, Codable {
    public var originalTransactionID: String
    /// The product that is subscribed to.
    public var productIdentifier: String
    /// Until when a subscription that could not be charged for is given all the same; `nil` where there is no such grace.
    public var gracePeriodExpiresDate: Date?
    public var environment: StoreEnvironment
    /// When the store signed this data.
    public var signedDate: Date
    /// The product that the subscription renews to.
    public var autoRenewProductIdentifier: String?
    public var autoRenewStatus: AutoRenewStatus?
    /// Why the subscription ended; `nil` for one that lasts.
    public var expirationIntent: ExpirationIntent?
    /// The store could not charge for it, and tries again.
    public var isInBillingRetryPeriod: Bool?
    public var priceIncreaseStatus: PriceIncreaseStatus?
    /// When the subscription renews or ends.
    public var renewalDate: Date?
    /// The price of the next period, in thousandths of the currency's unit.
    public var renewalPrice: Int?
    /// The currency of the price, as ISO 4217 names it.
    public var currency: String?
    /// The offer that the next period's price comes from; `nil` for none.
    public var offerType: OfferType?
    public var offerIdentifier: String?
    public var offerDiscountType: OfferDiscountType?
    /// How long the offer lasts, as ISO 8601 writes a duration.
    public var offerPeriod: String?
    /// The win-back offers that the customer can take.
    public var eligibleWinBackOfferIdentifiers: [String]?
    /// When the customer subscribed after the last pause of 60 days or more.
    public var recentSubscriptionStartDate: Date?
    public var appAccountToken: UUID?
    /// What tells one customer of the app from another.
    public var appTransactionID: String?
    public var billingPlanType: BillingPlanType?

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
    }
}

extension RenewalPayload {
    /// What a payload of another kind has that has all that a renewal must have.
    private enum ForeignKeys: String, CodingKey, CaseIterable {
        case transactionId, receiptType, notificationType, userLocale
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let foreign = try decoder.container(keyedBy: ForeignKeys.self)
        if let key = ForeignKeys.allCases.first(where: foreign.contains) {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: foreign, debugDescription: "a renewal has no such field")
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
    }
}

extension RenewalPayload: SignedPayload {
    static let name = "a renewal"

    /// The store does not name the app in it: it is the renewal of a transaction that does.
    var subjects: [SignedSubject] { [SignedSubject(environment: environment)] }

    var signatureDate: Date? { signedDate }

    var isComplete: Bool { !originalTransactionID.isEmpty }

    var dates: [Date] {
        [signedDate] + [gracePeriodExpiresDate, renewalDate, recentSubscriptionStartDate].compactMap(\.self)
    }
}

/// What the store says about a renewal, whose signature, chain and environment have been checked.
public struct SignedRenewal: SignedContent, Hashable {
    public let payload: RenewalPayload
    /// The compact JWS as it was received.
    public let signedData: String
}
