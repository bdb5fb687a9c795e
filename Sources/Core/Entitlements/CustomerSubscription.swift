public import Foundation

/// Auto-renewable subscription of a customer, active or ended, according to the store's signed data.
public struct CustomerSubscription: Sendable, Hashable, Identifiable {
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// The paid period has not ended.
        case subscribed
        /// The period has ended, the store could not charge for the next one and tries again. Access continues.
        case inGracePeriod
        /// The period has ended, the store could not charge for the next one and tries again. There is no access.
        case inBillingRetry
        /// The period has ended, and the store has not yet confirmed the expected renewal. Access continues until
        /// ``unconfirmedUntil``.
        case unconfirmed
        /// It is unknown whether the subscription continues: the store has not answered for too long after the end of
        /// the period, or the device's clock was set back after the end.
        case unknown
        case expired
        /// The store has revoked the latest period.
        case revoked
    }

    /// Identifier of the subscription's first transaction.
    public let id: String
    /// Product of the latest period.
    public let productIdentifier: String
    /// Identifier of the transaction of the latest period.
    public let transactionID: String
    public let state: State
    /// Date of the subscription's first transaction.
    public let originalPurchaseDate: Date
    /// Start of the latest period.
    public let purchaseDate: Date
    /// End of the latest period, without a grace period.
    public let expirationDate: Date
    /// Indicates that the subscription renews at the end of the period; `nil` if the store has provided no renewal
    /// data.
    public let isRenewing: Bool?
    /// Product of the next period; `nil` if the subscription does not renew, or the store does not name the product.
    public let nextProduct: String?
    /// Reason why the subscription has ended; `nil` if it has not ended, or the reason is unknown.
    public let endReason: SubscriptionEndReason?
    /// End of the grace period; `nil` if there is none.
    public let gracePeriodExpirationDate: Date?
    /// End of the access that continues although the store has not confirmed the renewal; `nil` in states other than
    /// `unconfirmed`.
    public let unconfirmedUntil: Date?
    /// Customer's consent to a higher price of the next period; `nil` if there is no price increase.
    public let priceIncrease: PriceIncreaseConsent?
    /// Price of the next period; `nil` if the store has not provided it.
    public let nextPrice: Decimal?
    /// ISO 4217 code of the currency of ``nextPrice``.
    public let nextCurrency: String?
    /// Offer that determined the price of the latest period; `nil` if there was none, or if the store has provided no
    /// renewal data for this period.
    public let offer: AppliedOffer?
    /// Offer that determines the price of the next period; `nil` if there is none.
    public let nextOffer: AppliedOffer?
    /// `true` if a member of the customer's family bought the subscription and shares it.
    public let isFamilyShared: Bool
    /// Signing date of the store's last renewal data that contained a change; `nil` if there is none.
    public let statementDate: Date?

    /// `true` if the customer has access: subscribed, in the grace period, or unconfirmed.
    public var isActive: Bool { [.subscribed, .inGracePeriod, .unconfirmed].contains(state) }

    /// Next renewal date; `nil` if it does not renew, or its period has ended.
    public var renewalDate: Date? { state == .subscribed && isRenewing == true ? expirationDate : nil }

    /// End date of access, unless the store provides newer data; `nil` if the subscription renews or has ended,
    /// or its renewal is unknown.
    public var endDate: Date? {
        switch state {
        case .subscribed: isRenewing == false ? expirationDate : nil
        case .inGracePeriod: gracePeriodExpirationDate
        case .unconfirmed: unconfirmedUntil
        case .inBillingRetry, .unknown, .expired, .revoked: nil
        }
    }
}

extension EntitlementSnapshot {
    /// Auto-renewable subscriptions of the customer, including ended ones, ordered by their first transactions. A
    /// subscription whose latest period belongs to another customer is not included.
    public var subscriptions: [CustomerSubscription] {
        histories.compactMap { original, history in
            guard let latest = history.latest,
                let source = sources[latest.product]?.first(where: { $0.purchaseID == latest.purchaseID })
            else { return nil }
            return subscription(original, history, source)
        }.sorted { ($0.originalPurchaseDate, $0.id) < ($1.originalPurchaseDate, $1.id) }
    }

    private func subscription(
        _ original: String, _ history: SubscriptionHistory, _ source: EntitlementSource
    ) -> CustomerSubscription? {
        let validity = validityOfSubscription(source, nextProduct: history.renewal?.terms.nextProduct)
        guard case .transaction(let transaction) = reason(of: source, validity), let period = source.period else {
            return nil
        }
        let (renewal, terms) = (history.renewal, history.renewal?.terms)
        let state = state(of: source, validity, terms)
        let isOver = state == .expired || state == .revoked
        let price = terms?.price.map { Decimal($0) / 1_000 }
        return CustomerSubscription(
            id: original, productIdentifier: source.product, transactionID: transaction.id, state: state,
            originalPurchaseDate: transaction.originalPurchaseDate, purchaseDate: transaction.purchaseDate,
            expirationDate: period.expirationDate, isRenewing: renewal?.isRenewing,
            nextProduct: renewal?.isRenewing == true ? terms?.nextProduct : nil,
            endReason: isOver ? terms?.endReason : nil,
            gracePeriodExpirationDate: source.graceEnd,
            unconfirmedUntil: transaction.unconfirmedUntil,
            priceIncrease: renewal?.isRenewing == true ? terms?.priceIncrease : nil,
            nextPrice: isOver ? nil : price, nextCurrency: isOver ? nil : terms?.currency,
            offer: renewal?.origin.transactionID == transaction.id ? terms?.offer : nil,
            nextOffer: isOver ? nil : terms?.nextOffer, isFamilyShared: transaction.isFamilyShared,
            statementDate: renewal?.origin.signedDate)
    }

    /// Returns the validity of a subscription's latest period. If this period has ended, the result is the validity of
    /// the product to which the subscription was to change at its end.
    private func validityOfSubscription(_ source: EntitlementSource, nextProduct: String?) -> Validity {
        let own = validity(of: source)
        guard own == .ended, let nextProduct, nextProduct != source.product else { return own }
        return validity(of: source.continued(as: nextProduct))
    }

    private func state(
        of source: EntitlementSource, _ validity: Validity, _ terms: Fact.RenewalTerms?
    ) -> CustomerSubscription.State {
        if isTakenAway(source) { return .revoked }
        switch validity {
        case .valid:
            return source.period.map { $0.expirationDate <= now } ?? false ? .inGracePeriod : .subscribed
        case .unconfirmed: return .unconfirmed
        case .unknown: return .unknown
        case .ended: return terms?.isInBillingRetry == true && terms?.isPeriodOver == true ? .inBillingRetry : .expired
        }
    }
}
