internal import Foundation
package import VitrineCatalog
package import VitrineEntitlements
package import VitrineReceipts

/// Creation of the fact that records a verified receipt. Other facts from the receipt contain its digest.
extension Fact.Receipt {
    package init(_ signed: SignedAppReceipt) {
        self.init(
            digest: signed.digest, environment: signed.receipt.type.environment.rawValue,
            signedDate: signed.receipt.creationDate, signedData: signed.data.base64EncodedString())
    }
}

extension Fact.Origin {
    /// Creates the origin of a fact from a purchase in a receipt.
    ///
    /// - Parameter kind: The type of the product. Each period of a subscription is recorded as a separate purchase.
    init(_ purchase: ReceiptPurchase, as kind: ProductKind, in signed: SignedAppReceipt) {
        let original = purchase.originalTransactionID ?? purchase.transactionID
        let isPeriod = kind == .autoRenewableSubscription || kind == .nonRenewingSubscription
        self.init(
            purchaseID: isPeriod ? purchase.transactionID : original, originalTransactionID: original,
            transactionID: purchase.transactionID, productIdentifier: purchase.productIdentifier,
            environment: signed.receipt.type.environment.rawValue, signedDate: signed.receipt.creationDate,
            signedData: "", receiptDigest: signed.digest)
    }
}

extension Fact.Purchase {
    /// Creates a purchase from the receipt, without data from a catalog. A receipt does not contain whether a purchase
    /// is shared by Family Sharing.
    package init(_ purchase: ReceiptPurchase, as kind: ProductKind, in signed: SignedAppReceipt) {
        self.init(
            origin: Fact.Origin(purchase, as: kind, in: signed), kind: kind, quantity: purchase.quantity,
            purchaseDate: purchase.purchaseDate,
            originalPurchaseDate: purchase.originalPurchaseDate == purchase.purchaseDate
                ? nil : purchase.originalPurchaseDate,
            period: kind == .autoRenewableSubscription
                ? purchase.expirationDate.map { Fact.Period(expirationDate: $0) } : nil)
    }
}

extension Fact.Revocation {
    /// Creates the revocation of a purchase in a receipt.
    ///
    /// - Returns: `nil` if the store has not revoked the purchase.
    package init?(_ purchase: ReceiptPurchase, as kind: ProductKind, in signed: SignedAppReceipt) {
        guard let date = purchase.cancellationDate else { return nil }
        self.init(origin: Fact.Origin(purchase, as: kind, in: signed), revocationDate: date)
    }
}

extension ReceiptPurchase {
    /// Type of the product, according to the receipt only; `nil` if the receipt contains no type, or is contradictory.
    package var kind: ProductKind? {
        switch productType {
        case .consumable?: .consumable
        case .nonConsumable?: expirationDate == nil ? .nonConsumable : nil
        case .nonRenewingSubscription?: expirationDate == nil ? .nonRenewingSubscription : nil
        case .autoRenewableSubscription?: .autoRenewableSubscription
        case nil: expirationDate == nil ? nil : .autoRenewableSubscription
        default: nil
        }
    }

    /// `true` if the receipt does not determine the type of the product. The product may be a consumable.
    var isOfUnsaidKind: Bool { productType == nil && expirationDate == nil }
}

/// Dates of revocations, transactions and periods in a receipt, for comparing its purchases with each other.
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

    /// Returns `true` if a purchase is revoked: the store has revoked it, and it was not bought again since.
    func isTakenBack(_ purchaseID: String) -> Bool {
        guard let cancellation = cancellations[purchaseID] else { return false }
        return purchases[purchaseID].map { $0 <= cancellation } ?? true
    }

    /// Returns `true` if a period was canceled because the customer changed to another product of the subscription
    /// group. A period of the other product then begins at the cancellation date.
    func isGivenUpForAnother(_ purchase: ReceiptPurchase) -> Bool {
        guard purchase.kind == .autoRenewableSubscription, let date = purchase.cancellationDate else { return false }
        return (periods[purchase.originalTransactionID ?? purchase.transactionID] ?? []).contains { other in
            other.productIdentifier != purchase.productIdentifier
                && abs(other.purchaseDate.timeIntervalSince(date)) <= 5
        }
    }
}
