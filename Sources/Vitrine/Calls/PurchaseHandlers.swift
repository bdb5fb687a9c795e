public import Purchasing
public import Receipts

/// Closures that receive the result of one purchase call. All but ``onVerify`` are called on the main actor.
public struct PurchaseHandlers: Sendable {
    /// Called once the purchase is paid, recorded and finished.
    public var onSuccess: @MainActor @Sendable (SignedTransaction) -> Void
    /// Called instead if the store answered with an earlier purchase and charged nothing; `nil` for ``onSuccess``.
    public var onRestore: (@MainActor @Sendable (SignedTransaction) -> Void)?
    public var onFailure: @MainActor @Sendable (PurchaseFailure) -> Void
    /// Called if the customer cancelled; `nil` for ``onFailure`` with the code `cancelled`.
    public var onCancel: (@MainActor @Sendable () -> Void)?
    /// Called if the result is not known yet; events report it later. `nil` to ignore that.
    public var onPending: (@MainActor @Sendable (PendingReason) -> Void)?
    /// Verification of the transaction after Vitrine's own and `AppHooks.verification`; `nil` for these alone. It applies to
    /// the transaction of this call for as long as the process runs, also after ``onPending``. A verification that must
    /// precede every delivery, also after a relaunch, belongs in `AppHooks.verification`.
    public var onVerify: TransactionVerification?

    public init(
        onSuccess: @escaping @MainActor @Sendable (SignedTransaction) -> Void,
        onRestore: (@MainActor @Sendable (SignedTransaction) -> Void)? = nil,
        onFailure: @escaping @MainActor @Sendable (PurchaseFailure) -> Void,
        onCancel: (@MainActor @Sendable () -> Void)? = nil,
        onPending: (@MainActor @Sendable (PendingReason) -> Void)? = nil,
        onVerify: TransactionVerification? = nil
    ) {
        self.onSuccess = onSuccess
        self.onRestore = onRestore
        self.onFailure = onFailure
        self.onCancel = onCancel
        self.onPending = onPending
        self.onVerify = onVerify
    }

    @MainActor
    func take(_ answer: PurchaseAnswer) {
        switch answer {
        case .success(let transaction, notChargedAgain: true): (onRestore ?? onSuccess)(transaction)
        case .success(let transaction, notChargedAgain: false): onSuccess(transaction)
        case .pending(let reason): onPending?(reason)
        case .failed(let failure): onFailure(failure)
        case .cancelled:
            guard let onCancel else {
                return onFailure(PurchaseFailure(code: .cancelled, reason: "the customer cancelled the purchase"))
            }
            onCancel()
        }
    }
}
