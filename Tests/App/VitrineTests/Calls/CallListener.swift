import Vitrine
import VitrinePurchasing

/// Listener that records the callbacks of a call's handlers or delegate, each as one word.
@MainActor
final class CallListener: StoreCallDelegate {
    private let heard = AsyncStream<String>.makeStream()
    private let verdict: AppVerification
    private(set) var names: [String] = []
    /// Names of the products whose transactions the listener was asked to verify.
    private(set) var asked: [String] = []
    /// Result of the last restore.
    private(set) var restored: RestoreResult?

    init(verdict: AppVerification = .verified) { self.verdict = verdict }

    func hear(_ word: String) {
        names.append(word)
        heard.continuation.yield(word)
    }

    func next() async -> String? {
        for await word in heard.stream { return word }
        return nil
    }

    /// Handlers with all closures.
    var handlers: PurchaseHandlers {
        PurchaseHandlers(
            onSuccess: { self.purchaseSucceeded($0) }, onRestore: { self.purchaseRestored($0) },
            onFailure: { self.hear("failed \($0.code)") }, onCancel: { self.hear("cancelled") },
            onPending: { self.hear("pending \($0.word)") })
    }

    /// Handlers with the required closures only.
    var fewHandlers: PurchaseHandlers {
        PurchaseHandlers(
            onSuccess: { self.purchaseSucceeded($0) }, onFailure: { self.hear("failed \($0.code)") })
    }

    // MARK: StoreCallDelegate

    func productsFetched(_ products: [StoreProduct], invalidIdentifiers: [String]) {
        hear("fetched \(products.map(\.identifier.name)), not \(invalidIdentifiers.map(\.name))")
    }
    func productsFetchFailed(_ error: StoreError) { hear("not fetched: \(error.code)") }
    func purchaseSucceeded(_ transaction: SignedTransaction) {
        hear("succeeded \(transaction.payload.productIdentifier.name)")
    }
    func purchaseRestored(_ transaction: SignedTransaction) {
        hear("restored \(transaction.payload.productIdentifier.name)")
    }
    func purchaseFailed(_ failure: PurchaseFailure, of identifier: String) { hear("failed \(failure.code)") }
    func purchaseCancelled(of identifier: String) { hear("cancelled") }
    func purchasePending(_ reason: PendingReason, of identifier: String) { hear("pending \(reason.word)") }
    func verification(of transaction: SignedTransaction) async -> AppVerification {
        asked.append(transaction.payload.productIdentifier.name)
        return verdict
    }
    func restoreSucceeded(_ result: RestoreResult) {
        restored = result
        hear("restore: \(result.restored.map(\.name)), had \(result.alreadyOwned.map(\.name))")
    }
    func restoreFailed(_ error: StoreError) { hear("not restored: \(error.code)") }
}

/// Delegate that implements only the methods without a default implementation.
@MainActor
final class PlainListener: StoreCallDelegate {
    private let heard = AsyncStream<String>.makeStream()

    func next() async -> String? {
        for await word in heard.stream { return word }
        return nil
    }

    func purchaseSucceeded(_ transaction: SignedTransaction) { heard.continuation.yield("succeeded") }
    func purchaseFailed(_ failure: PurchaseFailure, of identifier: String) {
        heard.continuation.yield("failed \(failure.code)")
    }
}

extension PendingReason {
    fileprivate var word: String {
        switch self {
        case .askToBuy: "approval"
        case .interrupted: "issue"
        case .planChange: "plan change"
        case .verification: "verification"
        case .outcomeUnknown, .content, .delivery: "\(self)"
        }
    }
}

extension String {
    /// Last component of an identifier.
    var name: String { split(separator: ".").last.map(String.init) ?? self }
}
