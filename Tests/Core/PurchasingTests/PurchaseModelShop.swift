import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Products that the store sells during random operations.
enum PurchaseModelShop {
    static let products = ["lisbon", "porto", "madrid", "vienna", "iberia", "everything"].map(String.voyager)
    static let packs = ["coins50", "coins500"].map(String.voyager)
    static let wallets = ["coins", "gems", "stars"]

    /// Catalogs that differ in the children of bundles and in the wallets of packs. The third one lacks a product.
    static let catalogs = [
        catalog(iberia: ["lisbon", "porto", "madrid"], everything: ["iberia", "vienna"], wallets: ["coins", "gems"]),
        catalog(iberia: ["lisbon", "porto"], everything: ["iberia", "madrid"], wallets: ["stars", "coins"]),
        catalog(
            iberia: ["lisbon", "vienna"], everything: ["iberia"], wallets: ["gems", "stars"], withoutProduct: "porto"),
        catalog(
            iberia: ["madrid", "vienna"], everything: ["porto"], wallets: ["coins", "coins"], coinsPolicy: .debt),
    ]

    private static func catalog(
        iberia: [String], everything: [String], wallets: [String], withoutProduct missing: String = "",
        coinsPolicy: RefundPolicy = .clawback
    ) -> Catalog {
        let contents = ["iberia": iberia, "everything": everything]
        let guides = ["lisbon", "porto", "madrid", "vienna", "iberia", "everything"].filter { $0 != missing }.map {
            CatalogProduct(
                identifier: .voyager($0), kind: .nonConsumable,
                childProducts: (contents[$0] ?? []).map(String.voyager))
        }
        let packs = zip([50, 500], wallets).map { (value: Int, wallet: String) in
            CatalogProduct(
                identifier: .voyager("coins\(value)"), kind: .consumable, storageKey: wallet, productValue: value)
        }
        return Catalog(
            products: guides + packs,
            wallets: [
                "coins": CatalogWallet(refundPolicy: coinsPolicy), "gems": CatalogWallet(refundPolicy: .debt),
                "stars": CatalogWallet(refundPolicy: .ignore),
            ])
    }
}
