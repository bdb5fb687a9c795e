package import Foundation
internal import VitrineSupport

extension Ownership.Reason {
    /// Text of the reason for ownership. For an owned bundle, the reasons for owning the bundle are omitted.
    package var description: String {
        switch self {
        case .transaction(let transaction): transaction.description
        case .grant(let reason, let author, let date, let expirationDate, _):
            "granted on \(date.day)" + (author.isEmpty ? "" : " by \(author)")
                + (expirationDate.map { ", until \($0.day)" } ?? "") + ": \(reason)"
        case .bundle(let identifier): "included in \(identifier)"
        case .formerBundle(let identifier, let transaction, let date):
            "included in \(identifier) when this bundle was bought on \(date.day) (transaction \(transaction))"
        }
    }

    /// Identifier of the customer's device that has recorded the purchase or grant; `nil` for the current device.
    package var device: String? {
        switch self {
        case .transaction(let transaction): transaction.device
        case .grant(_, _, _, _, let device): device
        case .bundle, .formerBundle: nil
        }
    }

    /// Condition that would end the ownership, as the rest of a sentence; `nil` if the end depends on another product.
    package var ending: String? {
        switch self {
        case .transaction(let transaction) where transaction.isInGracePeriod:
            "the ownership ends on that date, unless the store receives payment"
        case .transaction(let transaction) where transaction.unconfirmedUntil != nil:
            "the ownership becomes unknown on that date, unless the store answers before"
        case .transaction(let transaction) where transaction.pass != nil:
            "the time that it adds ends on that date, unless the store revokes the purchase before"
        case .transaction(let transaction) where transaction.expirationDate != nil:
            "the ownership ends on that date, unless the subscription is renewed"
        case .transaction(let transaction) where transaction.isFamilyShared:
            "the ownership ends if the purchase is no longer shared"
        case .transaction: "the ownership ends if the store revokes the purchase"
        case .grant(_, _, _, let expirationDate, _):
            expirationDate == nil
                ? "the ownership ends if the product is locked"
                : "the ownership ends on that date, or if the product is locked"
        case .formerBundle: "the ownership ends if the store revokes that purchase"
        case .bundle: nil
        }
    }
}

extension Ownership.OwnTransaction {
    /// `true` if the transaction restores or renews an earlier one.
    package var isRepeated: Bool { originalPurchaseDate < purchaseDate }

    fileprivate var description: String {
        let what = isFamilyShared ? "shared by the family since" : expirationDate == nil ? "bought on" : "subscribed on"
        let first = isRepeated ? ", first on \(originalPurchaseDate.day)" : ""
        let start = "\(what) \(purchaseDate.day)\(first)\(pass?.text(boughtAt: purchaseDate) ?? "")"
        guard let expirationDate else { return "\(start) (transaction \(id))" }
        if let unconfirmedUntil {
            return "\(start), until \(expirationDate.minute), renewal not yet confirmed by the store, owned without a "
                + "confirmation until \(unconfirmedUntil.minute) (transaction \(id))"
        }
        guard isInGracePeriod else { return "\(start), until \(expirationDate.minute) (transaction \(id))" }
        return "\(start), not renewed, in grace period until \(expirationDate.minute) (transaction \(id))"
    }
}

extension Ownership.OwnTransaction.Pass {
    /// Quantity and start, as a part of a sentence; empty for one unit that began when it was bought.
    fileprivate func text(boughtAt date: Date) -> String {
        (quantity > 1 ? ", quantity \(quantity)" : "") + (start > date ? ", from \(start.minute)" : "")
    }
}

extension Ownership {
    /// End of the time that all purchases of a non-renewing subscription add up to; `nil` if the product is not owned, or
    /// is owned for other reasons.
    package var endOfPasses: Date? {
        guard isExtendable, case .owned(let reasons) = self else { return nil }
        return reasons.compactMap { if case .transaction(let own) = $0 { own.expirationDate } else { nil } }.max()
    }

    /// Words such as "until 2030-03-02 00:00 by 2 purchases"; `nil` unless several purchases of a non-renewing
    /// subscription add up.
    package var sumOfPasses: String? {
        guard let endOfPasses, case .owned(let reasons) = self, reasons.count > 1 else { return nil }
        return "until \(endOfPasses.minute) by \(reasons.count) purchases"
    }
}

extension Ownership.UnknownReason {
    package var description: String {
        switch self {
        case .noCatalog: "no catalog is loaded, so the contents of bundles are unknown"
        case .incompleteCatalog(let owned):
            "the catalog has errors and does not contain \(owned), which is owned"
        case .grandfathering(let product):
            "customers who installed the app early enough own \(product), but the first installation of this customer "
                + "is unknown"
        case .unconfirmedRenewal(let product, let end):
            "the period of the subscription \(product) lasts until \(end.minute), and the store has signed nothing "
                + "after that date that says whether it was renewed"
        case .clockSetBack(let product, let end):
            "the clock of the device has shown the end of the subscription \(product), \(end.minute), and was set back; the "
                + "store has not answered about subscriptions since"
        case .purchasesNotRead: "the purchases that the store knows could not be read on this device yet"
        case .ledgerLost(let reason):
            "an earlier ledger was lost, and the store has not been queried since: \(reason)"
        }
    }
}
