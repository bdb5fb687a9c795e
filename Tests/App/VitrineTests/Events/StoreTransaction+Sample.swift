import Foundation
import VitrinePurchasing
import VitrineReceipts

extension StoreTransaction {
    /// Returns a signed transaction that claims to be for a product.
    static func sample(_ id: String, claiming product: String) throws -> StoreTransaction {
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        let payload = TransactionPayload(
            transactionID: id, originalTransactionID: id, bundleIdentifier: "com.example", productIdentifier: product,
            purchaseDate: date, originalPurchaseDate: date, quantity: 1, type: .nonConsumable, environment: .sandbox,
            signedDate: date, storefront: nil, price: nil, currency: nil, revocationDate: nil, appAccountToken: nil)
        return StoreTransaction(
            id: id, signedData: try SigningIdentity(commonName: "Somebody", around: date).sign(payload))
    }
}
