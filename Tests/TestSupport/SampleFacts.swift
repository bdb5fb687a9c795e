package import Entitlements
internal import Foundation
package import ProductCatalog

/// Facts for tests, with what does not matter left out.
extension Fact {
    package static func bought(
        _ product: String, transaction: String, kind: ProductKind = .nonConsumable, quantity: Int = 1
    ) -> Fact {
        .purchase(
            Purchase(
                originalTransactionID: transaction, transactionID: transaction, productIdentifier: product, kind: kind,
                quantity: quantity, purchaseDate: Date(timeIntervalSince1970: 1_790_000_000), environment: "Sandbox",
                signedData: "signed \(transaction)"))
    }

    package static func credited(_ amount: Int, to wallet: String = "coins", transaction: String) -> Fact {
        .credit(
            Credit(originalTransactionID: transaction, productIdentifier: "pack", wallet: wallet, amount: amount))
    }

    package static func spent(_ amount: Int, from wallet: String = "coins", token: String) -> Fact {
        .debit(Debit(token: token, wallet: wallet, amount: amount))
    }

    package static func given(_ product: String, token: String, reason: String = "a gift") -> Fact {
        .grant(Grant(token: token, productIdentifier: product, reason: reason))
    }
}
