import Foundation
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineReceipts
import VitrineStoreSimulator

extension CustomerCase {
    /// Creates the history of a customer from a ledger exported by the app. It contains only facts that the store has
    /// signed, because a store cannot replay the app's own facts, such as grants.
    init(_ document: LedgerDocument) {
        self.init(until: document.entries.map(\.recordedAt).max() ?? Date(timeIntervalSince1970: 0))
        var others: [Fact.Kind: Int] = [:]
        for entry in document.entries where !add(entry.fact) { others[entry.fact.kind, default: 0] += 1 }
        setOffers(of: document.entries.map(\.fact))
        omissions = Fact.Kind.allCases.compactMap { kind in
            others[kind].map { "\($0 == 1 ? "an entry" : "\($0) entries") of the kind \(kind.rawValue)" }
        }
    }

    /// Adds a fact from the ledger to the history.
    ///
    /// - Returns: `false` for a fact that the store has not signed.
    private mutating func add(_ fact: Fact) -> Bool {
        switch fact {
        case .purchase(let purchase): add(purchase)
        case .term(let term): add(term)
        case .renewal(let renewal): add(renewal)
        case .revocation(let revocation):
            // The store refunds a purchase once, and a later revocation replaces the one before it.
            if let last = changes.lastIndex(where: { $0.purchase == revocation.origin.purchaseID }),
                case .revocation = changes[last].kind
            {
                changes.remove(at: last)
            }
            changes.append(
                Change(
                    of: revocation.origin.purchaseID, at: revocation.revocationDate,
                    .revocation(percentage: revocation.percentage)))
        case .reinstatement(let reinstatement):
            changes.append(
                Change(of: reinstatement.origin.purchaseID, at: reinstatement.origin.signedDate, .reinstatement))
        case .appPurchase(let purchase): app = purchase.original
        // The credited units follow from the purchase.
        case .credit: break
        case .grant, .lock, .deposit, .debit, .receipt, .content, .loss, .settlement, .note, .counterpart, .adjustment,
            .lease, .release:
            return false
        }
        return true
    }

    private mutating func add(_ purchase: Fact.Purchase) {
        // Only auto-renewable subscriptions have periods from the store; the app itself sets those of other products.
        let period = purchase.kind == .autoRenewableSubscription ? purchase.period : nil
        purchases.append(
            Purchase(
                id: purchase.origin.purchaseID, original: purchase.origin.originalTransactionID,
                product: purchase.productIdentifier, quantity: purchase.quantity, date: purchase.purchaseDate,
                end: period?.expirationDate, graceEnd: nil,
                isFamilyShared: purchase.isFamilyShared,
                isRenewal: TransactionPayload(unverified: purchase.origin.signedData)?.reason == .renewal,
                accountToken: purchase.accountToken))
    }

    /// Adds a later change of a subscription period: an extension. Upgrades are not added here,
    /// because they follow from the purchase of the other plan.
    private mutating func add(_ term: Fact.Term) {
        guard let index = purchases.firstIndex(where: { $0.id == term.origin.purchaseID }),
            let end = purchases[index].end
        else { return }
        if term.period.expirationDate > end {
            changes.append(
                Change(
                    of: purchases[index].id, at: term.origin.signedDate, .extended(to: term.period.expirationDate)))
        }
    }

    private mutating func add(_ renewal: Fact.Renewal) {
        var statement = Statement(
            original: renewal.origin.purchaseID, date: renewal.origin.signedDate, isRenewing: renewal.isRenewing)
        statement.nextProduct = renewal.terms.nextProduct
        statement.isInBillingRetry = renewal.terms.isInBillingRetry
        statement.endReason = renewal.terms.endReason.map(ExpirationIntent.init)
        statements.append(statement)
        if let end = renewal.terms.gracePeriodExpirationDate,
            let index = purchases.firstIndex(where: { $0.id == renewal.origin.transactionID })
        {
            purchases[index].graceEnd = end
        }
    }

    /// Sets the offers of subscription periods. The ledger records an offer with the renewal information of its period.
    private mutating func setOffers(of facts: [Fact]) {
        for case .renewal(let renewal) in facts {
            guard let offer = renewal.terms.offer,
                let index = purchases.firstIndex(where: { $0.id == renewal.origin.transactionID })
            else { continue }
            purchases[index].offer = (offer.kind, offer.identifier)
        }
    }
}

extension ExpirationIntent {
    fileprivate init(_ reason: SubscriptionEndReason) {
        switch reason {
        case .cancelled: self = .cancelled
        case .billingError: self = .billingError
        case .priceIncrease: self = .priceIncrease
        case .productNotAvailable: self = .productNotAvailable
        case .other: self = .other
        }
    }
}
