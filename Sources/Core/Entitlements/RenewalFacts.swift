public import VitrineCatalog

extension Fact {
    /// Statement of the store about the continuation of a subscription after one of its periods. Of all statements
    /// about a subscription, the one that was signed last applies.
    public struct Renewal: Sendable, Hashable {
        /// Signed data that the statement about the renewal was read from. The transaction is that of the period with
        /// which the statement was sent; the signing date and the signed data are those of the renewal information; and
        /// the identifier of the purchase is that of the subscription's first transaction.
        public var origin: Origin
        /// `true` if the subscription renews when its period ends.
        public var isRenewing: Bool
        public var terms: RenewalTerms

        public init(origin: Origin, isRenewing: Bool, terms: RenewalTerms) {
            self.origin = origin
            self.isRenewing = isRenewing
            self.terms = terms
        }

        /// Returns `true` if another statement about the same subscription says the same. The offer of a period is
        /// said of that period alone.
        func agrees(with other: Renewal) -> Bool {
            isRenewing == other.isRenewing && terms == other.terms
                && (terms.offer == nil || origin.transactionID == other.origin.transactionID)
        }
    }

    /// Details of a statement about the renewal of a subscription. The names of the keys are part of the ledger's
    /// format.
    public struct RenewalTerms: Sendable, Hashable, Codable {
        /// Product to which the subscription renews; `nil` if the store does not name it.
        public var nextProduct: String?
        /// `true` if the store signed the statement about the renewal after the end of the period with whose
        /// transaction the statement was sent.
        public var isPeriodOver: Bool
        /// Reason why the subscription has ended; `nil` if it has not, or for a reason that Vitrine does not know.
        public var endReason: SubscriptionEndReason?
        /// `true` if the store could not charge for the next period and tries again.
        public var isInBillingRetry: Bool
        /// Customer's consent to a higher price; `nil` if there is no price increase.
        public var priceIncrease: PriceIncreaseConsent?
        /// Price of the next period in thousandths of the currency's unit; `nil` if the store does not say it.
        public var price: Int?
        /// ISO 4217 code of the currency of ``price``.
        public var currency: String?
        /// Offer that has set the price of the period; `nil` if none has.
        public var offer: AppliedOffer?
        /// Offer that sets the price of the next period; `nil` if none does.
        public var nextOffer: AppliedOffer?

        public init(
            nextProduct: String? = nil, isPeriodOver: Bool = false, endReason: SubscriptionEndReason? = nil,
            isInBillingRetry: Bool = false, priceIncrease: PriceIncreaseConsent? = nil, price: Int? = nil,
            currency: String? = nil, offer: AppliedOffer? = nil, nextOffer: AppliedOffer? = nil
        ) {
            self.nextProduct = nextProduct
            self.isPeriodOver = isPeriodOver
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

/// Subscription offer that sets the price of a period.
public struct AppliedOffer: Sendable, Hashable, Codable {
    public var kind: StoreConfiguration.Offer.Kind
    /// Identifier of the offer; `nil` for an introductory offer.
    public var identifier: String?
    /// Payment mode of the offer; `nil` if the store does not say it.
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
