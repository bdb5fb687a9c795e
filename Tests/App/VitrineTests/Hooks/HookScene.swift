import Foundation
import Synchronization
import Testing
import Vitrine
import VitrineHostedContent
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Function of the app that a manager awaits.
enum AppHook: String, Sendable, CaseIterable, CustomTestStringConvertible {
    case verification = "verification"
    case callVerification = "verification of a call"
    case delivery = "delivery"
    case receipt = "receipt verifier"
    case download = "decision about a download"

    var testDescription: String { rawValue }
}

/// Function of a test that the next call of a hook runs, once.
final class HookBody: Sendable {
    private let body = Mutex<(@Sendable () async -> Void)?>(nil)

    func set(_ body: @escaping @Sendable () async -> Void) { self.body.withLock { $0 = body } }

    func run() async {
        let body = body.withLock { body in
            defer { body = nil }
            return body
        }
        await body?()
    }
}

private struct RunningDelivery: DeliveryHandler {
    let body: HookBody

    func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision {
        await body.run()
        return .delivered
    }
}

/// Verifier that leaves each receipt undetermined.
private struct RunningReceiptVerifier: ReceiptVerifier {
    let body: HookBody

    func verify(receipt data: Data) async -> Verification<SignedAppReceipt> {
        await body.run()
        return .undetermined(HookCase.receiptDoubt)
    }
}

extension ManagerScene {
    /// Creates a manager that has loaded its products.
    ///
    /// - Parameters:
    ///   - body: Function that the hook runs.
    ///   - limit: Limit for hooks; by default one that never passes.
    ///   - readsReceipts: `true` to read app receipts, also if the hook is not the receipt verifier.
    func makeManager(
        running body: HookBody, in hook: AppHook,
        limit: HookLimit = HookLimit(sleep: { try await sleepUntilCancelled($0) }), readsReceipts: Bool = false
    ) async throws -> CatalogManager {
        var store = InterceptedStore(voyager.store)
        store.onAppReceipt = { () throws(StoreError) in Data("receipt".utf8) }
        store.onRefreshAppReceipt = { _ throws(StoreError) in Data("receipt".utf8) }
        let manager = try await makeManager(store: store) { options in
            options.purchases.hookLimit = limit
            if readsReceipts || hook == .receipt {
                let verifier = RunningReceiptVerifier(body: hook == .receipt ? body : HookBody())
                options.purchases.receipts = ReceiptOptions(verifier: verifier)
            }
            switch hook {
            case .verification:
                options.purchases.hooks.verification = { _ in
                    await body.run()
                    return .verified
                }
            case .delivery: options.purchases.hooks.delivery = RunningDelivery(body: body)
            case .download:
                options.content.downloads.permission = { _, _ in
                    await body.run()
                    return .allowed
                }
            case .callVerification, .receipt: break
            }
        }
        await manager.loadProducts()
        return manager
    }

    /// Makes a manager do the work for which it calls a hook, and waits for the work.
    func work(of manager: CatalogManager, running body: HookBody, in hook: AppHook) async {
        switch hook {
        case .verification, .delivery: _ = await buy("lisbon", with: manager)
        case .download: _ = await buy("rome", with: manager)
        case .receipt: await manager.loadProducts()
        case .callVerification:
            await withCheckedContinuation { continuation in
                manager.purchase(
                    .voyager("lisbon"),
                    handlers: PurchaseHandlers(
                        onSuccess: { _ in continuation.resume() }, onFailure: { _ in continuation.resume() },
                        onPending: { _ in continuation.resume() },
                        onVerify: { _ in
                            await body.run()
                            return .verified
                        }))
            }
        }
    }
}
