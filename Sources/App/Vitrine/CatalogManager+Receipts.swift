internal import Foundation
internal import VitrineEntitlements
internal import VitrinePurchasing
internal import VitrineReceipts

extension CatalogManager {
    func refreshReceipt(_ request: ReceiptRequest) async throws(ReceiptFailure) -> SignedAppReceipt {
        do throws(ReceiptFailure) {
            guard let receiptFlow else { throw .undetermined("no receipt verifier is configured") }
            // Without a catalog, products would have to be loaded.
            guard !hookCalls.isInside({ [hasCatalog = state.snapshot.catalog != nil] in !hasCatalog || $0 == .receipt })
            else { throw .undetermined(StoreError.withinHook("a new receipt").reason) }
            mayRefreshReceipt = false
            if state.snapshot.catalog == nil { await loadProducts() }
            let receipt = try await receiptFlow.refreshed(request)
            if !hasSeveralAccounts { await receiptFlow.apply(receipt) }
            await grandfathering.decide(hasSeveralAccounts ? nil : receipt)
            return receipt
        } catch {
            state.send(.receipt(.validationFailed(error)))
            throw error
        }
    }

    /// Reads the app receipt, and requests a new one if the app has allowed that. A receipt does not name the App Store
    /// account: it is not read if the storage directory keeps several accounts apart.
    ///
    /// - Returns: `nil` if there is no valid receipt, or the receipt is not to be read.
    func applyReceipt() async -> SignedAppReceipt? {
        guard let receiptFlow, readsReceiptAtLaunch, !hasSeveralAccounts else { return nil }
        do throws(ReceiptFailure) {
            let receipt = try await goodReceipt(receiptFlow)
            await receiptFlow.apply(receipt)
            return receipt
        } catch {
            state.send(.receipt(.validationFailed(error)))
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

/// Functions that request, verify and record the app receipt.
struct ReceiptFlow {
    let store: any Store
    let verifier: any ReceiptVerifier
    let queue: PurchaseQueue
    let hookCalls: HookCalls
    let state: ManagerState
    /// `true` to record purchases from a receipt; `false` if the app verifies each transaction.
    let recordsPurchases: Bool

    /// Returns the verified receipt on this device, without a request to the store.
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

    /// Returns a verified new receipt from the store.
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
        let verification = Task {
            await hookCalls.run(.receipt) { await verifier.verify(receipt: data) }
        }
        let unanswered = "the app's receipt verifier has not answered yet"
        let answer = await withTaskCancellationHandler {
            await hookCalls.value(of: verification) { $0 == .receipt }
        } onCancel: {
            verification.cancel()
        }
        switch answer ?? .undetermined(unanswered) {
        case .verified(let receipt): return receipt
        case .rejected(let reasons): throw .rejected(reasons)
        case .undetermined(let reason): throw .undetermined(reason)
        }
    }

    /// Records the contents of an app receipt, and sends events about it. A purchase or receipt that could not
    /// be recorded is reported by an event too, and recording it is retried when the receipt is next read.
    func apply(_ receipt: SignedAppReceipt) async {
        let unrecorded: [UnrecordedPurchase]
        do {
            unrecorded = try await queue.record(receipt, includingPurchases: recordsPurchases)
        } catch {
            return state.send(.ledger(.failed(error)))
        }
        state.send(.receipt(.validated(receipt)))
        for purchase in unrecorded { state.send(.receipt(.purchaseNotRecorded(purchase))) }
    }
}

extension ReceiptFailure {
    /// `true` if a new receipt may resolve the failure; `false` if the current receipt is for another app or
    /// environment or was rejected by the app's server, because a new receipt would fail in the same way.
    var mayBeMended: Bool {
        switch self {
        case .missing: true
        case .rejected(let reasons):
            !reasons.contains { [.app, .environment, .bundleIdentifier].contains($0.code) }
        case .undetermined, .store: false
        }
    }
}
