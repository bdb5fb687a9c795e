public import Purchasing
public import Receipts

/// What one call to buy something is answered with. Each call hears of itself alone; all but ``onVerify`` is called on the
/// main actor.
public struct PurchaseHandlers: Sendable {
    /// It is paid for, recorded and finished.
    public var onSuccess: @MainActor @Sendable (SignedTransaction) -> Void
    /// The same, where the store has answered with what was bought before, and nothing was charged; `nil` for ``onSuccess``.
    public var onRestore: (@MainActor @Sendable (SignedTransaction) -> Void)?
    public var onFailure: @MainActor @Sendable (PurchaseFailure) -> Void
    /// The customer changed their mind; `nil` for ``onFailure`` with the code `cancelled`.
    public var onCancel: (@MainActor @Sendable () -> Void)?
    /// It is not decided yet, and what comes of it is told by events; `nil` for nothing.
    public var onPending: (@MainActor @Sendable (PendingReason) -> Void)?
    /// Asked about the transaction after Vitrine's own verification and `AppHooks.verification`; `nil` for these alone. It
    /// stands before what this call brings, as long as the process lasts, also where that comes after ``onPending``: what
    /// has to stand before every delivery, also after a relaunch, is `AppHooks.verification`.
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
                return onFailure(PurchaseFailure(code: .cancelled, reason: "the customer changed their mind"))
            }
            onCancel()
        }
    }
}
