public import Foundation
public import ProductCatalog
public import Purchasing
public import Receipts

/// Hears what a call comes to that named it.
///
/// It is kept as long as it may be asked about what its call brings: until that is delivered, or the store has said that
/// nothing comes. A request for approval that is declined is never answered, and keeps it as long as the manager is there.
/// One that only fetches products is not kept: where it is gone, nobody is told.
///
/// Everything has a default: what was bought before counts as bought, what was cancelled as failed, and nothing is asked
/// beside Vitrine's own verification.
@MainActor
public protocol StoreCallDelegate: AnyObject, Sendable {
    /// The store has answered, and does not know these identifiers.
    func productsFetched(_ products: [StoreProduct], invalidIdentifiers: [String])
    func productsFetchFailed(_ error: StoreError)
    func purchaseSucceeded(_ transaction: SignedTransaction)
    /// The store has answered with what was bought before, and nothing was charged.
    func purchaseRestored(_ transaction: SignedTransaction)
    func purchaseFailed(_ failure: PurchaseFailure, of identifier: String)
    func purchaseCancelled(of identifier: String)
    /// It is not decided yet, and what comes of it is told by events.
    func purchasePending(_ reason: PendingReason, of identifier: String)
    /// Asked about each transaction that the call brings, as ``PurchaseHandlers/onVerify`` is.
    func verification(of transaction: SignedTransaction) async -> AppVerification
    func restoreSucceeded(_ result: RestoreResult)
    func restoreFailed(_ error: StoreError)
}

extension StoreCallDelegate {
    public func productsFetched(_ products: [StoreProduct], invalidIdentifiers: [String]) {}
    public func productsFetchFailed(_ error: StoreError) {}
    public func purchaseSucceeded(_ transaction: SignedTransaction) {}
    public func purchaseRestored(_ transaction: SignedTransaction) { purchaseSucceeded(transaction) }
    public func purchaseFailed(_ failure: PurchaseFailure, of identifier: String) {}
    public func purchaseCancelled(of identifier: String) {
        purchaseFailed(PurchaseFailure(code: .cancelled, reason: "the customer changed their mind"), of: identifier)
    }
    public func purchasePending(_ reason: PendingReason, of identifier: String) {}
    public func verification(of transaction: SignedTransaction) async -> AppVerification { .verified }
    public func restoreSucceeded(_ result: RestoreResult) {}
    public func restoreFailed(_ error: StoreError) {}
}

extension CatalogManager {
    /// Asks the store about products that are named in code, as ``fetchProducts(_:cachesResult:)`` does.
    public nonisolated func fetchProducts(
        _ identifiers: [String], cachesResult: Bool = true, delegate: any StoreCallDelegate
    ) {
        fetchProducts(identifiers, cachesResult: cachesResult) { [weak delegate] fetched in
            delegate?.productsFetched(fetched.products, invalidIdentifiers: fetched.invalidIdentifiers)
        } onFailure: { [weak delegate] error in
            delegate?.productsFetchFailed(error)
        }
    }

    /// Buys a product, as ``purchase(_:options:)`` does.
    ///
    /// - Returns: Whether catalog and store are known to have it. Where they are not, nothing is done and nobody told.
    @discardableResult
    public nonisolated func purchase(
        _ identifier: String, options: PurchaseOptions = PurchaseOptions(), delegate: any StoreCallDelegate
    ) -> Bool {
        purchase(
            identifier, options: options,
            handlers: PurchaseHandlers(
                onSuccess: { [weak delegate] in delegate?.purchaseSucceeded($0) },
                onRestore: { [weak delegate] in delegate?.purchaseRestored($0) },
                onFailure: { [weak delegate] in delegate?.purchaseFailed($0, of: identifier) },
                onCancel: { [weak delegate] in delegate?.purchaseCancelled(of: identifier) },
                onPending: { [weak delegate] in delegate?.purchasePending($0, of: identifier) },
                onVerify: { await delegate.verification(of: $0) }))
    }

    /// Restores what was bought, as ``restore(accountToken:)`` does.
    public nonisolated func restore(accountToken: UUID? = nil, delegate: any StoreCallDelegate) {
        restore(accountToken: accountToken) { [weak delegate] result in
            delegate?.restoreSucceeded(result)
        } onFailure: { [weak delegate] error in
            delegate?.restoreFailed(error)
        } onVerify: { transaction in
            await delegate.verification(of: transaction)
        }
    }
}
