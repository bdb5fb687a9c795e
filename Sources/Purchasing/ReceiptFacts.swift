package import Entitlements
internal import Foundation
package import ProductCatalog
package import Receipts

/// Facts that are read from a verified receipt. The receipt proves them: they contain its digest.
extension Fact.Receipt {
    package init(_ signed: SignedAppReceipt) {
        self.init(
            digest: signed.digest, environment: signed.receipt.type.environment.rawValue,
            signedDate: signed.receipt.creationDate, signedData: signed.data.base64EncodedString())
    }
}

extension Fact.Origin {
    /// Creates the origin of a purchase in a receipt.
    ///
    /// - Parameter kind: The type of the product: a period of a subscription is a purchase of its own.
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
    /// Creates a purchase from the receipt, without the data that a catalog adds. A receipt does not contain Family
    /// Sharing.
    package init(_ purchase: ReceiptPurchase, as kind: ProductKind, in signed: SignedAppReceipt) {
        self.init(
            origin: Fact.Origin(purchase, as: kind, in: signed), kind: kind, quantity: purchase.quantity,
            purchaseDate: purchase.purchaseDate,
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
    /// Type of the product, according to the receipt only; `nil` if the receipt does not contain it, or contradicts
    /// itself.
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

    /// `true` if the receipt does not determine the type of the product, which may be a consumable.
    var isOfUnsaidKind: Bool { productType == nil && expirationDate == nil }
}
