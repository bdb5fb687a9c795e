internal import Foundation
internal import VitrineCatalog
internal import VitrineSupport

extension CustomerSubscription {
    /// Description of the subscription in one line, including its product.
    package var description: String { "\(productIdentifier): \(details)" }

    /// Description of the subscription in one line, without its product.
    package var details: String {
        let remarks: [String?] = [
            isFamilyShared ? "shared by the family" : nil,
            isActive ? offer.map { "this period has \($0.description)" } : nil,
            nextOffer.map { "the next period has \($0.description)" },
            priceIncrease.map { $0 == .pending ? "a higher price waits for consent" : "a higher price applies" },
        ]
        return stateText + remarks.compactMap { $0.map { "; \($0)" } }.joined()
    }

    private var stateText: String {
        let end = expirationDate.minute
        return switch state {
        case .subscribed: "subscribed, \(renewalText) \(end)\(nextText)"
        case .inGracePeriod:
            "in grace period until \(gracePeriodExpirationDate?.minute ?? end): \(retryText)"
        case .inBillingRetry: "ended on \(lastDay): \(retryText)"
        case .unconfirmed:
            "the period ended on \(end), and the store has not yet confirmed the renewal; owned without a confirmation "
                + "until \(unconfirmedUntil?.minute ?? end)"
        case .unknown: "unknown until the store answers; the last known period is until \(end)"
        case .expired: "ended on \(lastDay)" + (endReason.map { ": \($0.description)" } ?? "")
        case .revoked: "revoked by the store"
        }
    }

    /// End of access, as text: the end of the period, or of the grace period after it.
    private var lastDay: String {
        max(expirationDate, gracePeriodExpirationDate ?? expirationDate).minute
    }

    private var retryText: String {
        "the store could not charge the customer"
            + (isRenewing == false ? ", and the subscription does not renew" : " and tries again")
    }

    private var renewalText: String {
        switch isRenewing {
        case true?: "renews on"
        case false?: "ends on"
        case nil: "until"
        }
    }

    private var nextText: String {
        let product = nextProduct.flatMap { $0 == productIdentifier ? nil : " as \($0)" } ?? ""
        guard let nextPrice, let nextCurrency, isRenewing == true else { return product }
        return "\(product) for \(nextPrice) \(nextCurrency)"
    }
}

extension SubscriptionEndReason {
    package var description: String {
        switch self {
        case .cancelled: "the customer canceled it"
        case .billingError: "the store could not charge the customer"
        case .priceIncrease: "the customer did not agree to a higher price"
        case .productNotAvailable: "the store no longer sold the product"
        case .other: "for another reason"
        }
    }
}

extension AppliedOffer {
    package var description: String {
        let kind =
            switch kind {
            case .introductory: "an introductory offer"
            case .promotional: "a promotional offer"
            case .winBack: "a win-back offer"
            case .code: "an offer code"
            }
        return identifier.map { "\(kind), \($0)" } ?? kind
    }
}
