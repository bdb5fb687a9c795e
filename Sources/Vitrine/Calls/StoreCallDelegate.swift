public import Foundation
public import ProductCatalog
public import Purchasing
public import Receipts

/// Delegate that receives the result of the call that named it.
///
/// A purchase or restore retains its delegate while the verification of its transactions may be requested: until they are
/// delivered, or the store has answered that there are none. A declined request for approval is never answered, and retains
/// the delegate as long as the manager exists. A query for products does not retain its delegate.
///
/// Every method has a default: an earlier purchase is treated as a purchase, a cancelled one as failed, and no verification
/// is added to Vitrine's own.
@MainActor
public protocol StoreCallDelegate: AnyObject, Sendable {
    /// Called with the store's products, and the identifiers that it does not know.
    func productsFetched(_ products: [StoreProduct], invalidIdentifiers: [String])
    func productsFetchFailed(_ error: StoreError)
    func purchaseSucceeded(_ transaction: SignedTransaction)
    /// Called if the store answered with an earlier purchase and charged nothing.
    func purchaseRestored(_ transaction: SignedTransaction)
    func purchaseFailed(_ failure: PurchaseFailure, of identifier: String)
    func purchaseCancelled(of identifier: String)
    /// Called if the result is not known yet; events report it later.
    func purchasePending(_ reason: PendingReason, of identifier: String)
    /// Verifies each transaction of the call, as ``PurchaseHandlers/onVerify`` does.
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
        purchaseFailed(PurchaseFailure(code: .cancelled, reason: "the customer cancelled the purchase"), of: identifier)
    }
    public func purchasePending(_ reason: PendingReason, of identifier: String) {}
    public func verification(of transaction: SignedTransaction) async -> AppVerification { .verified }
    public func restoreSucceeded(_ result: RestoreResult) {}
    public func restoreFailed(_ error: StoreError) {}
}

extension CatalogManager {
    /// Buys a product, as ``purchase(_:options:)`` does.
    ///
    /// - Returns: `true` if the catalog and the store are known to have the product. Otherwise nothing is done, and the delegate
    ///   is not called.
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

    /// Restores purchases, as ``restore(accountToken:)`` does.
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
