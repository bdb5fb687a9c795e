internal import FileSystem
internal import Foundation
internal import ProductCatalog
internal import Purchasing
internal import Receipts

extension SimulatedStore {
    /// Signs the current state of a transaction, with a later date than any signature of an earlier state.
    ///
    /// - Parameter date: A date at which the transaction was in this state or an earlier one.
    func sign(_ transaction: SimulatedTransaction, at date: Date) throws(SimulatedStoreError) -> StoreTransaction {
        let signedDate = max(date, transaction.signedFrom)
        latestSignature.withLock { $0 = max($0, signedDate.milliseconds) }
        let payload = TransactionPayload(
            transactionID: transaction.id,
            originalTransactionID: transaction.id,
            bundleIdentifier: bundleIdentifier,
            productIdentifier: transaction.productIdentifier,
            purchaseDate: transaction.purchaseDate,
            originalPurchaseDate: transaction.purchaseDate,
            quantity: transaction.quantity,
            type: transaction.kind.signedType,
            environment: .sandbox,
            signedDate: signedDate,
            storefront: transaction.storefront,
            price: transaction.price,
            currency: transaction.currency,
            revocationDate: transaction.revocationDate,
            ownershipType: transaction.ownershipType,
            appAccountToken: transaction.accountToken
        )
        return StoreTransaction(id: transaction.id, signedData: try sign(payload))
    }

    /// Signs the original purchase of the app.
    func sign(_ original: OriginalPurchase) throws(SimulatedStoreError) -> String {
        try sign(
            AppTransactionPayload(
                bundleIdentifier: bundleIdentifier,
                applicationVersion: original.version,
                originalApplicationVersion: original.version,
                originalPurchaseDate: original.date,
                originalPlatform: original.platform?.rawValue,
                environment: .sandbox,
                signedDate: now()
            ))
    }

    private func sign(_ payload: some Encodable) throws(SimulatedStoreError) -> String {
        do {
            return try identity.sign(payload)
        } catch {
            throw SimulatedStoreError(code: .damaged, reason: "the store cannot sign: \(error)")
        }
    }
}

extension ProductKind {
    fileprivate var signedType: ProductType {
        switch self {
        case .consumable: .consumable
        case .nonConsumable: .nonConsumable
        case .nonRenewingSubscription: .nonRenewingSubscription
        case .autoRenewableSubscription: .autoRenewableSubscription
        case .unknown: ProductType(rawValue: "Unknown")
        }
    }
}
