package import Entitlements
package import Foundation
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

    package static func takenBack(_ product: String, transaction: String, units: Int? = nil) -> Fact {
        .revocation(
            Revocation(
                originalTransactionID: transaction, transactionID: transaction, productIdentifier: product,
                revocationDate: Date(timeIntervalSince1970: 1_790_100_000), environment: "Sandbox",
                signedData: "revoked \(transaction)",
                takenBack: units.map { WalletAmount(wallet: "coins", amount: $0) }))
    }

    package static func firstGot(
        build: String, at date: Date = Date(timeIntervalSince1970: 1_556_668_800), platform: AppPlatform? = .iOS,
        signedDate: Date = Date(timeIntervalSince1970: 1_790_000_000)
    ) -> Fact {
        .appPurchase(
            AppPurchase(
                original: OriginalPurchase(version: build, date: date, platform: platform), environment: "Sandbox",
                signedDate: signedDate, signedData: "signed app"))
    }

    package static func given(_ product: String, token: String, reason: String = "a gift") -> Fact {
        .grant(Grant(token: token, productIdentifier: product, reason: reason))
    }
}
