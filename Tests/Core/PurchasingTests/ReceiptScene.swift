import Foundation
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

/// Verified receipts, and their effects.
extension PurchaseQueueTests {
    /// Products that the store sells.
    enum Sold {
        static let guide = String.voyager("lisbon")
        static let coins = String.voyager("coins50")
        static let club = String.voyager("club")
        static let pass = String.voyager("pass")

        static let catalog = Catalog(products: [
            CatalogProduct(identifier: guide, kind: .nonConsumable, childProducts: [.voyager("porto")]),
            CatalogProduct(identifier: .voyager("porto"), kind: .nonConsumable),
            CatalogProduct(identifier: coins, kind: .consumable, storageKey: "coins", productValue: 50),
            CatalogProduct(identifier: club, kind: .autoRenewableSubscription),
            CatalogProduct(identifier: .voyager("lounge"), kind: .autoRenewableSubscription),
            CatalogProduct(
                identifier: pass, kind: .nonRenewingSubscription, subscriptionDuration: SubscriptionDuration("P1M")),
            CatalogProduct(identifier: .voyager("unclear"), kind: .unknown),
        ])
    }

    /// Returns the date a number of days after the start.
    func day(_ number: Double) -> Date { voyager.clock.now + number * 86_400 }

    func makeSigner(
        hooks: AppHooks = AppHooks(), catalog: Catalog = Sold.catalog, ledger: (any Ledger)? = nil
    ) throws -> (Signer, PurchaseQueue) {
        let signer = try Signer(around: day(0))
        return (
            signer, try makeQueue(ledger: ledger, verifier: signer.verifier, hooks: hooks, catalog: { catalog })
        )
    }

    /// Returns a receipt that counts as verified.
    func receipt(issued days: Double, _ purchases: ReceiptPurchase...) -> SignedAppReceipt {
        let receipt = AppReceipt(
            type: .sandbox, bundleIdentifier: VoyagerStore.bundleIdentifier, applicationVersion: "1",
            creationDate: day(days), opaqueValue: Data(), purchases: purchases)
        return SignedAppReceipt(receipt: receipt, data: Data("\(receipt)".utf8))
    }

    func bought(
        _ product: String = Sold.guide, _ id: String = "1", original: String? = nil,
        type: ReceiptProductType? = .nonConsumable, on days: Double = 0, until end: Double? = nil,
        cancelled: Double? = nil, quantity: Int = 1
    ) -> ReceiptPurchase {
        ReceiptPurchase(
            quantity: quantity, productIdentifier: product, transactionID: id, originalTransactionID: original ?? id,
            purchaseDate: day(days), productType: type, expirationDate: end.map(day),
            cancellationDate: cancelled.map(day))
    }

    func owned(days: Double) async throws -> [String] {
        try EntitlementSnapshot(
            catalog: Sold.catalog, entries: await ledger.entries(after: 0), at: day(days)
        ).owned
    }

    var kinds: [Fact.Kind] { get async { await ledger.entries(after: 0).map(\.fact.kind) } }
}
