public import Foundation

extension StoreProduct {
    /// Data of the store about an auto-renewable subscription, with the offers for the current customer.
    public struct Subscription: Sendable, Hashable {
        /// Identifier of the subscription group.
        public let groupID: String
        /// Name of the subscription group in the customer's language; empty if there is none.
        public let groupName: String
        /// Rank of the subscription in its group: 1 is the highest.
        public let level: Int
        public let period: RenewalPeriod
        /// Offer for new subscribers of the group; `nil` if there is none. ``isEligibleForIntroductoryOffer`` indicates
        /// whether the customer can use it.
        public let introductoryOffer: Offer?
        /// Offers that the app may make to current and former subscribers. Each use needs a signature of the app's
        /// server.
        public let promotionalOffers: [Offer]
        /// Offers for customers whose subscription has ended. ``eligibleWinBackOffers`` lists those that the customer
        /// can use.
        public let winBackOffers: [Offer]
        /// Indicates that the customer is eligible for introductory offers of the group; `nil` if this is unknown.
        public let isEligibleForIntroductoryOffer: Bool?
        /// Identifiers of the win-back offers for which the customer is eligible, in the store's order, the best one
        /// first.
        public let eligibleWinBackOffers: [String]

        public init(
            groupID: String, groupName: String = "", level: Int, period: RenewalPeriod,
            introductoryOffer: Offer? = nil, promotionalOffers: [Offer] = [], winBackOffers: [Offer] = [],
            isEligibleForIntroductoryOffer: Bool? = nil, eligibleWinBackOffers: [String] = []
        ) {
            self.groupID = groupID
            self.groupName = groupName
            self.level = level
            self.period = period
            self.introductoryOffer = introductoryOffer
            self.promotionalOffers = promotionalOffers
            self.winBackOffers = winBackOffers
            self.isEligibleForIntroductoryOffer = isEligibleForIntroductoryOffer
            self.eligibleWinBackOffers = eligibleWinBackOffers
        }

        /// Subscription offer: a reduced price for a limited time.
        public struct Offer: Sendable, Hashable {
            public let kind: StoreConfiguration.Offer.Kind
            /// Identifier of the subscription offer; `nil` for an introductory offer.
            public let identifier: String?
            public let paymentMode: StoreConfiguration.Offer.PaymentMode
            /// Length of one period of the subscription offer.
            public let period: RenewalPeriod
            /// Number of periods of the subscription offer.
            public let periodCount: Int
            /// Price per period, or with `payUpFront` for all periods; 0 for a free offer.
            public let price: Decimal
            /// Price formatted for the customer's storefront.
            public let displayPrice: String

            public init(
                kind: StoreConfiguration.Offer.Kind, identifier: String? = nil,
                paymentMode: StoreConfiguration.Offer.PaymentMode, period: RenewalPeriod, periodCount: Int = 1,
                price: Decimal, displayPrice: String
            ) {
                self.kind = kind
                self.identifier = identifier
                self.paymentMode = paymentMode
                self.period = period
                self.periodCount = periodCount
                self.price = price
                self.displayPrice = displayPrice
            }
        }
    }
}
