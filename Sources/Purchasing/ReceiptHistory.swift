internal import Entitlements
internal import Foundation
internal import ProductCatalog
internal import Receipts

/// Relations between the purchases of a receipt.
struct ReceiptHistory {
    /// Date of the last revocation of each purchase, by purchase ID.
    private var cancellations: [String: Date] = [:]
    /// Date of the last valid transaction of each purchase, by purchase ID.
    private var purchases: [String: Date] = [:]
    /// Periods of each subscription, by its first transaction.
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

    /// Returns `true` if the store has revoked a purchase, and it was not bought again since.
    func isTakenBack(_ purchaseID: String) -> Bool {
        guard let cancellation = cancellations[purchaseID] else { return false }
        return purchases[purchaseID].map { $0 <= cancellation } ?? true
    }

    /// Returns `true` if a period was cancelled because the customer changed to another product of the subscription
    /// group: the period of that product then begins at the cancellation date.
    func isGivenUpForAnother(_ purchase: ReceiptPurchase) -> Bool {
        guard purchase.kind == .autoRenewableSubscription, let date = purchase.cancellationDate else { return false }
        return (periods[purchase.originalTransactionID ?? purchase.transactionID] ?? []).contains { other in
            other.productIdentifier != purchase.productIdentifier
                && abs(other.purchaseDate.timeIntervalSince(date)) <= 5
        }
    }
}
