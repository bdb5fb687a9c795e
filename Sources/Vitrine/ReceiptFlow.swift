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
        let unrecorded: [UnrecordedPurchase]
        do {
            unrecorded = try await queue.record(receipt)
        } catch {
            state.tell(.ledger(.failed(error)))
            // Some of it may be recorded.
            return await state.refreshOrReport()
        }
        await state.refreshOrReport()
        state.tell(.receipt(.validated(receipt)))
        for purchase in unrecorded { state.tell(.receipt(.purchaseNotRecorded(purchase))) }
    }
}

extension ReceiptFailure {
    /// A new receipt may be a good one: the store would issue it for the same app, in the same environment, and the app's
    /// server would say the same of it.
    var mayBeMended: Bool {
        switch self {
        case .missing: true
        case .rejected(let reasons):
            !reasons.contains { [.app, .environment, .bundleIdentifier].contains($0.code) }
        case .undetermined, .store: false
        }
    }
}
