import Foundation
import VitrineCatalog
import VitrineEntitlements

extension Fact {
    /// A purchase of coins and its credit.
    static func coins(
        _ key: String, of product: String, amount: Int, wallet: String, at date: Date, signedData: String
    ) -> [Fact] {
        [
            .purchase(
                Purchase(
                    origin: .of(product, key, at: date, signedData: signedData), kind: .consumable, quantity: 1,
                    purchaseDate: date)),
            .credit(Credit(purchaseID: key, productIdentifier: product, wallet: wallet, amount: amount)),
        ]
    }

    /// A purchase of something that lasts.
    ///
    /// - Parameter contents: What the product contained then.
    static func product(
        _ key: String, of product: String, at date: Date, signedData: String, contents: [String] = []
    ) -> Fact {
        .purchase(
            Purchase(
                origin: .of(product, key, at: date, signedData: signedData), kind: .nonConsumable, quantity: 1,
                purchaseDate: date, contents: contents))
    }

    static func revoked(_ key: String, of product: String, at date: Date) -> Fact {
        .revocation(Revocation(origin: .of(product, key, at: date, signedData: ""), revocationDate: date))
    }
}

extension Fact.Origin {
    fileprivate static func of(
        _ product: String, _ key: String, at date: Date, signedData: String
    ) -> Fact.Origin {
        Fact.Origin(
            purchaseID: key, originalTransactionID: key, transactionID: key, productIdentifier: product,
            environment: "Sandbox", signedDate: date, signedData: signedData)
    }
}
