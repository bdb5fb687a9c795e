internal import VitrineCatalog
internal import VitrineEntitlements
public import VitrinePurchasing

extension CatalogManager {
    /// Sheets of the store, in which the customer manages purchases.
    public nonisolated var sheets: Sheets { Sheets(manager: self) }

    /// Sheets of the store, in which the customer manages purchases. They are for buttons of the app: call them only
    /// when the customer has asked for it.
    public struct Sheets: Sendable {
        let manager: CatalogManager
    }
}

extension CatalogManager.Sheets {
    /// Shows the customer's subscriptions, which can be changed and canceled there. When the customer has closed the
    /// sheet, the store is asked about the subscriptions; within a hook of the app, its answer is not waited for.
    ///
    /// - Parameter product: Product whose subscription group is shown; `nil` for all of the customer's subscriptions.
    /// - Throws: `StoreError` if the sheet cannot be shown, such as on a Mac, where the App Store has it.
    public func manageSubscriptions(of product: String? = nil) async throws(StoreError) {
        let group = product.flatMap { product in manager.listing.first { $0.id == product } }?.subscription?.terms?
            .groupID
        try await manager.storeSheets.manageSubscriptions(inGroup: group)
        await manager.unlessWithinHook {
            await $0.followAccount()
            await $0.askAboutSubscriptions()
        }
    }

    /// Shows the request for a refund of the customer's latest purchase of an owned product. A refund that the store
    /// grants arrives later, and ends the ownership.
    ///
    /// - Throws: `StoreError` if the sheet cannot be shown, or the customer has not bought the product with this account
    ///   of the store: `notSubmitted`.
    public func requestRefund(of product: String) async throws(StoreError) -> RefundRequestAnswer {
        guard case .owned(let reasons) = manager.ownership(of: product),
            let purchase = reasons.compactMap(\.ownTransaction).max(by: { $0.purchaseDate < $1.purchaseDate })
        else {
            throw StoreError(code: .notSubmitted, reason: "the customer has no purchase of \(product) to refund")
        }
        return try await requestRefund(ofTransaction: purchase.id)
    }

    /// Shows the request for a refund of a transaction, such as of a consumable, which is not owned.
    ///
    /// - Parameter id: Identifier of the transaction, which `PurchaseAnswer.success` and the ledger contain.
    /// - Throws: `StoreError` if the sheet cannot be shown, or the request fails.
    public func requestRefund(ofTransaction id: String) async throws(StoreError) -> RefundRequestAnswer {
        try await manager.storeSheets.requestRefund(of: id)
    }

    /// Shows the sheet in which the customer enters an offer code. The transaction of a redeemed code is delivered like
    /// one that was bought elsewhere.
    ///
    /// - Throws: `StoreError` if the sheet cannot be shown.
    public func redeemOfferCode() async throws(StoreError) { try await manager.storeSheets.redeemOfferCode() }

    /// Returns a stream of the messages that the store has for the customer, such as one about a price increase. While
    /// the stream is read, the app decides when a message is shown; otherwise the store shows it at once. The stream is
    /// empty if the store has no messages.
    public func messages() -> AsyncStream<StoreMessage> {
        manager.store.sheets?.messages() ?? AsyncStream { $0.finish() }
    }
}

extension CatalogManager {
    fileprivate var storeSheets: any StoreSheets {
        get throws(StoreError) {
            guard let sheets = store.sheets else {
                throw StoreError(code: .notSubmitted, reason: "the store shows no sheets on this system")
            }
            return sheets
        }
    }
}

extension Ownership.Reason {
    /// Transaction of the customer's own purchase, which can be refunded.
    fileprivate var ownTransaction: Ownership.OwnTransaction? {
        guard case .transaction(let own) = self, !own.isFamilyShared else { return nil }
        return own
    }
}
