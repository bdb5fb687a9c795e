import Foundation
import Vitrine
import VitrinePurchasing

/// A store that answers no question and sends nothing.
struct ClosedStore: Store {
    private var error: StoreError { StoreError(code: .unavailable, reason: "the store is closed") }

    func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct] { throw error }

    func storefront() async throws(StoreError) -> String? { nil }

    func storefrontChanges() -> AsyncStream<Void> { AsyncStream { $0.finish() } }

    func paymentRestriction() async -> String? { nil }

    func purchase(_ identifier: String, options: PurchaseOptions) async throws(StoreError) -> StorePurchaseAnswer {
        throw error
    }

    func restore() async throws(StoreError) -> [StoreTransaction] { throw error }

    func knownTransactions() async throws(StoreError) -> [StoreTransaction] { throw error }

    func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] { throw error }

    func finish(_ transaction: StoreTransaction) async throws(StoreError) { throw error }

    func appTransaction() async throws(StoreError) -> String? { nil }

    func appReceipt() async throws(StoreError) -> Data? { nil }

    func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data { throw error }

    func updates() -> AsyncStream<StoreTransaction> { AsyncStream { $0.finish() } }

    func promotedPurchases() -> AsyncStream<PromotedPurchase> { AsyncStream { $0.finish() } }
}
