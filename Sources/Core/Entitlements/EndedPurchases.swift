package import Foundation
internal import VitrineCatalog

extension FactsInMemory {
    /// Purchases that the store has ended before their time, by purchase ID: revoked purchases, and periods of a
    /// subscription that were upgraded, or ended by a period of another product.
    ///
    /// The dates are the signing dates of the last data that says so. Data that was signed at or before them, and says
    /// that such a purchase is valid, is outdated.
    package var endedPurchases: [String: Date] {
        var ended: [String: Date] = [:]
        func end(_ purchaseID: String, by origin: Fact.Origin) {
            let date = max(origin.signedDate, latestStatement(of: origin.purchaseID) ?? origin.signedDate)
            ended[purchaseID] = max(date, ended[purchaseID] ?? date)
        }
        var subscriptions: [String: [Fact.Purchase]] = [:]
        for entry in entries {
            switch entry.fact {
            case .revocation(let revocation):
                let purchaseID = revocation.origin.purchaseID
                if let last = revocationState(of: purchaseID)?.revocation { end(purchaseID, by: last.origin) }
            case .purchase(let purchase) where purchase.kind == .autoRenewableSubscription:
                subscriptions[purchase.origin.originalTransactionID, default: []].append(purchase)
            default: break
            }
        }
        for purchases in subscriptions.values {
            let ordered = purchases.sorted { SubscribedPeriod($0).follows(SubscribedPeriod($1)) }
            var later: Fact.Purchase?
            // First of the later periods with another product.
            var next: Fact.Purchase?
            for purchase in ordered {
                if let later, later.productIdentifier != purchase.productIdentifier { next = later }
                later = purchase
                let (purchaseID, term) = (purchase.origin.purchaseID, term(of: purchase.origin.purchaseID))
                guard let period = term?.period ?? purchase.period else { continue }
                if period.isUpgraded { end(purchaseID, by: term?.origin ?? purchase.origin) }
                if let next, next.purchaseDate < period.expirationDate { end(purchaseID, by: next.origin) }
            }
        }
        return ended
    }
}
