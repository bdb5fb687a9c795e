internal import VitrineReceipts

/// Signed transaction of the store, which represents one purchase or one renewal.
@available(iOS 15.0, macOS 12.0, tvOS 15.0, watchOS 8.0, visionOS 1.0, *)
public struct Transaction: Identifiable, Hashable, Sendable, CustomDebugStringConvertible {
    public typealias ID = UInt64

    let payload: TransactionPayload
    let jws: UnverifiedJWS
    let connection: ConnectionReference

    /// Tells the store that the app has delivered the purchase, so that the store does not send the transaction again.
    /// Finishing a transaction twice is harmless.
    public func finish() async { await connection.value.finish(self) }

    /// Status of the subscription to which the transaction belongs; `nil` for products that are not auto-renewable
    /// subscriptions, and if the store does not answer.
    public var subscriptionStatus: Product.SubscriptionInfo.Status? {
        get async {
            guard productType == .autoRenewable else { return nil }
            return try? await connection.value.status(ofTransaction: id)
        }
    }

    /// Compares transactions: two copies are equal if they differ at most in their signatures.
    public static func == (left: Transaction, right: Transaction) -> Bool {
        left.jws == right.jws || left.payload.withoutSignature == right.payload.withoutSignature
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(payload.transactionID) }

    // MARK: Fields

    public var id: UInt64 { UInt64(payload.transactionID) ?? 0 }

    /// Identifier of the first transaction of the purchase or subscription.
    public var originalID: UInt64 { UInt64(payload.originalTransactionID) ?? 0 }

    /// Identifier of a billing period of a subscription.
    public var webOrderLineItemID: String? { payload.webOrderLineItemID }

    public var productID: String { payload.productIdentifier }

    public var productType: Product.ProductType { Product.ProductType(rawValue: payload.type.rawValue) }

    public var appBundleID: String { payload.bundleIdentifier }

    public var subscriptionGroupID: String? { payload.subscriptionGroupIdentifier }

    public var purchaseDate: Date { payload.purchaseDate }

    public var originalPurchaseDate: Date { payload.originalPurchaseDate }

    /// End of the period of an auto-renewable subscription; `nil` for any other product.
    public var expirationDate: Date? { payload.expiresDate }

    public var purchasedQuantity: Int { payload.quantity }

    /// Indicates that the customer upgraded to a better subscription of the group before the period ended.
    public var isUpgraded: Bool { payload.isUpgraded ?? false }

    public var ownershipType: OwnershipType {
        OwnershipType(rawValue: payload.ownershipType?.rawValue ?? OwnershipType.purchased.rawValue)
    }

    /// Date at which the store revoked the purchase; `nil` if it is valid.
    public var revocationDate: Date? { payload.revocationDate }

    public var revocationReason: RevocationReason? {
        payload.revocationReason.map { RevocationReason(rawValue: $0.rawValue) }
    }

    @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    public var revocationType: RevocationType? {
        payload.revocationType.map { RevocationType(rawValue: $0.rawValue) }
    }

    /// Refunded share of the price in percent; `nil` without a refund.
    public var revocationPercentage: Decimal? { payload.revocationPercentage.map { Decimal($0) / 1_000 } }

    /// Token that the app passed with the purchase.
    public var appAccountToken: UUID? { payload.appAccountToken }

    @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public var environment: AppStore.Environment { AppStore.Environment(rawValue: payload.environment.rawValue) }

    /// Cause of the transaction.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public var reason: Reason { Reason(rawValue: payload.reason?.rawValue ?? Reason.purchase.rawValue) }

    /// Storefront of the purchase.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public var storefront: Storefront {
        Storefront(countryCode: payload.storefront ?? "", id: payload.storefrontID ?? payload.storefront ?? "")
    }

    /// Price of the whole quantity with its offer, in units of the currency; `nil` for a shared purchase.
    public var price: Decimal? { payload.price.map { Decimal($0) / 1_000 } }

    @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
    public var currency: Locale.Currency? { payload.currency.map { Locale.Currency($0) } }

    /// Offer that set the price; `nil` without an offer.
    @available(iOS 17.2, macOS 14.2, tvOS 17.2, watchOS 10.2, visionOS 1.1, *)
    public var offer: Offer? {
        Offer(payload.offerType, payload.offerIdentifier, payload.offerDiscountType, payload.offerPeriod)
    }

    public var signedDate: Date { payload.signedDate }

    /// Hash that binds the transaction to a device, computed from ``deviceVerificationNonce`` and
    /// ``AppStore/deviceVerificationID``.
    public var deviceVerification: Data { payload.deviceVerification.flatMap { Data(base64Encoded: $0) } ?? Data() }

    public var deviceVerificationNonce: UUID {
        payload.deviceVerificationNonce.flatMap(UUID.init) ?? .zero
    }

    /// JSON payload that the store has signed.
    public var jsonRepresentation: Data { jws.payload }

    public var debugDescription: String { String(decoding: jws.payload, as: UTF8.self) }

    /// Identifier that is unique to the customer's store account and the app.
    public var appTransactionID: String { payload.appTransactionID ?? "" }

    /// Billing plan of the subscription; `nil` if the store does not name one.
    @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    public var billingPlanType: Product.SubscriptionInfo.BillingPlanType? {
        payload.billingPlanType.map { Product.SubscriptionInfo.BillingPlanType(rawValue: $0.rawValue) }
    }

    /// Commitment to several billing periods; always `nil` in the simulated store.
    @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    public var commitmentInfo: CommitmentInfo? { nil }

    /// Product identifier of the bundle to which the subscription belongs; always `nil` in the simulated store.
    public var bundleProductID: String? { nil }

    public var bundleSubscriptionGroupID: String? { nil }

    public var bundleTransactionID: String? { nil }

    public var bundleOriginalTransactionID: String? { nil }

    public var previousOriginalTransactionID: UInt64? { nil }
}

