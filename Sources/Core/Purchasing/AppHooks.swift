public import VitrineReceipts

/// Hooks with which an app takes part in processing transactions. All are optional.
///
/// A hook holds up the transaction that it verifies or delivers. Loads, restores and the end of the manager wait for it
/// only within a limit (``HookLimit``); a purchase waits for the hooks of its own transaction as long as they take.
///
/// A hook may call the manager. Within the hook, a call waits for no load and no delivery, because these may wait for
/// the hook: it is answered without that wait, or, if there is no answer without it (purchases, restores, the retry of
/// pending transactions), refused at once with the code `withinHook`. The task of the hook and each task that it starts
/// with `Task { }` count as within the hook, until it ends. A detached task is not recognized: a hook that awaits one in
/// which the manager is called may be held up for as long as the limit.
public struct AppHooks: Sendable {
    /// Additional verification by the app, for example with its own server. It is called before a transaction that
    /// Vitrine has verified is recorded. A rejected transaction is not delivered; an undetermined one stays with the
    /// store and is verified again later.
    public var verification: TransactionVerification?
    /// Delivery handler. It is called after a transaction is recorded and its content is installed, and before the
    /// transaction is finished.
    public var delivery: (any DeliveryHandler)?

    public init(
        verification: TransactionVerification? = nil,
        delivery: (any DeliveryHandler)? = nil
    ) {
        self.verification = verification
        self.delivery = delivery
    }
}

/// Function with which an app verifies a transaction, after Vitrine has verified it.
public typealias TransactionVerification = @Sendable (SignedTransaction) async -> AppVerification

/// Result of an app's verification of a transaction.
public enum AppVerification: Sendable, Hashable {
    case verified
    /// The transaction must not be delivered; the associated value is the reason as text.
    case rejected(String)
    /// The result cannot be determined now; the associated value is the reason as text.
    case undetermined(String)
}

/// Delivery of purchases by the app, in addition to the ownership and wallets that Vitrine records.
public protocol DeliveryHandler: Sendable {
    /// Delivers the purchase of a transaction. Ownership and wallets are already recorded.
    ///
    /// The handler is called for each unfinished transaction of the store, and for a finished one that a launch or a
    /// restore records. If it postpones the delivery of a finished one, or the process ends before it has decided, it is
    /// called again when the products are loaded or purchases are restored. It is not called for purchases in a receipt. If
    /// a purchase was recorded from a receipt or by another device, the handler is called once, when the transaction of the
    /// purchase first arrives.
    ///
    /// The process may end between the call and the finishing of the transaction. The handler is then called again for
    /// the same transaction at the next launch, and must recognize it by its identifier. Two managers over one storage
    /// directory, in one process or in two, may call it for one transaction too, because each of them receives the
    /// transaction from the store; wallets are credited once nevertheless.
    ///
    /// The handler has no time limit, and is not canceled. What it may do with the manager is described at
    /// ``AppHooks``.
    func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision
}

/// Decision of a delivery handler.
public enum DeliveryDecision: Sendable, Hashable {
    /// The transaction can be finished.
    case delivered
    /// The transaction stays with the store and is delivered again later; the associated value is the reason as text.
    case retryLater(String)
}

extension AppHooks {
    /// Creates hooks that confirm each transaction with the app's own server.
    ///
    /// ```swift
    /// options.purchases.hooks = AppHooks(server: ServerVerifier(url: url, bundleIdentifier: "com.example.voyager"))
    /// ```
    public init(server: ServerVerifier, delivery: (any DeliveryHandler)? = nil) {
        self.init(
            verification: { transaction in
                switch await server.confirm(transaction) {
                case .verified: .verified
                case .rejected(let reasons): .rejected(reasons.joinedReasons)
                case .undetermined(let reason): .undetermined(reason)
                }
            }, delivery: delivery)
    }
}
