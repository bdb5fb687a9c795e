internal import Entitlements
internal import Foundation
internal import ProductCatalog
internal import Receipts

/// What the purchases of a receipt say about each other.
struct ReceiptHistory {
    /// When each purchase was taken back last, by what it is recorded under.
    private var cancellations: [String: Date] = [:]
    /// When each purchase that was not taken back was made last.
    private var purchases: [String: Date] = [:]
    /// The periods of each subscription, by its first transaction.
    private var periods: [String: [ReceiptPurchase]] = [:]

    init(_ signed: SignedAppReceipt) {
        for purchase in signed.receipt.purchases {
            guard let kind = purchase.kind else { continue }
            let origin = Fact.Origin(purchase, as: kind, in: signed)
            if kind == .autoRenewableSubscription {
                periods[origin.originalTransactionID, default: []].append(purchase)
            }
            if let date = purchase.cancellationDate {
                cancellations[origin.purchaseID] = max(date, cancellations[origin.purchaseID] ?? date)
            } else {
                let date = purchase.purchaseDate
                purchases[origin.purchaseID] = max(date, purchases[origin.purchaseID] ?? date)
            }
        }
    }

    /// The store has taken a purchase back, and it was not bought again since.
    func isTakenBack(_ purchaseID: String) -> Bool {
        guard let cancellation = cancellations[purchaseID] else { return false }
        return purchases[purchaseID].map { $0 <= cancellation } ?? true
    }

    /// The store cancels a period also where the customer changes to another product of the subscription's group: that
    /// one's period begins then.
    func isGivenUpForAnother(_ purchase: ReceiptPurchase) -> Bool {
        guard purchase.kind == .autoRenewableSubscription, let date = purchase.cancellationDate else { return false }
        return (periods[purchase.originalTransactionID ?? purchase.transactionID] ?? []).contains { other in
            other.productIdentifier != purchase.productIdentifier
                && abs(other.purchaseDate.timeIntervalSince(date)) <= 5
        }
    }
}
