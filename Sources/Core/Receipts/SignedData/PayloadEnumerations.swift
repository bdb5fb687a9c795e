/// Automatic renewal setting of a subscription in signed data. The store may add other values.
public struct AutoRenewStatus: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let off = AutoRenewStatus(rawValue: 0)
    public static let on = AutoRenewStatus(rawValue: 1)
}

/// Reason for the end of a subscription in signed data. The store may add other values.
public struct ExpirationIntent: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The customer canceled the subscription.
    public static let cancelled = ExpirationIntent(rawValue: 1)
    public static let billingError = ExpirationIntent(rawValue: 2)
    /// The customer did not agree to a higher price.
    public static let priceIncrease = ExpirationIntent(rawValue: 3)
    public static let productNotAvailable = ExpirationIntent(rawValue: 4)
    public static let other = ExpirationIntent(rawValue: 5)
}

/// Customer's consent to a higher price in signed data. The store may add other values.
public struct PriceIncreaseStatus: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The customer has not answered the request for consent to the higher price.
    public static let pending = PriceIncreaseStatus(rawValue: 0)
    /// The customer has agreed, or was notified if no consent is required.
    public static let agreed = PriceIncreaseStatus(rawValue: 1)
}

/// Billing plan of a subscription in signed data. The store may add other values.
public struct BillingPlanType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let upFront = BillingPlanType(rawValue: "BILLED_UPFRONT")
    public static let monthly = BillingPlanType(rawValue: "MONTHLY")
}

/// Customer's reason for a refund request in a notification. The store may add other values.
public struct ConsumptionRequestReason: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let unintendedPurchase = ConsumptionRequestReason(rawValue: "UNINTENDED_PURCHASE")
    public static let fulfillmentIssue = ConsumptionRequestReason(rawValue: "FULFILLMENT_ISSUE")
    public static let unsatisfied = ConsumptionRequestReason(rawValue: "UNSATISFIED_WITH_PURCHASE")
    public static let legal = ConsumptionRequestReason(rawValue: "LEGAL")
    public static let other = ConsumptionRequestReason(rawValue: "OTHER")
}

/// Subtype of a store notification, with the values of Apple's
/// [subtype](https://developer.apple.com/documentation/appstoreservernotifications/subtype). The store may add other
/// values.
public struct NotificationSubtype: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let initialBuy = NotificationSubtype(rawValue: "INITIAL_BUY")
    public static let resubscribe = NotificationSubtype(rawValue: "RESUBSCRIBE")
    public static let downgrade = NotificationSubtype(rawValue: "DOWNGRADE")
    public static let upgrade = NotificationSubtype(rawValue: "UPGRADE")
    public static let autoRenewEnabled = NotificationSubtype(rawValue: "AUTO_RENEW_ENABLED")
    public static let autoRenewDisabled = NotificationSubtype(rawValue: "AUTO_RENEW_DISABLED")
    public static let voluntary = NotificationSubtype(rawValue: "VOLUNTARY")
    public static let billingRetry = NotificationSubtype(rawValue: "BILLING_RETRY")
    public static let priceIncrease = NotificationSubtype(rawValue: "PRICE_INCREASE")
    public static let gracePeriod = NotificationSubtype(rawValue: "GRACE_PERIOD")
    public static let pending = NotificationSubtype(rawValue: "PENDING")
    public static let accepted = NotificationSubtype(rawValue: "ACCEPTED")
    public static let billingRecovery = NotificationSubtype(rawValue: "BILLING_RECOVERY")
    public static let productNotForSale = NotificationSubtype(rawValue: "PRODUCT_NOT_FOR_SALE")
    public static let summary = NotificationSubtype(rawValue: "SUMMARY")
    public static let failure = NotificationSubtype(rawValue: "FAILURE")
    public static let unreported = NotificationSubtype(rawValue: "UNREPORTED")
}

