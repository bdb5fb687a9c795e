internal import VitrineReceipts

extension Transaction {
    /// Relation of the customer to a purchase.
    public struct OwnershipType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer has bought the product.
        public static let purchased = OwnershipType(rawValue: "PURCHASED")
        /// A member of the family has bought the product and shares it.
        public static let familyShared = OwnershipType(rawValue: "FAMILY_SHARED")
        /// An organization has assigned a seat to the customer. The simulated store has no seats.
        public static let assigned = OwnershipType(rawValue: "ASSIGNED")

        /// Name of the relation, in English.
        @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
        public var localizedDescription: String {
            switch self {
            case .purchased: "Purchased"
            case .familyShared: "Family Shared"
            case .assigned: "Assigned"
            default: rawValue
            }
        }
    }

    /// Cause of a transaction.
    @available(iOS 17.0, macOS 14.0, tvOS 17.0, watchOS 10.0, visionOS 1.0, *)
    public struct Reason: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        /// The customer bought the product.
        public static let purchase = Reason(rawValue: "PURCHASE")
        /// The store renewed a subscription.
        public static let renewal = Reason(rawValue: "RENEWAL")
    }

    /// Reason for the revocation of a purchase.
    public struct RevocationReason: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let other = RevocationReason(rawValue: 0)
        /// The customer had an issue with the app.
        public static let developerIssue = RevocationReason(rawValue: 1)
        /// The customer has upgraded to a bundle of subscriptions. The simulated store sells none.
        public static let upgradedToBundle = RevocationReason(rawValue: 2)

        /// Name of the reason for the revocation, in English.
        @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
        public var localizedDescription: String {
            switch self {
            case .developerIssue: "Developer Issue"
            case .upgradedToBundle: "Upgraded to Bundle"
            default: "Other"
            }
        }
    }

    /// Type of the revocation of a purchase.
    @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    public struct RevocationType: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let fullRefund = RevocationType(rawValue: "REFUND_FULL")
        public static let proratedRefund = RevocationType(rawValue: "REFUND_PRORATED")
        /// The family no longer shares the purchase.
        public static let familyRevocation = RevocationType(rawValue: "FAMILY_REVOKE")
        /// The organization has assigned the seat to another person. The simulated store has no seats.
        public static let assignmentRevocation = RevocationType(rawValue: "ASSIGNMENT_REVOKE")
    }

    /// Type of the offer that set the price of a transaction.
    public struct OfferType: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) { self.rawValue = rawValue }

        public static let introductory = OfferType(rawValue: 1)
        public static let promotional = OfferType(rawValue: 2)
        public static let code = OfferType(rawValue: 3)
        public static let winBack = OfferType(rawValue: 4)

        /// Name of the offer type, in English.
        @available(iOS 15.4, macOS 12.3, tvOS 15.4, watchOS 8.5, visionOS 1.0, *)
        public var localizedDescription: String {
            switch self {
            case .introductory: "Introductory"
            case .promotional: "Promotional"
            case .code: "Code"
            case .winBack: "Win-back"
            default: "\(rawValue)"
            }
        }
    }

    /// Offer that set the price of a transaction.
    @available(iOS 17.2, macOS 14.2, tvOS 17.2, watchOS 10.2, visionOS 1.1, *)
    public struct Offer: Hashable, Sendable {
        /// Identifier of a promotional or win-back offer, or reference name of an offer code; `nil` for an introductory
        /// offer.
        public let id: String?
        public let type: OfferType
        public let paymentMode: PaymentMode?
        // A property of its own, because a stored property cannot be newer than the deployment target.
        let length: Product.SubscriptionPeriod?

        /// Length of one period of the offer.
        @available(iOS 18.4, macOS 15.4, tvOS 18.4, watchOS 11.4, visionOS 2.4, *)
        public var period: Product.SubscriptionPeriod? { length }

        /// Payment mode of an offer.
        public struct PaymentMode: RawRepresentable, Hashable, Sendable {
            public let rawValue: String

            public init(rawValue: String) { self.rawValue = rawValue }

            public static let freeTrial = PaymentMode(rawValue: "FREE_TRIAL")
            public static let payAsYouGo = PaymentMode(rawValue: "PAY_AS_YOU_GO")
            public static let payUpFront = PaymentMode(rawValue: "PAY_UP_FRONT")
            /// Reduced price of a product that is bought once.
            public static let oneTime = PaymentMode(rawValue: "ONE_TIME")
        }
    }

    /// Commitment of the customer to several billing periods.
    @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    public struct CommitmentInfo: Hashable, Sendable {
        public let expirationDate: Date
        public let billingPeriodNumber: UInt64
        public let totalBillingPeriods: UInt64
        public let price: Decimal
    }
}

extension Transaction.Offer {
    init?(
        _ type: VitrineReceipts.OfferType?, _ identifier: String?, _ mode: OfferDiscountType?, _ period: String?
    ) {
        guard let type else { return nil }
        self.init(
            id: identifier, type: Transaction.OfferType(rawValue: type.rawValue),
            paymentMode: mode.map { PaymentMode(rawValue: $0.rawValue) },
            length: Product.SubscriptionPeriod(iso8601: period))
    }
}
