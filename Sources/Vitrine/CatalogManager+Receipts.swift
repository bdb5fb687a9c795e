public import Purchasing
public import Receipts

extension CatalogManager {
    /// Asks the store for a new app receipt, for a button of the app: the store may ask the customer for a password. What a
    /// good one says is recorded, and events tell of it, as when products are loaded. Where they were not, they are loaded
    /// first: without a catalog no purchase can be recorded. A receipt is not asked for with that as well.
    ///
    /// - Parameter request: What kind of receipt a store for tests is to issue.
    /// - Throws: ``ReceiptFailure``: `undetermined` too where ``ManagerOptions/receipts`` is `nil`.
    @discardableResult
    public func refreshReceipt(
        _ request: ReceiptRequest = ReceiptRequest()
    ) async throws(ReceiptFailure) -> SignedAppReceipt {
        do throws(ReceiptFailure) {
            guard let receiptFlow else { throw .undetermined("nothing was chosen to verify receipts with") }
            mayRefreshReceipt = false
            if catalog == nil { await loadProducts() }
            let receipt = try await receiptFlow.refreshed(request)
            await receiptFlow.takeIn(receipt)
            await grandfathering.decide(receipt)
            return receipt
        } catch {
            state.tell(.receipt(.validationFailed(error)))
            throw error
        }
    }

    /// Looks at the app receipt, and asks for a new one where the app has allowed that.
    ///
    /// - Returns: `nil` where there is no good one, or it is not to be looked at.
    func takeInReceipt() async -> SignedAppReceipt? {
        guard let receiptFlow, readsReceiptAtLaunch else { return nil }
        do throws(ReceiptFailure) {
            let receipt = try await goodReceipt(receiptFlow)
            await receiptFlow.takeIn(receipt)
            return receipt
        } catch {
            state.tell(.receipt(.validationFailed(error)))
            return nil
        }
    }

    private func goodReceipt(_ flow: ReceiptFlow) async throws(ReceiptFailure) -> SignedAppReceipt {
        do {
            return try await flow.current()
        } catch  where error.mayBeMended && mayRefreshReceipt {
            mayRefreshReceipt = false
            return try await flow.refreshed()
        }
    }
}
