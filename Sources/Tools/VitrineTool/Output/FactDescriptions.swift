import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineSupport

extension Fact {
    /// Description of a fact in the ledger, such as a purchase, in one line.
    var description: String {
        switch self {
        case .purchase(let purchase): purchase.description
        case .term(let term):
            "\(term.origin.productIdentifier) " + term.period.description + " (\(term.origin.description))"
        case .renewal(let renewal): renewal.description
        case .revocation(let revocation):
            "the store revoked \(revocation.productIdentifier) (\(revocation.origin.description))"
                + (revocation.part < 100_000 ? ", \(Double(revocation.part) / 1000) % of the price" : "")
                + (revocation.debited.map { units in
                    units.amount > 0
                        ? ": \(units.amount) out of the wallet \(units.wallet)"
                        : ": \(units.amount.magnitude) into the wallet \(units.wallet)"
                } ?? "")
        case .reinstatement(let reinstatement):
            "the store reinstated \(reinstatement.origin.productIdentifier) "
                + "(\(reinstatement.origin.description))"
                + (reinstatement.credited.map { ": \($0.amount) into the wallet \($0.wallet)" } ?? "")
        case .grant(let grant):
            "granted \(grant.productIdentifier)" + grant.author.asAuthor
                + (grant.expirationDate.map { ", until \($0.minute)" } ?? "") + ": \(grant.reason)"
        case .lock(let lock): "locked \(lock.productIdentifier)\(lock.author.asAuthor): \(lock.reason)"
        case .credit(let credit):
            "\(credit.amount) into the wallet \(credit.wallet) for \(credit.productIdentifier) "
                + "(transaction \(credit.purchaseID))"
        case .deposit(let deposit): "\(deposit.amount) into the wallet \(deposit.wallet): \(deposit.reason)"
        case .debit(let debit): "\(debit.amount) out of the wallet \(debit.wallet), spent for \"\(debit.token)\""
        case .appPurchase(let purchase):
            "app first installed \(purchase.original.description)"
                + (purchase.receiptDigest == nil ? "" : ", read from the app receipt")
        case .receipt(let receipt): "app receipt issued by the store on \(receipt.signedDate.minute)"
        case .content(let content):
            "installed version \(content.version) of the content of \(content.productIdentifier) in \(content.path)"
        case .loss(let loss): "an earlier ledger was lost: \(loss.reason)"
        case .settlement(let settlement): "ledger loss settled\(settlement.author.asAuthor): \(settlement.reason)"
        case .counterpart(let counterpart) where counterpart.kind == .purchase:
            "recorded with a later end: the purchase \"\(counterpart.subject)\""
                + (counterpart.expirationDate.map { ", until \($0.minute)" } ?? "")
        case .counterpart(let counterpart):
            "recorded before: the \(counterpart.kind.rawValue) \"\(counterpart.subject)\""
                + (counterpart.units.map { ", \($0.amount) of the wallet \($0.wallet)" } ?? "")
        case .adjustment(let adjustment):
            adjustment.amount > 0
                ? "\(adjustment.amount) into the wallet \(adjustment.wallet): \(adjustment.reason)"
                : "\(adjustment.amount.magnitude) out of the wallet \(adjustment.wallet): \(adjustment.reason)"
        case .lease(let lease):
            "\(lease.amount) of the wallet \(lease.wallet) leased as \"\(lease.token)\" until "
                + lease.expirationDate.minute
        case .release(let release): "the lease \"\(release.token)\" given back"
        default: if case .note(let note) = self { note.reason } else { kind.rawValue }
        }
    }
}

extension Fact.Origin {
    fileprivate var description: String {
        "transaction \(transactionID)" + (receiptDigest == nil ? "" : ", read from the app receipt")
    }
}

extension Fact.Purchase {
    fileprivate var description: String {
        let number = quantity == 1 ? "" : "\(quantity) of "
        let verb = isFamilyShared ? "shared by the family:" : "bought"
        return "\(verb) \(number)\(productIdentifier)" + (period.map { ", \($0.description)" } ?? "")
            + (originalPurchaseDate.map { ", first bought on \($0.day)" } ?? "")
            + (offerCode.map { ", with the offer code \($0)" } ?? "") + " (\(origin.description))"
    }

    /// Offer code with which a product was bought that is not an auto-renewable subscription. For a subscription, the
    /// renewal information names the offer.
    private var offerCode: String? {
        guard kind != .autoRenewableSubscription, let payload = TransactionPayload(unverified: origin.signedData),
            payload.offerType == .offerCode
        else { return nil }
        return payload.offerIdentifier
    }
}

extension Fact.Period {
    fileprivate var description: String {
        isUpgraded ? "replaced by a better subscription" : "until \(expirationDate.minute)"
    }
}

extension Fact.Renewal {
    private var hasEnded: Bool { !terms.isInBillingRetry && terms.gracePeriodExpirationDate == nil }

    fileprivate var description: String {
        let next = terms.nextProduct.map { $0 == origin.productIdentifier ? "" : " as \($0)" } ?? ""
        let renewal = isRenewing ? "renews\(next)" : "does not renew"
        let details: [String?] = [
            hasEnded ? terms.endReason.map { "it has ended: \($0.description)" } : nil,
            terms.gracePeriodExpirationDate.map { "it is in its grace period until \($0.minute)" },
            terms.isInBillingRetry ? "the store could not charge the customer and tries again" : nil,
            terms.priceIncrease.map {
                $0 == .pending ? "a higher price waits for consent" : "a higher price applies"
            },
            terms.offer.map { "the period has \($0.description)" },
            terms.nextOffer.map { "the next period has \($0.description)" },
        ]
        return "the subscription \(origin.productIdentifier) \(renewal)"
            + details.compactMap { $0.map { "; \($0)" } }.joined() + " (\(origin.description))"
    }
}

extension String {
    fileprivate var asAuthor: String { isEmpty ? "" : " by \(self)" }
}