/// Type of a store notification, with the values of Apple's
/// [notificationType](https://developer.apple.com/documentation/appstoreservernotifications/notificationtype). The
/// store may add other values.
public struct NotificationType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let subscribed = NotificationType(rawValue: "SUBSCRIBED")
    public static let didChangeRenewalPreference = NotificationType(rawValue: "DID_CHANGE_RENEWAL_PREF")
    public static let didChangeRenewalStatus = NotificationType(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    public static let offerRedeemed = NotificationType(rawValue: "OFFER_REDEEMED")
    public static let didRenew = NotificationType(rawValue: "DID_RENEW")
    public static let expired = NotificationType(rawValue: "EXPIRED")
    public static let didFailToRenew = NotificationType(rawValue: "DID_FAIL_TO_RENEW")
    public static let gracePeriodExpired = NotificationType(rawValue: "GRACE_PERIOD_EXPIRED")
    public static let priceIncrease = NotificationType(rawValue: "PRICE_INCREASE")
    public static let refund = NotificationType(rawValue: "REFUND")
    public static let refundDeclined = NotificationType(rawValue: "REFUND_DECLINED")
    public static let refundReversed = NotificationType(rawValue: "REFUND_REVERSED")
    public static let consumptionRequest = NotificationType(rawValue: "CONSUMPTION_REQUEST")
    public static let renewalExtended = NotificationType(rawValue: "RENEWAL_EXTENDED")
    public static let renewalExtension = NotificationType(rawValue: "RENEWAL_EXTENSION")
    public static let revoke = NotificationType(rawValue: "REVOKE")
    public static let oneTimeCharge = NotificationType(rawValue: "ONE_TIME_CHARGE")
    public static let test = NotificationType(rawValue: "TEST")
    public static let externalPurchaseToken = NotificationType(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    public static let rescindConsent = NotificationType(rawValue: "RESCIND_CONSENT")
    public static let metadataUpdate = NotificationType(rawValue: "METADATA_UPDATE")
    public static let migration = NotificationType(rawValue: "MIGRATION")
    public static let priceChange = NotificationType(rawValue: "PRICE_CHANGE")
}

/// Type of the subscription offer that determined a price in signed data. The store may add other values.
public struct OfferType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let introductory = OfferType(rawValue: 1)
    public static let promotional = OfferType(rawValue: 2)
    public static let offerCode = OfferType(rawValue: 3)
    public static let winBack = OfferType(rawValue: 4)
}

/// Payment mode of a subscription offer in signed data. The store may add other values.
public struct OfferDiscountType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let freeTrial = OfferDiscountType(rawValue: "FREE_TRIAL")
    public static let payAsYouGo = OfferDiscountType(rawValue: "PAY_AS_YOU_GO")
    public static let payUpFront = OfferDiscountType(rawValue: "PAY_UP_FRONT")
    public static let oneTime = OfferDiscountType(rawValue: "ONE_TIME")
}

/// Ownership of a purchase in signed data. The store may add other values.
public struct OwnershipType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought the product.
    public static let purchased = OwnershipType(rawValue: "PURCHASED")
    /// A family member of the customer bought the product and shares it.
    public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
}

/// Product type in signed data. The store may add other values.
public struct SignedProductKind: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let consumable = SignedProductKind(rawValue: "Consumable")
    public static let nonConsumable = SignedProductKind(rawValue: "Non-Consumable")
    public static let nonRenewingSubscription = SignedProductKind(rawValue: "Non-Renewing Subscription")
    public static let autoRenewableSubscription = SignedProductKind(rawValue: "Auto-Renewable Subscription")
}

/// Reason for the revocation of a purchase in signed data. The store may add other values.
public struct RevocationReason: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let other = RevocationReason(rawValue: 0)
    /// The customer had trouble with the app.
    public static let issue = RevocationReason(rawValue: 1)
}

/// Type of the revocation of a purchase in signed data. The store may add other values.
public struct RevocationType: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The full price was refunded.
    public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
    /// A part of the price was refunded.
    public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
    /// The family no longer shares the purchase.
    public static let family = RevocationType(rawValue: "FAMILY_REVOKE")
}

/// Environment of the store that signed data. The store may add other values.
public struct StoreEnvironment: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let production = StoreEnvironment(rawValue: "Production")
    public static let sandbox = StoreEnvironment(rawValue: "Sandbox")
    /// Xcode's own store, which signs with a certificate of the developer's computer.
    public static let xcode = StoreEnvironment(rawValue: "Xcode")
    /// A store for tests on the developer's computer.
    public static let localTesting = StoreEnvironment(rawValue: "LocalTesting")
}

/// State of a subscription in a notification. The store may add other values.
public struct SubscriptionState: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let active = SubscriptionState(rawValue: 1)
    public static let expired = SubscriptionState(rawValue: 2)
    /// The store could not charge for the subscription and tries again.
    public static let billingRetry = SubscriptionState(rawValue: 3)
    /// The store could not charge for the subscription, which remains active for a limited time.
    public static let billingGracePeriod = SubscriptionState(rawValue: 4)
    public static let revoked = SubscriptionState(rawValue: 5)
}

/// Cause of a transaction in signed data. The store may add other values.
public struct TransactionReason: Sendable, Hashable, Codable, RawRepresentable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought the product.
    public static let purchase = TransactionReason(rawValue: "PURCHASE")
    /// The store renewed a subscription.
    public static let renewal = TransactionReason(rawValue: "RENEWAL")
}
