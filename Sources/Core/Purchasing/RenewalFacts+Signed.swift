internal import Foundation
internal import VitrineCatalog
package import VitrineEntitlements
package import VitrineReceipts

extension Fact.Term {
    /// Creates a term with the grace period of a subscription, which begins at its expiration.
    ///
    /// - Returns: `nil` if there is no grace period, or if the renewal belongs to another subscription.
    init?(_ transaction: SignedTransaction, _ renewal: SignedRenewal) {
        let (payload, said) = (transaction.payload, renewal.payload)
        guard let grace = said.gracePeriodExpiresDate, var period = Fact.Period(payload),
            said.originalTransactionID == payload.originalTransactionID,
            said.productIdentifier == payload.productIdentifier, grace > period.expirationDate
        else { return nil }
        period.gracePeriodExpirationDate = grace
        var origin = Fact.Origin(transaction)
        origin.signedDate = max(payload.signedDate, said.signedDate)
        self.init(origin: origin, period: period)
    }
}

extension Fact.Renewal {
    /// Creates the renewal data of a subscription.
    ///
    /// - Returns: `nil` if the renewal information belongs to another subscription, or does not contain whether the
    ///   subscription renews.
    package init?(_ transaction: SignedTransaction, _ renewal: SignedRenewal) {
        let (payload, said) = (transaction.payload, renewal.payload)
        guard said.originalTransactionID == payload.originalTransactionID, let status = said.autoRenewStatus,
            let expirationDate = payload.expiresDate
        else { return nil }
        var origin = Fact.Origin(transaction)
        (origin.signedDate, origin.signedData) = (said.signedDate, renewal.signedData)
        origin.purchaseID = said.originalTransactionID
        var terms = Fact.RenewalTerms(said)
        terms.isPeriodOver = said.signedDate >= expirationDate
        terms.offer = AppliedOffer(payload.offerType, payload.offerIdentifier, payload.offerDiscountType)
        self.init(origin: origin, isRenewing: status == .on, terms: terms)
    }

    /// Returns `true` if signed renewal information contains this renewal data. Values that come from the transaction
    /// of the current period are not compared.
    package func isSaid(by renewal: SignedRenewal) -> Bool {
        let payload = renewal.payload
        var said = Fact.RenewalTerms(payload)
        (said.isPeriodOver, said.offer) = (terms.isPeriodOver, terms.offer)
        return said == terms && isRenewing == (payload.autoRenewStatus == .on)
            && origin.originalTransactionID == payload.originalTransactionID
            && origin.signedDate == payload.signedDate && origin.environment == payload.environment.rawValue
    }
}

extension Fact.RenewalTerms {
    /// Creates the details of renewal data from signed renewal information. Values that come from the transaction of
    /// the current period are not set.
    fileprivate init(_ said: RenewalPayload) {
        self.init(
            nextProduct: said.autoRenewProductIdentifier,
            endReason: said.expirationIntent.map(SubscriptionEndReason.init),
            isInBillingRetry: said.isInBillingRetryPeriod ?? false,
            priceIncrease: said.priceIncreaseStatus.map { $0 == .pending ? .pending : .agreed },
            price: said.renewalPrice, currency: said.currency,
            nextOffer: AppliedOffer(said.offerType, said.offerIdentifier, said.offerDiscountType))
    }
}

extension SubscriptionEndReason {
    fileprivate init(_ intent: ExpirationIntent) {
        self =
            switch intent {
            case .cancelled: .cancelled
            case .billingError: .billingError
            case .priceIncrease: .priceIncrease
            case .productNotAvailable: .productNotAvailable
            default: .other
            }
    }
}

extension AppliedOffer {
    /// Creates an offer from signed data.
    ///
    /// - Returns: `nil` if there is no offer, or its kind is unknown to this version of Vitrine.
    fileprivate init?(_ type: OfferType?, _ identifier: String?, _ discount: OfferDiscountType?) {
        let kind: StoreConfiguration.Offer.Kind
        switch type {
        case .introductory: kind = .introductory
        case .promotional: kind = .promotional
        case .offerCode: kind = .code
        case .winBack: kind = .winBack
        default: return nil
        }
        let mode: StoreConfiguration.Offer.PaymentMode? =
            switch discount {
            case .freeTrial: .free
            case .payAsYouGo: .payAsYouGo
            case .payUpFront: .payUpFront
            default: nil
            }
        self.init(kind: kind, identifier: identifier, paymentMode: mode)
    }
}

extension [Fact] {
    /// Returns these facts of a purchase, extended by the facts from the signed renewal information of its
    /// subscription: the renewal data, and a term with the grace period if there is one.
    ///
    /// The grace period is also added to the purchase. Otherwise, if the purchase and the term were signed at the same
    /// time, the ledger would treat the term as outdated.
    package func completed(by renewal: SignedRenewal?, of signed: SignedTransaction) -> [Fact] {
        guard let renewal else { return self }
        var facts = self
        if let term = Fact.Term(signed, renewal) {
            facts = facts.map { fact in
                guard case .purchase(var purchase) = fact else { return fact }
                purchase.period = term.period
                return .purchase(purchase)
            }
            facts.append(.term(term))
        }
        if let statement = Fact.Renewal(signed, renewal) { facts.append(.renewal(statement)) }
        return facts
    }
}
