public import Foundation
public import VitrineCatalog

extension Fact {
    /// Renewal data of a subscription, as signed by the store after one of its periods. The data with the latest
    /// signing date applies.
    public struct Renewal: Sendable, Hashable {
        /// Signed data that is the source of the renewal data. The transaction identifier refers to the period of the
        /// renewal data, and the purchase identifier to the subscription's first transaction. The product, the signing
        /// date and the signed data come from the store's renewal information.
        public var origin: Origin
        /// `true` if the subscription renews when its period ends.
        public var isRenewing: Bool
        public var terms: RenewalTerms

        public init(origin: Origin, isRenewing: Bool, terms: RenewalTerms) {
            self.origin = origin
            self.isRenewing = isRenewing
            self.terms = terms
        }

        /// Returns `true` if other renewal data of the same subscription has the same content. An offer applies to one
        /// period only, so that data with an offer must belong to the same period.
        func agrees(with other: Renewal) -> Bool {
            isRenewing == other.isRenewing && terms == other.terms
                && (terms.offer == nil || origin.transactionID == other.origin.transactionID)
        }
    }

    /// Details of the renewal data of a subscription. The names of the keys are part of the ledger's format.
    public struct RenewalTerms: Sendable, Hashable, Codable {
        /// Product of the next period; `nil` if the store has not provided it.
        public var nextProduct: String?
        /// `true` if the store signed the renewal data after the end of the period that the data belongs to.
        public var isPeriodOver: Bool
        /// End of the grace period, in which access continues although the store could not charge for the next period;
        /// `nil` if the subscription is in none. It belongs to the latest period of the product that had begun when the data was
        /// signed.
        public var gracePeriodExpirationDate: Date?
        /// Reason why the subscription has ended; `nil` if it has not ended, or the reason is unknown to Vitrine.
        public var endReason: SubscriptionEndReason?
        /// `true` if the store could not charge for the next period and tries again.
        public var isInBillingRetry: Bool
        /// Customer's consent to a higher price; `nil` if there is no price increase.
        public var priceIncrease: PriceIncreaseConsent?
        /// Price of the next period in thousandths of the currency's unit; `nil` if the store has not provided it.
        public var price: Int?
        /// ISO 4217 code of the currency of ``price``.
        public var currency: String?
        /// Offer that determined the price of the period; `nil` if there was none.
        public var offer: AppliedOffer?
        /// Offer that determines the price of the next period; `nil` if there is none.
        public var nextOffer: AppliedOffer?

        public init(
            nextProduct: String? = nil, isPeriodOver: Bool = false, gracePeriodExpirationDate: Date? = nil,
            endReason: SubscriptionEndReason? = nil, isInBillingRetry: Bool = false,
            priceIncrease: PriceIncreaseConsent? = nil, price: Int? = nil, currency: String? = nil,
            offer: AppliedOffer? = nil, nextOffer: AppliedOffer? = nil
        ) {
            self.nextProduct = nextProduct
            self.isPeriodOver = isPeriodOver
            self.gracePeriodExpirationDate = gracePeriodExpirationDate
            self.endReason = endReason
            self.isInBillingRetry = isInBillingRetry
            self.priceIncrease = priceIncrease
            self.price = price
            self.currency = currency
            self.offer = offer
            self.nextOffer = nextOffer
        }
    }
}

/// Reason why a subscription has ended.
public enum SubscriptionEndReason: String, Sendable, Hashable, Codable, CaseIterable {
    /// The customer canceled the subscription.
    case cancelled
    /// The store could not charge the customer.
    case billingError
    /// The customer did not agree to a higher price.
    case priceIncrease
    /// The store did not sell the product when the subscription was to renew.
    case productNotAvailable
    case other
}

/// Customer's consent to a higher price of a subscription.
public enum PriceIncreaseConsent: String, Sendable, Hashable, Codable, CaseIterable {
    /// The customer has not answered. Without consent the subscription ends with its period.
    case pending
    /// The customer has agreed, or was informed of a price increase that needs no consent.
    case agreed
}

/// Subscription offer that determines the price of a period.
public struct AppliedOffer: Sendable, Hashable, Codable {
    public var kind: StoreConfiguration.Offer.Kind
    /// Identifier of the offer; `nil` for an introductory offer.
    public var identifier: String?
    /// Payment mode of the offer; `nil` if the store has not provided it.
    public var paymentMode: StoreConfiguration.Offer.PaymentMode?

    public init(
        kind: StoreConfiguration.Offer.Kind, identifier: String? = nil,
        paymentMode: StoreConfiguration.Offer.PaymentMode? = nil
    ) {
        self.kind = kind
        self.identifier = identifier
        self.paymentMode = paymentMode
    }
}
