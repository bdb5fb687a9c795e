internal import VitrineReceipts

extension Product.SubscriptionInfo {
    /// The store's signed statement about the renewal of a subscription.
    public struct RenewalInfo: Hashable, Sendable, CustomDebugStringConvertible {
        let payload: RenewalPayload
        let jws: UnverifiedJWS

        /// Identifier of the subscription's first transaction.
        public var originalTransactionID: UInt64 { UInt64(payload.originalTransactionID) ?? 0 }

        public var currentProductID: String { payload.productIdentifier }

        /// Indicates that the subscription renews at the end of its period.
        public var willAutoRenew: Bool { payload.autoRenewStatus == .on }

        /// Product of the next period; `nil` if the subscription does not renew.
        public var autoRenewPreference: String? { willAutoRenew ? payload.autoRenewProductIdentifier : nil }

        /// Reason why the subscription ended or its renewal failed; `nil` while it is active.
        public var expirationReason: ExpirationReason? {
            payload.expirationIntent.map { ExpirationReason(rawValue: $0.rawValue) }
        }

        public var priceIncreaseStatus: PriceIncreaseStatus {
            switch payload.priceIncreaseStatus {
            case .pending?: .pending
            case .agreed?: .agreed
            default: .noIncreasePending
            }
        }

        /// Indicates that the store could not charge for the renewal and is retrying.
        public var isInBillingRetry: Bool { payload.isInBillingRetryPeriod ?? false }

        /// End of the grace period; `nil` outside it.
        public var gracePeriodExpirationDate: Date? { payload.gracePeriodExpiresDate }

        /// End of the latest period.
        public var renewalDate: Date? { payload.renewalDate }

        /// Price of the next period with its offer, in units of the currency.
        public var renewalPrice: Decimal? { payload.renewalPrice.map { Decimal($0) / 1_000 } }

        /// Currency of ``renewalPrice``.
        @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
        public var currency: Locale.Currency? { payload.currency.map { Locale.Currency($0) } }

        /// Offer of the next period; `nil` for none.
        @available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        public var offer: Transaction.Offer? {
            Transaction.Offer(
                payload.offerType, payload.offerIdentifier, payload.offerDiscountType, payload.offerPeriod)
        }

        /// Identifiers of the win-back offers for which the customer is eligible, in the order of the store's
        /// configuration.
        @available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        public var eligibleWinBackOfferIDs: [String] { payload.eligibleWinBackOfferIdentifiers ?? [] }

        /// Start of the current series of subscription periods. Only a pause of 60 days or more starts a new series.
        public var recentSubscriptionStartDate: Date { payload.recentSubscriptionStartDate ?? payload.signedDate }

        @available(iOS 16.0, macOS 13.0, tvOS 16.0, watchOS 9.0, visionOS 1.0, *)
        public var environment: AppStore.Environment { AppStore.Environment(rawValue: payload.environment.rawValue) }

        public var signedDate: Date { payload.signedDate }

        /// Hash that binds the renewal information to a device, computed from ``deviceVerificationNonce`` and
        /// ``AppStore/deviceVerificationID``.
        public var deviceVerification: Data {
            payload.deviceVerification.flatMap { Data(base64Encoded: $0) } ?? Data()
        }

        public var deviceVerificationNonce: UUID {
            payload.deviceVerificationNonce.flatMap(UUID.init) ?? .zero
        }

        /// JSON payload that the store has signed.
        public var jsonRepresentation: Data { jws.payload }

        public var debugDescription: String { String(decoding: jws.payload, as: UTF8.self) }

        public var appAccountToken: UUID? { payload.appAccountToken }

        /// Identifier that is unique to the customer's store account and the app.
        public var appTransactionID: String { payload.appTransactionID ?? "" }

        /// Commitment to several billing periods; always `nil` in the simulated store.
        @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
        public var commitmentInfo: CommitmentInfo? { nil }

        /// Billing plan of the next period; `nil` if the store does not name one.
        @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
        public var renewalBillingPlanType: BillingPlanType? {
            payload.billingPlanType.map { BillingPlanType(rawValue: $0.rawValue) }
        }

        /// Product identifier of the bundle that renews next; `nil` outside a bundle, and always in the simulated
        /// store.
        public var bundleProductID: String? { nil }

        public var bundleSubscriptionGroupID: String? { nil }

        public var bundleOriginalTransactionID: String? { nil }

        public var willUnbundle: Bool { false }

        /// Compares renewal information: two copies are equal if they differ at most in their signatures.
        public static func == (left: RenewalInfo, right: RenewalInfo) -> Bool {
            left.jws == right.jws || left.payload.withoutSignature == right.payload.withoutSignature
        }

        public func hash(into hasher: inout Hasher) { hasher.combine(payload.originalTransactionID) }

        /// Reason for the end of a subscription.
        public struct ExpirationReason: RawRepresentable, Hashable, Sendable {
            public let rawValue: Int

            public init(rawValue: Int) { self.rawValue = rawValue }

