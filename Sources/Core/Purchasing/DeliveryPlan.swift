internal import Foundation
package import VitrineCatalog
package import VitrineEntitlements
package import VitrineReceipts

/// Plan for the delivery of a verified purchase, according to a catalog.
package enum DeliveryPlan {
    /// The purchase can be delivered by recording these facts together.
    case record([Fact])
    /// The purchase cannot be delivered now, and stays unfinished until it can.
    case wait(WaitingReason)

    /// Creates the plan for a purchase.
    ///
    /// - Parameters:
    ///   - said: The purchase according to the store, without data from a catalog; `nil` for a product type that this
    ///     version of Vitrine does not know.
    ///   - hasHandler: `true` if the app has a delivery handler. The handler then delivers consumables that the catalog
    ///     does not define.
    package init(purchase said: Fact.Purchase?, of identifier: String, catalog: Catalog?, hasHandler: Bool) {
        guard let catalog else {
            self = .wait(.catalogNotLoaded)
            return
        }
        guard let index = catalog.index(of: identifier) else {
            self = .wait(.unknownProduct(identifier))
            return
        }
        guard var purchase = said else {
            self = .wait(.unknownKind(identifier))
            return
        }
        let product = catalog.products[index]
        guard product.kind == purchase.kind || product.kind == .unknown else {
            self = .wait(.kindMismatch(catalog: product.kind, store: purchase.kind))
            return
        }
        switch purchase.kind {
        case .consumable:
            self = Self.consumable(purchase, product, catalog: catalog, hasHandler: hasHandler)
            return
        case .nonRenewingSubscription:
            purchase.period = product.durations.end(boughtAt: purchase.purchaseDate, quantity: purchase.quantity)
                .map { Fact.Period(expirationDate: $0) }
            guard purchase.period != nil else {
                self = .wait(.noDuration(identifier))
                return
            }
        case .autoRenewableSubscription:
            guard purchase.period != nil else {
                self = .wait(.noDuration(identifier))
                return
            }
        case .nonConsumable, .unknown: break
        }
        purchase.contents = catalog.bundles.descendants(of: index).dropFirst().map { catalog.products[$0].identifier }
        let credit = product.wallet == nil ? nil : Self.credit(of: purchase, product, catalog)
        self = .record([.purchase(purchase)] + (credit.map { [.credit($0)] } ?? []))
    }

    /// Returns the credit that a purchase earns; `nil` if it earns none.
    private static func credit(
        of purchase: Fact.Purchase, _ product: CatalogProduct, _ catalog: Catalog
    ) -> Fact.Credit? {
        guard purchase.mayCreditUnits, let credit = product.credit(forQuantity: purchase.quantity) else { return nil }
        return Fact.Credit(
            purchaseID: purchase.origin.purchaseID, productIdentifier: product.identifier, wallet: credit.wallet,
            amount: credit.amount, refundPolicy: catalog.wallets[credit.wallet]?.refundPolicy ?? .clawback)
    }

    private static func consumable(
        _ purchase: Fact.Purchase, _ product: CatalogProduct, catalog: Catalog, hasHandler: Bool
    ) -> DeliveryPlan {
        guard let credit = credit(of: purchase, product, catalog) else {
            return product.mayBeLeftToApp && hasHandler
                ? .record([.purchase(purchase)]) : .wait(.noWallet(product.identifier))
        }
        return .record([.purchase(purchase), .credit(credit)])
    }
}

extension Fact.Origin {
    package init(_ transaction: SignedTransaction) {
        let payload = transaction.payload
        self.init(
            purchaseID: payload.purchaseID, originalTransactionID: payload.originalTransactionID,
            transactionID: payload.transactionID, productIdentifier: payload.productIdentifier,
            environment: payload.environment.rawValue, signedDate: payload.signedDate,
            signedData: transaction.signedData)
    }
}

extension Fact.Purchase {
    /// Creates a purchase from the transaction, without data from a catalog.
    ///
    /// - Returns: `nil` for a product type that this version of Vitrine does not know.
    package init?(_ transaction: SignedTransaction) {
        let payload = transaction.payload
        guard let kind = ProductKind(payload.type) else { return nil }
        self.init(
            origin: Fact.Origin(transaction), kind: kind, quantity: payload.quantity,
            purchaseDate: payload.purchaseDate,
            originalPurchaseDate: payload.originalPurchaseDate == payload.purchaseDate
                ? nil : payload.originalPurchaseDate,
            period: kind == .autoRenewableSubscription ? Fact.Period(payload) : nil,
            isFamilyShared: payload.ownershipType == .familyShared, accountToken: payload.appAccountToken)
    }
}

extension Fact.Period {
    init?(_ payload: TransactionPayload) {
        guard let expirationDate = payload.expiresDate else { return nil }
        self.init(expirationDate: expirationDate, isUpgraded: payload.isUpgraded ?? false)
    }
}

extension ProductKind {
    /// Creates the product type from the type in a signed transaction.
    ///
    /// - Returns: `nil` for a type that this version of Vitrine does not know.
    package init?(_ type: SignedProductKind) {
        switch type {
        case .consumable: self = .consumable
        case .nonConsumable: self = .nonConsumable
        case .nonRenewingSubscription: self = .nonRenewingSubscription
        case .autoRenewableSubscription: self = .autoRenewableSubscription
        default: return nil
        }
    }
}
