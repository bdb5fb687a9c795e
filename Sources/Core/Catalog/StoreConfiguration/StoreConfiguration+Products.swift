public import Foundation

extension StoreConfiguration {
    /// Texts of a product or a group in one language.
    public struct Localization: Sendable, Equatable {
        /// Language or locale, such as `en_US` or `zh-Hans`.
        public let locale: String
        public let displayName: String
        public let description: String
    }

    /// Product in a StoreKit configuration file, including the product of a subscription.
    public struct Item: Sendable, Equatable {
        public let identifier: String
        public let kind: ProductKind
        /// Internal name for the developer, not shown to customers.
        public let referenceName: String?
        /// Price of the product; `nil` if the price is missing or empty in the file. Such a product is not sold.
        public let price: Decimal?
        public let isFamilyShareable: Bool
        public let localizations: [Localization]
        /// Offer codes of a product that is not an auto-renewable subscription; empty for a subscription, whose offer
        /// codes are in ``Subscription/offers``.
        public let codeOffers: [CodeOffer]
    }

    /// Offer code of a consumable, a non-consumable or a non-renewing subscription: a reduced price for one purchase.
    public struct CodeOffer: Sendable, Equatable {
        /// Group of customers who can redeem an offer code, by their purchases in the app.
        public enum Eligibility: String, Sendable, Hashable, CaseIterable {
            case nonSpender, activeSpender, churnedSpender
        }

        /// Identifier of the offer; its reference name or internal identifier if the file contains no identifier.
        public let identifier: String
        /// Price of one unit with the offer; `nil` for a free offer.
        public let price: Decimal?
        /// Customers who can redeem the offer code.
        public let eligibility: Set<Eligibility>
    }

    /// Group of subscriptions. A customer has at most one active subscription of a group.
    public struct SubscriptionGroup: Sendable, Equatable {
        /// Identifier of the group; the name of the group if the file contains no identifier.
        public let id: String
        public let name: String
        public let localizations: [Localization]
    }

    /// An auto-renewable subscription.
    public struct Subscription: Sendable, Equatable {
        public let item: Item
        /// Name of the subscription group.
        public let group: String
        /// Identifier of the subscription group.
        public let groupID: String
        /// Rank of the subscription in its group: 1 is the highest.
        public let level: Int
        /// Renewal period of the subscription.
        public let period: RenewalPeriod
        /// Offers for the subscription, with at most one introductory offer.
        public let offers: [Offer]
    }

    /// A subscription offer: a reduced price for a limited time.
    public struct Offer: Sendable, Equatable {
        public enum Kind: String, Codable, Sendable, Hashable, CaseIterable {
            case introductory, promotional, winBack, code
        }

        public enum PaymentMode: String, Codable, Sendable, Hashable, CaseIterable {
            case free, payAsYouGo, payUpFront
        }

        /// Group of customers who can redeem an offer code, by their relation to the subscription.
        public enum Eligibility: String, Sendable, Hashable, CaseIterable {
            case new, existing, expired
        }

        public let kind: Kind
        /// Identifier of the subscription offer; its reference name or internal identifier if the file contains no
        /// identifier.
        public let identifier: String
        public let paymentMode: PaymentMode
        /// Length of one period of the subscription offer.
        public let period: RenewalPeriod
        /// Number of periods with the price of the subscription offer.
        public let periodCount: Int
        /// Total length of all periods of the subscription offer.
        public let duration: RenewalPeriod
        /// Price of the subscription offer: per period, or with ``PaymentMode/payUpFront`` for all periods; `nil` for a
        /// free offer.
        public let price: Decimal?
        /// Customers who can redeem the offer code; all customers for other kinds of subscription offers.
        public let eligibility: Set<Eligibility>
        /// Indicates that a customer who gets the introductory offer can also redeem the offer code.
        public let isStackable: Bool
        /// Indicates that the test store presents the win-back offer to customers; `true` for other kinds of
        /// subscription offers.
        public let isEligible: Bool
    }

    /// Part of a StoreKit configuration file that is not used, with the reason.
    public struct Omission: Sendable, Equatable, CustomStringConvertible {
        public enum Kind: Sendable, Hashable {
            /// A product of the file was left out.
            case product
            /// The price of a product is missing: the test store knows the product, but does not sell it.
            case price
            /// A subscription offer of the file was left out.
            case offer
            /// A setting or other value outside products, prices and offers was ignored, or replaced by its default.
            case value
        }

        public let kind: Kind
        /// Unused part of the file and the reason, as a sentence without a capital letter and period.
        public let description: String
    }
}
