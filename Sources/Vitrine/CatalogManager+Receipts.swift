public import Purchasing
public import Receipts

extension CatalogManager {
    /// Requests a new app receipt from the store, for example for a button of the app: the store may ask the customer
    /// for a password. The contents of a valid receipt are recorded and reported by events, as when products are
    /// loaded. If no catalog is loaded, products are loaded first, because no purchase can be recorded without a
    /// catalog; that load does not request a receipt.
    ///
    /// - Parameter request: Type of receipt that a test store issues.
    /// - Throws: ``ReceiptFailure``; also `undetermined` if ``ManagerOptions/receipts`` is `nil`.
    @discardableResult
    public func refreshReceipt(
        _ request: ReceiptRequest = ReceiptRequest()
    ) async throws(ReceiptFailure) -> SignedAppReceipt {
        do throws(ReceiptFailure) {
            guard let receiptFlow else { throw .undetermined("no receipt verifier is configured") }
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

    /// Reads the app receipt, and requests a new one if the app has allowed that.
    ///
    /// - Returns: `nil` if there is no valid receipt, or the receipt is not to be read.
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
