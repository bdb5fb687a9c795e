public import Foundation
public import Purchasing

/// Calls that are answered by closures. Any number may be under way; each hears of itself alone.
extension CatalogManager {
    /// Asks the store about products that are named in code, as ``fetchProducts(_:cachesResult:)`` does.
    public nonisolated func fetchProducts(
        _ identifiers: [String], cachesResult: Bool = true,
        onSuccess: @escaping @MainActor @Sendable (FetchedProducts) -> Void,
        onFailure: @escaping @MainActor @Sendable (StoreError) -> Void
    ) {
        Task {
            do throws(StoreError) {
                let products = try await fetchProducts(identifiers, cachesResult: cachesResult)
                await onSuccess(products)
            } catch {
                await onFailure(error)
            }
        }
    }

    /// Buys a product, as ``purchase(_:options:)`` does.
    ///
    /// - Returns: Whether catalog and store are known to have it. Where they are not, nothing is done and no handler called.
    @discardableResult
    public nonisolated func purchase(
        _ identifier: String, options: PurchaseOptions = PurchaseOptions(), handlers: PurchaseHandlers
    ) -> Bool {
        guard storeProduct(for: identifier) != nil else { return false }
        Task {
            let answer = await purchase(identifier, options: options, verification: handlers.onVerify)
            await handlers.take(answer)
        }
        return true
    }

    /// Restores what was bought, as ``restore(accountToken:)`` does.
    ///
    /// - Parameters:
    ///   - accountToken: What the app gave with the purchases of one of its accounts; those that were made with another are
    ///     left alone.
    ///   - onSuccess: Called once all of it is verified, with what came of it.
    ///   - onFailure: Called where the store could not be asked.
    ///   - onVerify: Asked about each transaction, as ``PurchaseHandlers/onVerify`` is. Where a restore is under way already,
    ///     which this call then waits for, that one's is.
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