            public static let autoRenewDisabled = ExpirationReason(rawValue: 1)
            public static let billingError = ExpirationReason(rawValue: 2)
            public static let didNotConsentToPriceIncrease = ExpirationReason(rawValue: 3)
            public static let productUnavailable = ExpirationReason(rawValue: 4)
            public static let unknown = ExpirationReason(rawValue: 5)
            /// The subscription has left a bundle. The simulated store sells no bundles of subscriptions.
            public static let unbundled = ExpirationReason(rawValue: 6)

            /// Name of the reason why the subscription ended, in English.
            @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
            public var localizedDescription: String {
                switch self {
                case .autoRenewDisabled: "Auto-Renew Disabled"
                case .billingError: "Billing Error"
                case .didNotConsentToPriceIncrease: "Did Not Consent to Price Increase"
                case .productUnavailable: "Product Unavailable"
                case .unbundled: "Unbundled"
                default: "Unknown"
                }
            }
        }

        /// Response of the customer to a price increase.
        @frozen
        public enum PriceIncreaseStatus: Hashable, Sendable {
            case noIncreasePending
            /// The customer has not responded yet.
            case pending
            case agreed

            /// Name of the status, in English.
            @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
            public var localizedDescription: String {
                switch self {
                case .noIncreasePending: "No Increase Pending"
                case .pending: "Pending"
                case .agreed: "Agreed"
                }
            }
        }

        /// Commitment of the customer to several billing periods.
        @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
        public struct CommitmentInfo: Hashable, Sendable {
            public let renewalDate: Date
            public let renewalPrice: Decimal
            public let willAutoRenew: Bool
            public let autoRenewPreference: String
            public let renewalBillingPlanType: BillingPlanType
        }
    }
}

// MARK: - Deprecated names

extension Product.SubscriptionInfo.RenewalInfo {
    @available(iOS, introduced: 15.0, deprecated: 16.0, renamed: "currency")
    @available(macOS, introduced: 12.0, deprecated: 13.0, renamed: "currency")
    @available(tvOS, introduced: 15.0, deprecated: 16.0, renamed: "currency")
    @available(watchOS, introduced: 8.0, deprecated: 9.0, renamed: "currency")
    @available(visionOS, unavailable)
    public var currencyCode: String? { payload.currency }

    @available(iOS, introduced: 15.0, deprecated: 16.0, renamed: "environment")
    @available(macCatalyst, introduced: 15.0, deprecated: 16.0, renamed: "environment")
    @available(macOS, introduced: 12.0, deprecated: 13.0, renamed: "environment")
    @available(tvOS, introduced: 15.0, deprecated: 16.0, renamed: "environment")
    @available(watchOS, introduced: 8.0, deprecated: 9.0, renamed: "environment")
    @available(visionOS, unavailable)
    public var environmentStringRepresentation: String { payload.environment.rawValue }

    @available(iOS, introduced: 15.0, deprecated: 18.0, renamed: "offer.id")
    @available(macOS, introduced: 12.0, deprecated: 15.0, renamed: "offer.id")
    @available(tvOS, introduced: 15.0, deprecated: 18.0, renamed: "offer.id")
    @available(watchOS, introduced: 8.0, deprecated: 11.0, renamed: "offer.id")
    @available(visionOS, introduced: 1.0, deprecated: 2.0, renamed: "offer.id")
    public var offerID: String? { payload.offerIdentifier }

    @available(iOS, introduced: 15.0, deprecated: 18.0, renamed: "offer.type")
    @available(macOS, introduced: 12.0, deprecated: 15.0, renamed: "offer.type")
    @available(tvOS, introduced: 15.0, deprecated: 18.0, renamed: "offer.type")
    @available(watchOS, introduced: 8.0, deprecated: 11.0, renamed: "offer.type")
    @available(visionOS, introduced: 1.0, deprecated: 2.0, renamed: "offer.type")
    public var offerType: Transaction.OfferType? { offer?.type }

    @available(iOS, introduced: 15.0, deprecated: 18.0, renamed: "offer.paymentMode")
    @available(macOS, introduced: 12.0, deprecated: 15.0, renamed: "offer.paymentMode")
    @available(tvOS, introduced: 15.0, deprecated: 18.0, renamed: "offer.paymentMode")
    @available(watchOS, introduced: 8.0, deprecated: 11.0, renamed: "offer.paymentMode")
    @available(visionOS, introduced: 1.0, deprecated: 2.0, renamed: "offer.paymentMode")
    public var offerPaymentModeStringRepresentation: String? { payload.offerDiscountType?.rawValue }

    @available(iOS, introduced: 15.0, deprecated: 18.4, renamed: "offer.period")
    @available(macOS, introduced: 12.0, deprecated: 15.4, renamed: "offer.period")
    @available(tvOS, introduced: 15.0, deprecated: 18.4, renamed: "offer.period")
    @available(watchOS, introduced: 8.0, deprecated: 11.4, renamed: "offer.period")
    @available(visionOS, introduced: 1.0, deprecated: 2.4, renamed: "offer.period")
    public var offerPeriodStringRepresentation: String? { payload.offerPeriod }
}
