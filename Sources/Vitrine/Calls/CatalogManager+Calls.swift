public import Foundation
public import Purchasing

/// Calls that are answered by closures. Any number of calls may be in progress; each receives its own results only.
extension CatalogManager {
    /// Buys a product, as ``purchase(_:options:)`` does.
    ///
    /// - Returns: `true` if the catalog and the store are known to have the product. Otherwise nothing is done, and no handler
    ///   is called.
    @discardableResult
    public nonisolated func purchase(
        _ identifier: String, options: PurchaseOptions = PurchaseOptions(), handlers: PurchaseHandlers
    ) -> Bool {
        guard catalog.storeProduct(for: identifier) != nil else { return false }
        Task {
            let answer = await purchase(identifier, options: options, verification: handlers.onVerify)
            await handlers.take(answer)
        }
        return true
    }

    /// Restores purchases, as ``restore(accountToken:)`` does.
    ///
    /// - Parameters:
    ///   - accountToken: Token that the app passed with the purchases of one of its accounts; purchases with other tokens are
    ///     ignored.
    ///   - onSuccess: Called with the result once all transactions are verified.
    ///   - onFailure: Called if the store could not be queried.
    ///   - onVerify: Called for each transaction, as ``PurchaseHandlers/onVerify`` is. If a restore is in progress, this call
    ///     waits for it, and the verification of that restore applies.
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
