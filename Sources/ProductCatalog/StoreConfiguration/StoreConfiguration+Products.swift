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
    }

    /// Group of subscriptions. A customer has at most one active subscription of a group.
    public struct SubscriptionGroup: Sendable, Equatable {
        /// Identifier of the group, or its name if it has none.
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
        public let period: SubscriptionPeriod
        /// Offers of the subscription, with at most one introductory offer.
        public let offers: [Offer]
    }

    /// An offer with a reduced price for a limited time.
    public struct Offer: Sendable, Equatable {
        public enum Kind: String, Sendable, Hashable, CaseIterable {
            case introductory, promotional, winBack, code
        }

        public enum PaymentMode: String, Codable, Sendable, Hashable, CaseIterable {
            case free, payAsYouGo, payUpFront
        }

        /// Relation of a customer to a subscription.
        public enum Eligibility: String, Sendable, Hashable, CaseIterable {
            case new, existing, expired
        }

        public let kind: Kind
        /// Identifier of the offer, or its reference name or internal identifier if it has none.
        public let identifier: String
        public let paymentMode: PaymentMode
        /// Length of one period of the offer.
        public let period: SubscriptionPeriod
        /// Number of periods for which the offer is valid.
        public let periodCount: Int
        /// Length of all periods of the offer together.
        public let duration: SubscriptionPeriod
        /// Price of the offer, for each period or, with ``PaymentMode/payUpFront``, for all; `nil` for a free offer.
        public let price: Decimal?
        /// Customers that can redeem a code; every one for other kinds of offers.
        public let eligibility: Set<Eligibility>
        /// Indicates that a code can be used by a customer who also gets the introductory offer.
        public let isStackable: Bool
        /// Indicates that the store offers a win-back offer to customers; `true` for other kinds of offers.
        public let isEligible: Bool
    }

    /// Part of a file that is not used, with the reason.
    public struct Omission: Sendable, Equatable, CustomStringConvertible {
        public enum Kind: Sendable, Hashable {
            /// A product that is left out.
            case product
            /// The missing price of a product, which the store therefore knows and does not sell.
            case price
            /// An offer that is left out.
            case offer
            /// Another value, which is ignored or replaced by its default.
            case value
        }

        public let kind: Kind
        /// Omission and reason, as a sentence without a capital letter and period.
        public let description: String
    }
}
