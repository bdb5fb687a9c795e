internal import Entitlements
internal import Receipts

/// Purchase that is recorded and announced, and not finished.
struct RecordedPurchase: Sendable {
    let signed: SignedTransaction
    let transaction: StoreTransaction
    /// `true` if this delivery recorded the purchase; `false` if it was in the ledger before.
    let isNew: Bool
    /// Sequence number of the purchase in the ledger.
    let sequence: Int64
    /// `true` if the transaction is delivered on its own account, and not only restored.
    let isAwaited: Bool
    /// Note to record once the app has delivered the purchase, if it was recorded from a receipt.
    let undelivered: Fact?

    /// `true` if content must be installed before the transaction is finished.
    var awaitsContent: Bool { isAwaited && signed.payload.type != .consumable }
}
