public import Foundation
public import VitrineCatalog
public import VitrinePurchasing
public import VitrineReceipts

/// Delegate that receives the result of one purchase, restore or query for products.
///
/// A purchase or restore retains its delegate while the verification of its transactions may be requested: until they
/// are delivered, or the store has answered that there are none. A declined request for approval is never answered: it
/// retains the delegate until another purchase begins or the app returns to the foreground, a day after the request at
/// the earliest. A query for products does not retain its delegate.
///
/// Every method has a default implementation: an earlier purchase is reported as a purchase, a cancelled purchase as
/// failed, and Vitrine's own verification is the only one.
@MainActor
public protocol StoreCallDelegate: AnyObject, Sendable {
    /// Called with the store's products, and the identifiers that the store does not know.
    func productsFetched(_ products: [StoreProduct], invalidIdentifiers: [String])
    func productsFetchFailed(_ error: StoreError)
    func purchaseSucceeded(_ transaction: SignedTransaction)
    /// Called if the store answered with an earlier purchase of the product and charged nothing.
    func purchaseRestored(_ transaction: SignedTransaction)
    func purchaseFailed(_ failure: PurchaseFailure, of identifier: String)
    func purchaseCancelled(of identifier: String)
    /// Called if the result of the purchase is not known yet; events report the result later.
    func purchasePending(_ reason: PendingReason, of identifier: String)
    /// Verifies each transaction of the call, as ``PurchaseHandlers/onVerify`` does. The manager waits for this method
    /// alone: the others may call it like any code of the app.
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
    /// - Returns: `true` if the catalog and the store are known to have the product. Otherwise nothing is done, and the
    ///   delegate is not called.
    @discardableResult
    public nonisolated func purchase(
        _ identifier: String, options: PurchaseOptions = PurchaseOptions(), delegate: any StoreCallDelegate
    ) -> Bool {
        purchase(identifier, options: options, handlers: PurchaseHandlers(of: delegate, for: identifier))
    }

