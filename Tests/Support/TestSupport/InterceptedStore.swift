package import Foundation
package import VitrineCatalog
package import VitrinePurchasing
import VitrineStoreSimulator

/// Store in which a test can replace the answers of the underlying store.
package struct InterceptedStore: Store {
    private let base: any Store
    package var onProducts: (@Sendable ([String]) async throws(StoreError) -> [StoreProduct])?
    package var onStorefront: (@Sendable () async throws(StoreError) -> String?)?
    package var onPurchase: (@Sendable (String, PurchaseOptions) async throws(StoreError) -> StorePurchaseAnswer)?
    package var onRestore: (@Sendable () async throws(StoreError) -> [StoreTransaction])?
    package var onKnownTransactions: (@Sendable () async throws(StoreError) -> [StoreTransaction])?
    package var onSubscriptionTransactions: (@Sendable () async throws(StoreError) -> [StoreTransaction])?
    package var onAppTransaction: (@Sendable () async throws(StoreError) -> String?)?
    package var onAppReceipt: (@Sendable () async throws(StoreError) -> Data?)?
    package var onRefreshAppReceipt: (@Sendable (ReceiptRequest) async throws(StoreError) -> Data)?
    package var onUnfinished: (@Sendable () async throws(StoreError) -> [StoreTransaction])?
    package var onPaymentRestriction: (@Sendable () async -> String?)?
    package var onFinish: (@Sendable (StoreTransaction) async throws(StoreError) -> Void)?
    package var content: (any StoreHostedContent)?

    package init(_ base: any Store) {
        self.base = (base as? SimulatedStore)?.launched ?? base
        content = base.content
    }

    package func products(for identifiers: [String]) async throws(StoreError) -> [StoreProduct] {
        guard let onProducts else { return try await base.products(for: identifiers) }
        return try await onProducts(identifiers)
    }

    package func storefront() async throws(StoreError) -> String? {
        guard let onStorefront else { return try await base.storefront() }
        return try await onStorefront()
    }

    package func paymentRestriction() async -> String? {
        guard let onPaymentRestriction else { return await base.paymentRestriction() }
        return await onPaymentRestriction()
    }

    package func purchase(
        _ identifier: String, options: PurchaseOptions
    ) async throws(StoreError) -> StorePurchaseAnswer {
        guard let onPurchase else { return try await base.purchase(identifier, options: options) }
        return try await onPurchase(identifier, options)
    }

    package func finish(_ transaction: StoreTransaction) async throws(StoreError) {
        guard let onFinish else { return try await base.finish(transaction) }
        try await onFinish(transaction)
    }

    package func restore() async throws(StoreError) -> [StoreTransaction] {
        guard let onRestore else { return try await base.restore() }
        return try await onRestore()
    }

    package func knownTransactions() async throws(StoreError) -> [StoreTransaction] {
        guard let onKnownTransactions else { return try await base.knownTransactions() }
        return try await onKnownTransactions()
    }

    package func subscriptionTransactions() async throws(StoreError) -> [StoreTransaction] {
        if let onSubscriptionTransactions { return try await onSubscriptionTransactions() }
        // What a test says is known is all that the store knows of subscriptions.
        if let onKnownTransactions { return try await onKnownTransactions() }
        return try await base.subscriptionTransactions()
    }

    package func unfinishedTransactions() async throws(StoreError) -> [StoreTransaction] {
        guard let onUnfinished else { return try await base.unfinishedTransactions() }
        return try await onUnfinished()
    }

    package func appTransaction() async throws(StoreError) -> String? {
        guard let onAppTransaction else { return try await base.appTransaction() }
        return try await onAppTransaction()
    }

    package var deviceVerificationID: UUID? { base.deviceVerificationID }

    package func appReceipt() async throws(StoreError) -> Data? {
        guard let onAppReceipt else { return try await base.appReceipt() }
        return try await onAppReceipt()
    }

    package func refreshAppReceipt(_ request: ReceiptRequest) async throws(StoreError) -> Data {
        guard let onRefreshAppReceipt else { return try await base.refreshAppReceipt(request) }
        return try await onRefreshAppReceipt(request)
    }

    package func updates() -> AsyncStream<StoreTransaction> { base.updates() }

    package var sheets: (any StoreSheets)? { base.sheets }

    package func storefrontChanges() -> AsyncStream<Void> { base.storefrontChanges() }

    package func promotedPurchases() -> AsyncStream<PromotedPurchase> { base.promotedPurchases() }

    package func promotedPurchaseAnswered(_ identifier: String) async {
        await base.promotedPurchaseAnswered(identifier)
    }
}

extension StorePurchaseAnswer {
    /// Transaction in the answer; `nil` for an answer without one.
    package var transaction: StoreTransaction? {
        switch self {
        case .purchased(let transaction), .alreadyPurchased(let transaction): transaction
        case .pending, .interrupted, .cancelled: nil
        }
    }
}

extension Store {
    /// Purchases a quantity of a product without further options.
    @discardableResult
    package func purchase(_ identifier: String, quantity: Int) async throws(StoreError) -> StorePurchaseAnswer {
        try await purchase(identifier, options: PurchaseOptions(quantity: quantity))
    }
}
