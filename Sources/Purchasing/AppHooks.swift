public import Receipts

/// What an app may have its say in on a transaction's way. All of it is optional.
public struct AppHooks: Sendable {
    /// Asked about each transaction that Vitrine has verified, before it is recorded: the app's own server, say. A
    /// rejected one is not delivered; an undetermined one stays with the store and is asked about again.
    public var verification: TransactionVerification?
    /// Told of each transaction that is recorded and whose content is in place, before it is finished.
    public var delivery: (any DeliveryHandler)?

    public init(
        verification: TransactionVerification? = nil,
        delivery: (any DeliveryHandler)? = nil
    ) {
        self.verification = verification
        self.delivery = delivery
    }
}

/// Asks an app about a transaction that is otherwise in order.
public typealias TransactionVerification = @Sendable (SignedTransaction) async -> AppVerification

/// What an app says about a transaction that is otherwise in order.
public enum AppVerification: Sendable, Hashable {
    case verified
    /// It is not to be delivered, for a reason in words.
    case rejected(String)
    /// It cannot be told now, for a reason in words.
    case undetermined(String)
}

/// Delivers something beyond what Vitrine records itself.
public protocol DeliveryHandler: Sendable {
    /// Delivers what a transaction has bought. Ownership and wallets are recorded already.
    ///
    /// It is called for each transaction that the store holds unfinished, and for a restored one where that records it: not
    /// for what a receipt says, but once for the transaction of what was recorded from a receipt, when that first comes.
    ///
    /// The process may end after this and before the transaction is finished: then it is called again for the same
    /// transaction at the next launch, and has to recognise it by its identifier.
    func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision
}

/// What a delivery handler answers.
public enum DeliveryDecision: Sendable, Hashable {
    /// The transaction can be finished.
    case delivered
    /// It stays with the store and is delivered again later, for a reason in words.
    case retryLater(String)
}
