internal import Entitlements
internal import ProductCatalog
internal import Receipts

/// What a verified transaction comes to under a catalog.
enum DeliveryPlan {
    /// These facts are recorded together.
    case record([Fact])
    /// It cannot be delivered now, and stays unfinished until it can.
    case wait(WaitingReason)

    init(transaction: SignedTransaction, catalog: Catalog?) {
        let payload = transaction.payload
        guard let catalog else {
            self = .wait(.catalogNotLoaded)
            return
        }
        guard let product = catalog[payload.productIdentifier] else {
            self = .wait(.unknownProduct(payload.productIdentifier))
            return
        }
        guard let kind = Self.deliveredKinds[payload.type] else {
            self = .wait(.notSupported(payload.productIdentifier))
            return
        }
        guard product.kind == kind || product.kind == .unknown else {
            self = .wait(.kindMismatch(catalog: product.kind, store: kind))
            return
        }
        let purchase = Fact.Purchase(
            originalTransactionID: payload.originalTransactionID,
            transactionID: payload.transactionID,
            productIdentifier: payload.productIdentifier,
            kind: kind,
            quantity: payload.quantity,
            purchaseDate: payload.purchaseDate,
            environment: payload.environment.rawValue,
            signedData: transaction.signedData
        )
        guard kind == .consumable else {
            self = .record([.purchase(purchase)])
            return
        }
        guard let credit = product.credit(forQuantity: payload.quantity) else {
            self = .wait(.noWallet(payload.productIdentifier))
            return
        }
        let earned = Fact.Credit(
            originalTransactionID: payload.originalTransactionID,
            productIdentifier: payload.productIdentifier,
            wallet: credit.wallet,
            amount: credit.amount
        )
        self = .record([.purchase(purchase), .credit(earned)])
    }

    private static let deliveredKinds: [ProductType: ProductKind] = [
        .consumable: .consumable, .nonConsumable: .nonConsumable,
    ]
}
