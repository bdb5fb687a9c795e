internal import Foundation
internal import VitrineCatalog
package import VitrineEntitlements
package import VitrineReceipts

extension Fact.Renewal {
    /// Creates the renewal data of a subscription.
    ///
    /// - Returns: `nil` if the renewal information belongs to another subscription, or does not contain whether the
    ///   subscription renews.
    package init?(_ transaction: SignedTransaction, _ renewal: SignedRenewal) {
        let (payload, said) = (transaction.payload, renewal.payload)
        guard said.originalTransactionID == payload.originalTransactionID, let isRenewing = said.isRenewing,
            let expirationDate = payload.expiresDate
        else { return nil }
        var terms = Fact.RenewalTerms(said)
        terms.isPeriodOver = said.signedDate >= expirationDate
        terms.offer = AppliedOffer(payload.offerType, payload.offerIdentifier, payload.offerDiscountType)
        var origin = Fact.Origin(transaction)
        (origin.signedDate, origin.signedData) = (said.signedDate, renewal.signedData)
        (origin.purchaseID, origin.productIdentifier) = (said.originalTransactionID, said.productIdentifier)
        self.init(origin: origin, isRenewing: isRenewing, terms: terms)
    }

    /// Returns `true` if signed renewal information contains this renewal data. Values that come from the transaction
    /// of the current period are not compared.
    package func isSaid(by renewal: SignedRenewal) -> Bool {
        let payload = renewal.payload
        var said = Fact.RenewalTerms(payload)
        (said.isPeriodOver, said.offer) = (terms.isPeriodOver, terms.offer)
        return said == terms && payload.isRenewing == isRenewing
            && origin.productIdentifier == payload.productIdentifier
            && origin.originalTransactionID == payload.originalTransactionID
            && origin.signedDate == payload.signedDate && origin.environment == payload.environment.rawValue
    }
}

extension RenewalPayload {
    /// `true` if the subscription renews; `nil` if the renewal information does not contain this. In a grace period, the
    /// store tries to renew the subscription.
    fileprivate var isRenewing: Bool? {
        autoRenewStatus.map { $0 == .on } ?? (gracePeriodExpiresDate == nil ? nil : true)
    }
}

extension Fact.RenewalTerms {
    /// Creates the details of renewal data from signed renewal information. Values that come from the transaction of
    /// the current period are not set.
    fileprivate init(_ said: RenewalPayload) {
        self.init(
            nextProduct: said.autoRenewProductIdentifier, gracePeriodExpirationDate: said.gracePeriodExpiresDate,
            endReason: said.expirationIntent.map(SubscriptionEndReason.init),
            isInBillingRetry: said.isInBillingRetryPeriod ?? (said.gracePeriodExpiresDate != nil),
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
    /// Returns these facts of a purchase, extended by the renewal data of its subscription if there is any.
    package func completed(by renewal: SignedRenewal?, of signed: SignedTransaction) -> [Fact] {
        guard let statement = renewal.flatMap({ Fact.Renewal(signed, $0) }) else { return self }
        return self + [.renewal(statement)]
    }
}