    /// Buys a product that the store has returned, as ``purchase(product:options:)`` does.
    public nonisolated func purchase(
        product: StoreProduct, options: PurchaseOptions = PurchaseOptions(), delegate: any StoreCallDelegate
    ) {
        purchase(
            product: product, options: options, handlers: PurchaseHandlers(of: delegate, for: product.identifier))
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

/// Closures that receive the result of one purchase call. All but ``onVerify`` are called on the main actor.
public struct PurchaseHandlers: Sendable {
    /// Called once the purchase is paid, recorded and finished.
    public var onSuccess: @MainActor @Sendable (SignedTransaction) -> Void
    /// Called in place of ``onSuccess`` if the store answered with an earlier purchase and charged nothing; `nil` to
    /// call ``onSuccess`` in that case too.
    public var onRestore: (@MainActor @Sendable (SignedTransaction) -> Void)?
    public var onFailure: @MainActor @Sendable (PurchaseFailure) -> Void
    /// Called if the customer cancelled; `nil` to call ``onFailure`` with the code `cancelled` in that case.
    public var onCancel: (@MainActor @Sendable () -> Void)?
    /// Called if the result of the purchase is not known yet; events report the result later. `nil` to call no closure
    /// in that case.
    public var onPending: (@MainActor @Sendable (PendingReason) -> Void)?
    /// Verification of the transaction after Vitrine's own and `AppHooks.verification`; `nil` for no further
    /// verification. It applies to the transaction of this call for as long as the process runs, also after
    /// ``onPending``. While the call waits for its transaction, the verification is called for every transaction of the
    /// product, because the store does not report which call a transaction belongs to. A verification that must precede
    /// every delivery, also after a relaunch, belongs in `AppHooks.verification`. What applies to calls of the manager
    /// within that hook applies here too.
    public var onVerify: TransactionVerification?

    public init(
        onSuccess: @escaping @MainActor @Sendable (SignedTransaction) -> Void,
        onRestore: (@MainActor @Sendable (SignedTransaction) -> Void)? = nil,
        onFailure: @escaping @MainActor @Sendable (PurchaseFailure) -> Void,
        onCancel: (@MainActor @Sendable () -> Void)? = nil,
        onPending: (@MainActor @Sendable (PendingReason) -> Void)? = nil,
        onVerify: TransactionVerification? = nil
    ) {
        self.onSuccess = onSuccess
        self.onRestore = onRestore
        self.onFailure = onFailure
        self.onCancel = onCancel
        self.onPending = onPending
        self.onVerify = onVerify
    }

    fileprivate init(of delegate: any StoreCallDelegate, for identifier: String) {
        self.init(
            onSuccess: { [weak delegate] in delegate?.purchaseSucceeded($0) },
            onRestore: { [weak delegate] in delegate?.purchaseRestored($0) },
            onFailure: { [weak delegate] in delegate?.purchaseFailed($0, of: identifier) },
            onCancel: { [weak delegate] in delegate?.purchaseCancelled(of: identifier) },
            onPending: { [weak delegate] in delegate?.purchasePending($0, of: identifier) },
            onVerify: { await delegate.verification(of: $0) })
    }

    @MainActor
    func handle(_ answer: PurchaseAnswer) {
        switch answer {
        case .success(let transaction, notChargedAgain: true): (onRestore ?? onSuccess)(transaction)
        case .success(let transaction, notChargedAgain: false): onSuccess(transaction)
        case .pending(let reason): onPending?(reason)
        case .failed(let failure): onFailure(failure)
        case .cancelled:
            guard let onCancel else {
                return onFailure(PurchaseFailure(code: .cancelled, reason: "the customer cancelled the purchase"))
            }
            onCancel()
        }
    }
}

/// Calls that report their results to closures. Any number of calls may be in progress; each receives its own results
/// only.
extension CatalogManager {
    /// Buys a product, as ``purchase(_:options:)`` does.
    ///
    /// - Returns: `true` if the catalog and the store are known to have the product. Otherwise nothing is done, and no
    ///   handler is called.
    @discardableResult
    public nonisolated func purchase(
        _ identifier: String, options: PurchaseOptions = PurchaseOptions(), handlers: PurchaseHandlers
    ) -> Bool {
        guard catalog.storeProduct(for: identifier) != nil else { return false }
        Task {
            let answer = await purchase(identifier, options: options, verification: handlers.onVerify)
            await handlers.handle(answer)
        }
        return true
    }

    /// Buys a product that the store has returned, as ``purchase(product:options:)`` does.
    public nonisolated func purchase(
        product: StoreProduct, options: PurchaseOptions = PurchaseOptions(), handlers: PurchaseHandlers
    ) {
        Task {
            let answer = await purchase(product: product, options: options, verification: handlers.onVerify)
            await handlers.handle(answer)
        }
    }

    /// Restores purchases, as ``restore(accountToken:)`` does.
    ///
    /// - Parameters:
    ///   - accountToken: Token that the app passed with the purchases of one of its accounts; purchases with other
    ///     tokens are ignored.
    ///   - onSuccess: Called with the result once all transactions are verified.
    ///   - onFailure: Called if the store could not be queried.
    ///   - onVerify: Called for each transaction that is verified while the restore is in progress, as
    ///     ``PurchaseHandlers/onVerify`` is.
    public nonisolated func restore(
        accountToken: UUID? = nil,
        onSuccess: @escaping @MainActor @Sendable (RestoreResult) -> Void,
        onFailure: @escaping @MainActor @Sendable (StoreError) -> Void,
        onVerify: TransactionVerification? = nil
    ) {
        Task {
            do throws(StoreError) {
                let result = try await restore(accountToken: accountToken, verification: onVerify)
                await onSuccess(result)
            } catch {
                await onFailure(error)
            }
        }
    }
}
