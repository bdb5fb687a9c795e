internal import Purchasing
internal import Receipts

extension CatalogManager {
    func refreshReceipt(_ request: ReceiptRequest) async throws(ReceiptFailure) -> SignedAppReceipt {
        do throws(ReceiptFailure) {
            guard let receiptFlow else { throw .undetermined("no receipt verifier is configured") }
            mayRefreshReceipt = false
            if state.snapshot.catalog == nil { await loadProducts() }
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
