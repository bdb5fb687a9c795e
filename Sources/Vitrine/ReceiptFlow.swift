internal import Entitlements
internal import Foundation
internal import Purchasing
internal import Receipts

/// Gets the app receipt, verifies it, and records what it says.
struct ReceiptFlow {
    let store: any Store
    let verifier: any ReceiptVerifier
    let queue: PurchaseQueue
    let state: ManagerState

    /// The receipt that lies on this device, verified. Nobody is asked for anything.
    func current() async throws(ReceiptFailure) -> SignedAppReceipt {
        let data: Data?
        do {
            data = try await store.appReceipt()
        } catch {
            throw .store(error)
        }
        guard let data else { throw .missing }
        return try await verified(data)
    }

    /// A new one from the store, verified.
    func refreshed(_ request: ReceiptRequest = ReceiptRequest()) async throws(ReceiptFailure) -> SignedAppReceipt {
        let data: Data
        do {
            data = try await store.refreshAppReceipt(request)
        } catch {
            throw .store(error)
        }
        return try await verified(data)
    }

    private func verified(_ data: Data) async throws(ReceiptFailure) -> SignedAppReceipt {
        switch await verifier.verify(receipt: data) {
        case .verified(let receipt): return receipt
        case .rejected(let reasons): throw .rejected(reasons)
        case .undetermined(let reason): throw .undetermined(reason)
        }
    }

    /// Records what a receipt says, and tells of it. What goes wrong is told by events too, and tried again the next time.
    func takeIn(_ receipt: SignedAppReceipt) async {
        do {
            let unrecorded = try await queue.record(receipt)
            try await state.refresh()
            state.events.send(.receiptDidValidate(receipt))
            for purchase in unrecorded { state.events.send(.receiptPurchaseWaits(purchase)) }
        } catch {
            state.events.send(.receiptDidValidate(receipt))
            state.events.send(.ledgerFailed(error))
        }
    }
}

extension ReceiptFailure {
    /// A new receipt may be a good one.
    var mayBeMended: Bool {
        switch self {
        case .missing, .rejected: true
        case .undetermined, .store: false
        }
    }
}
