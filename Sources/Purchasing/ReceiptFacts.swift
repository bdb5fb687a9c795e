package import Entitlements
internal import Foundation
package import ProductCatalog
package import Receipts

/// What a verified receipt says, as facts. It proves them: they name its digest.
extension Fact.Receipt {
    package init(_ signed: SignedAppReceipt) {
        self.init(
            digest: signed.digest, environment: signed.receipt.type.environment.rawValue,
            signedDate: signed.receipt.creationDate, signedData: signed.data.base64EncodedString())
    }
}

extension Fact.Origin {
    /// - Parameter kind: What the product is: a period of a subscription is something bought by itself.
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
    /// What the receipt itself says: what a catalog adds is missing. A receipt does not tell whether a family shares it.
    package init(_ purchase: ReceiptPurchase, as kind: ProductKind, in signed: SignedAppReceipt) {
        self.init(
            origin: Fact.Origin(purchase, as: kind, in: signed), kind: kind, quantity: purchase.quantity,
            purchaseDate: purchase.purchaseDate,
            period: kind == .autoRenewableSubscription
                ? purchase.expirationDate.map { Fact.Period(expirationDate: $0) } : nil)
    }
}

extension Fact.Revocation {
    /// - Returns: `nil` where the store has not taken it back.
    package init?(_ purchase: ReceiptPurchase, as kind: ProductKind, in signed: SignedAppReceipt) {
        guard let date = purchase.cancellationDate else { return nil }
        self.init(origin: Fact.Origin(purchase, as: kind, in: signed), revocationDate: date)
    }
}

extension ReceiptPurchase {
    /// What the product is: what the receipt says, and nobody else.
    ///
    /// - Returns: `nil` where the receipt does not say it, or contradicts itself.
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

    /// Nothing in the receipt tells what the product is. It may be a consumable.
    var isOfUnsaidKind: Bool { productType == nil && expirationDate == nil }
}
