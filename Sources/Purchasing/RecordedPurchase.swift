internal import Entitlements
internal import Receipts

/// A purchase that is recorded and announced, and not finished.
struct RecordedPurchase: Sendable {
    let signed: SignedTransaction
    let transaction: StoreTransaction
    /// This delivery recorded it; otherwise it was in the ledger before.
    let isNew: Bool
    /// Its number in the ledger.
    let sequence: Int64
    /// It is delivered for its own sake, and not only restored.
    let isAwaited: Bool
    /// What is noted once the app has delivered it, where it was recorded from a receipt.
    let undelivered: Fact?

    /// Content has to be there before it is finished.
    var awaitsContent: Bool { isAwaited && signed.payload.type != .consumable }
}
