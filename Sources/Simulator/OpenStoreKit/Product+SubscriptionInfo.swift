internal import VitrineCatalog

extension Product {
    /// Terms of an auto-renewable subscription, and the customer's subscription to it.
    public struct SubscriptionInfo: Hashable, Sendable {
        public let subscriptionGroupID: String
        public let subscriptionPeriod: SubscriptionPeriod
        /// Rank of the subscription in its group: 1 is the highest.
        @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, visionOS 1.0, *)
        public let groupLevel: Int
        /// Name of the subscription group in the customer's language.
        @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, visionOS 1.0, *)
        public let groupDisplayName: String
        /// Offer for new subscribers of the group; `nil` if there is none.
        public let introductoryOffer: SubscriptionOffer?
        /// Offers for present and former subscribers. Each purchase with one needs a signature of the app's server.
        public let promotionalOffers: [SubscriptionOffer]
        /// Offers for customers whose subscription has ended.
        @available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
        public let winBackOffers: [SubscriptionOffer]
        /// Price of one period, as a number here and formatted for the storefront in ``displayPrice``.
        private let price: Decimal
        private let displayPrice: String
        private let connection: ConnectionReference

        init(_ terms: StoreProduct.Subscription, of product: StoreProduct, _ connection: StoreConnection) {
            subscriptionGroupID = terms.groupID
            subscriptionPeriod = SubscriptionPeriod(terms.period)
            groupLevel = terms.level
            groupDisplayName = terms.groupName
            introductoryOffer = terms.introductoryOffer.map(SubscriptionOffer.init)
            promotionalOffers = terms.promotionalOffers.map(SubscriptionOffer.init)
            winBackOffers = terms.winBackOffers.map(SubscriptionOffer.init)
            price = product.price
            displayPrice = product.displayPrice
            self.connection = ConnectionReference(connection)
        }

        /// Prices and periods for which the subscription is sold. The simulated store has one plan, which charges each
        /// period in advance.
        @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
        public var pricingTerms: [PricingTerms] {
            [
                PricingTerms(
                    billingPlanType: .upFront, billingPrice: price, billingDisplayPrice: displayPrice,
                    billingPeriod: subscriptionPeriod, commitmentInfo: CommitmentInfo(price: price),
                    subscriptionOffers: [introductoryOffer].compactMap(\.self) + promotionalOffers + winBackOffers)
            ]
        }

        /// Subscriptions that a subscription bundle contains. The simulated store sells no such bundle.
        @available(iOS 27.0, macOS 27.0, tvOS 27.0, watchOS 27.0, visionOS 27.0, *)
        public var bundledSubscriptions: [BundledSubscription] { [] }

        /// Indicates that the customer is eligible for introductory offers of the group.
        public var isEligibleForIntroOffer: Bool {
            get async { await connection.value.isEligibleForIntroductoryOffer(inGroup: subscriptionGroupID) }
        }

        /// Returns `true` if the customer is eligible for introductory offers of a subscription group. Each call asks
        /// the store again.
        public static func isEligibleForIntroOffer(for groupID: String) async -> Bool {
            await StoreConnection.current.isEligibleForIntroductoryOffer(inGroup: groupID)
        }

        /// Statuses of the customer's subscriptions of the group: see ``status(for:)``.
        ///
        /// - Throws: ``StoreKitError`` if the store cannot be reached, or fails.
        public var status: [Status] {
            get async throws { try await connection.value.statuses(inGroup: subscriptionGroupID) }
        }

        /// Returns the status of the customer's own subscription in a group, followed by the statuses of the
        /// subscriptions that family members share. In a canceled task, the array is empty.
        ///
        /// - Returns: An empty array if the customer has never subscribed.
        /// - Throws: ``StoreKitError`` if the store cannot be reached, or fails.
        public static func status(for groupID: String) async throws -> [Status] {
            try await StoreConnection.current.statuses(inGroup: groupID)
        }

        /// Returns the status of the subscription to which a transaction belongs; `nil` if there is none.
        ///
        /// - Throws: ``StoreKitError`` if the store cannot be reached, or fails.
        @available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
        public static func status(transactionID: UInt64) async throws -> SubscriptionStatus? {
            try await StoreConnection.current.status(ofTransaction: transactionID)
        }

        /// Prices and periods for which a subscription is sold.
        @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
        public struct PricingTerms: Hashable, Sendable {
            public let billingPlanType: BillingPlanType
            /// Price of a billing period.
            public let billingPrice: Decimal
            public let billingDisplayPrice: String
            public let billingPeriod: SubscriptionPeriod
            public let commitmentInfo: CommitmentInfo
            public let subscriptionOffers: [SubscriptionOffer]

            /// Returns the offers of the given type.
            public subscript(offers type: SubscriptionOffer.OfferType) -> [SubscriptionOffer] {
                subscriptionOffers.filter { $0.type == type }
            }
        }

        /// Billing plan of a subscription.
        @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
        public struct BillingPlanType: RawRepresentable, Hashable, Sendable {
            public let rawValue: String

            public init(rawValue: String) { self.rawValue = rawValue }

            /// The customer pays each period in advance.
            public static let upFront = BillingPlanType(rawValue: "BILLED_UPFRONT")
            /// The customer commits to twelve months and pays monthly. The simulated store does not sell such plans.
            public static let monthly = BillingPlanType(rawValue: "MONTHLY")
        }

        /// Commitment of a customer to several billing periods.
        @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
        public struct CommitmentInfo: Hashable, Sendable {
            /// Price of all billing periods of the commitment.
            public let price: Decimal
        }

        /// Subscription that a subscription bundle contains.
        @available(iOS 27.0, macOS 27.0, tvOS 27.0, watchOS 27.0, visionOS 27.0, *)
        public struct BundledSubscription: Identifiable, Hashable, Sendable {
            public let id: Product.ID
            public let displayName: String
            public let description: String
            public let displayPrice: String
            public let isFamilyShareable: Bool
        }
    }

    /// Reduced price of a subscription for a limited time.
    public struct SubscriptionOffer: Hashable, Sendable {
        /// Identifier of the offer; `nil` for an introductory offer.
        public let id: String?
        public let type: OfferType
        /// Price of each period or, with ``PaymentMode/payUpFront``, of the whole offer; 0 for a free trial.
        public let price: Decimal
        /// Price, formatted for the storefront.
        public let displayPrice: String
        public let period: SubscriptionPeriod
        /// Number of periods for which the offer applies.
        public let periodCount: Int
        public let paymentMode: PaymentMode

        /// Type of an offer.
        public struct OfferType: RawRepresentable, Hashable, Sendable {
            public let rawValue: String

            public init(rawValue: String) { self.rawValue = rawValue }

            public static let introductory = OfferType(rawValue: "introductory")
            public static let promotional = OfferType(rawValue: "promotional")
            @available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *)
            public static let winBack = OfferType(rawValue: "winBack")

            /// Name of the offer type, in English.
            @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
            public var localizedDescription: String {
                switch self {
                case .introductory: "Introductory"
                case .promotional: "Promotional"
                case .winBack: "Win-back"
                default: rawValue
                }
            }
        }

        /// Payment mode of an offer.
        public struct PaymentMode: RawRepresentable, Hashable, Sendable {
            public let rawValue: String

            public init(rawValue: String) { self.rawValue = rawValue }

            /// The customer pays a reduced price for each of several periods.
            public static let payAsYouGo = PaymentMode(rawValue: "payAsYouGo")
            /// The customer pays once for the whole duration of the offer.
            public static let payUpFront = PaymentMode(rawValue: "payUpFront")
            public static let freeTrial = PaymentMode(rawValue: "freeTrial")

            /// Name of the mode, in English.
            @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
            public var localizedDescription: String {
                switch self {
                case .payAsYouGo: "Pay As You Go"
                case .payUpFront: "Pay Up Front"
                case .freeTrial: "Free Trial"
                default: rawValue
                }
            }
        }

        /// Signature of the app's server that permits a promotional offer.
        @available(iOS, introduced: 17.4, deprecated: 26.0, message: "Use a compact JWS.")
        @available(macOS, introduced: 14.4, deprecated: 26.0, message: "Use a compact JWS.")
        @available(tvOS, introduced: 17.4, deprecated: 26.0, message: "Use a compact JWS.")
        @available(watchOS, introduced: 10.4, deprecated: 26.0, message: "Use a compact JWS.")
        @available(visionOS, introduced: 1.1, deprecated: 26.0, message: "Use a compact JWS.")
        public struct Signature: Hashable, Sendable {
            /// Identifier of the key that signed the offer.
            public var keyID: String
            public var nonce: UUID
            /// Date of the signature, in milliseconds since 1970.
            public var timestamp: Int
            public var signature: Data

            public init(keyID: String, nonce: UUID, timestamp: Int, signature: Data) {
                self.keyID = keyID
                self.nonce = nonce
                self.timestamp = timestamp
                self.signature = signature
            }
        }
    }
}