// MARK: - Deprecated names

extension Transaction {
    @available(iOS, introduced: 15.0, deprecated: 16.0, renamed: "currency")
    @available(macOS, introduced: 12.0, deprecated: 13.0, renamed: "currency")
    @available(tvOS, introduced: 15.0, deprecated: 16.0, renamed: "currency")
    @available(watchOS, introduced: 8.0, deprecated: 9.0, renamed: "currency")
    @available(visionOS, introduced: 1.0, deprecated: 1.1, renamed: "currency")
    public var currencyCode: String? { payload.currency }

    @available(iOS, introduced: 15.0, deprecated: 16.0, renamed: "environment")
    @available(macCatalyst, introduced: 15.0, deprecated: 16.0, renamed: "environment")
    @available(macOS, introduced: 12.0, deprecated: 13.0, renamed: "environment")
    @available(tvOS, introduced: 15.0, deprecated: 16.0, renamed: "environment")
    @available(watchOS, introduced: 8.0, deprecated: 9.0, renamed: "environment")
    @available(visionOS, unavailable)
    public var environmentStringRepresentation: String { payload.environment.rawValue }

    @available(iOS, introduced: 15.0, deprecated: 17.2, renamed: "offer.id")
    @available(macOS, introduced: 12.0, deprecated: 14.2, renamed: "offer.id")
    @available(tvOS, introduced: 15.0, deprecated: 17.2, renamed: "offer.id")
    @available(watchOS, introduced: 8.0, deprecated: 10.2, renamed: "offer.id")
    @available(visionOS, introduced: 1.0, deprecated: 1.1, renamed: "offer.id")
    public var offerID: String? { payload.offerIdentifier }

    @available(iOS, introduced: 15.0, deprecated: 17.2, renamed: "offer.type")
    @available(macOS, introduced: 12.0, deprecated: 14.2, renamed: "offer.type")
    @available(tvOS, introduced: 15.0, deprecated: 17.2, renamed: "offer.type")
    @available(watchOS, introduced: 8.0, deprecated: 10.2, renamed: "offer.type")
    @available(visionOS, introduced: 1.0, deprecated: 1.1, renamed: "offer.type")
    public var offerType: OfferType? { offer?.type }

    @available(iOS, introduced: 15.0, deprecated: 17.2, renamed: "offer.paymentMode")
    @available(macOS, introduced: 12.0, deprecated: 14.2, renamed: "offer.paymentMode")
    @available(tvOS, introduced: 15.0, deprecated: 17.2, renamed: "offer.paymentMode")
    @available(watchOS, introduced: 8.0, deprecated: 10.2, renamed: "offer.paymentMode")
    @available(visionOS, introduced: 1.0, deprecated: 1.1, renamed: "offer.paymentMode")
    public var offerPaymentModeStringRepresentation: String? { payload.offerDiscountType?.rawValue }

    @available(iOS, introduced: 15.0, deprecated: 18.4, renamed: "offer.period")
    @available(macOS, introduced: 12.0, deprecated: 15.4, renamed: "offer.period")
    @available(tvOS, introduced: 15.0, deprecated: 18.4, renamed: "offer.period")
    @available(watchOS, introduced: 8.0, deprecated: 11.4, renamed: "offer.period")
    @available(visionOS, introduced: 1.0, deprecated: 2.4, renamed: "offer.period")
    public var offerPeriodStringRepresentation: String? { payload.offerPeriod }

    @available(iOS, introduced: 15.0, deprecated: 17.0, renamed: "reason")
    @available(macCatalyst, introduced: 15.0, deprecated: 17.0, renamed: "reason")
    @available(macOS, introduced: 12.0, deprecated: 14.0, renamed: "reason")
    @available(tvOS, introduced: 15.0, deprecated: 17.0, renamed: "reason")
    @available(watchOS, introduced: 8.0, deprecated: 10.0, renamed: "reason")
    @available(visionOS, unavailable)
    public var reasonStringRepresentation: String { reason.rawValue }

    @available(iOS, introduced: 15.0, deprecated: 17.0, renamed: "storefront.countryCode")
    @available(macCatalyst, introduced: 15.0, deprecated: 17.0, renamed: "storefront.countryCode")
    @available(macOS, introduced: 12.0, deprecated: 14.0, renamed: "storefront.countryCode")
    @available(tvOS, introduced: 15.0, deprecated: 17.0, renamed: "storefront.countryCode")
    @available(watchOS, introduced: 8.0, deprecated: 10.0, renamed: "storefront.countryCode")
    @available(visionOS, unavailable)
    public var storefrontCountryCode: String { storefront.countryCode }
}