extension Product.SubscriptionOffer {
    init(_ offer: StoreProduct.Subscription.Offer) {
        id = offer.identifier
        type =
            switch offer.kind {
            case .introductory: .introductory
            case .promotional: .promotional
            case .winBack: .winBack
            case .code: OfferType(rawValue: "code")
            }
        price = offer.price
        displayPrice = offer.displayPrice
        // Only pay-as-you-go offers have several periods. For other offers, the period is the whole duration.
        let isPaidByPeriod = offer.paymentMode == .payAsYouGo
        period = Product.SubscriptionPeriod(offer.period, times: isPaidByPeriod ? 1 : offer.periodCount)
        periodCount = isPaidByPeriod ? offer.periodCount : 1
        paymentMode =
            switch offer.paymentMode {
            case .free: .freeTrial
            case .payAsYouGo: .payAsYouGo
            case .payUpFront: .payUpFront
            }
    }
}

@available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
public typealias SubscriptionInfo = Product.SubscriptionInfo
@available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
public typealias SubscriptionStatus = Product.SubscriptionInfo.Status
@available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
public typealias SubscriptionPeriod = Product.SubscriptionPeriod
@available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
public typealias SubscriptionRenewalInfo = Product.SubscriptionInfo.RenewalInfo
@available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
public typealias SubscriptionRenewalState = Product.SubscriptionInfo.RenewalState
