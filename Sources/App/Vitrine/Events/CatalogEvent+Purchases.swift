internal import Logging
internal import VitrineCatalog
public import VitrinePurchasing
public import VitrineReceipts

extension CatalogEvent {
    /// Request for a purchase, or its result.
    public enum Purchase: Sendable {
        /// The customer requested the product in the store itself.
        case promoted(String)
        /// A purchase call for the product has ended with the given answer.
        case answered(String, PurchaseAnswer)
        /// A purchase that no call waits for is complete: it was approved, was made on another device, or was left by
        /// an earlier launch.
        case completed(SignedTransaction)
    }

    /// Result of a restore.
    public enum Restore: Sendable {
        case completed(RestoreResult)
        /// Purchases that the store knows were recorded without a restore by the customer: in a new ledger, or because
        /// another device has made them, or they were refunded, while the app was not running.
        case found(RestoreResult)
        /// The store could not be queried for purchases. Owned products stay owned.
        case failed(StoreError)
    }
}

extension CatalogEvent.Purchase {
    var description: EventDescription {
        switch self {
        case .promoted(let identifier): EventDescription(.info, "purchase promoted", products: [identifier])
        case .answered(let identifier, let answer): answer.description(for: identifier)
        case .completed(let signed):
            EventDescription(
                .info, "purchase completed", products: [signed.payload.productIdentifier], details: signed.details)
        }
    }
}

extension PurchaseAnswer {
    fileprivate func description(for identifier: String) -> EventDescription {
        let text = "purchase answered"
        switch self {
        case .success(let signed, let notChargedAgain):
            return EventDescription(
                .info, text, products: [identifier],
                facts: [("answer", notChargedAgain ? "bought before" : "success")], details: signed.details)
        case .pending(let reason):
            return EventDescription(
                .info, text, products: [identifier], error: reason.error,
                facts: [("answer", "pending: \(reason.code)")], note: reason.description)
        case .cancelled:
            return EventDescription(.info, text, products: [identifier], facts: [("answer", "cancelled")])
        case .failed(let failure):
            return EventDescription(
                failure.code == .rejected ? .error : .info, text, products: [identifier], error: failure,
                facts: [("answer", "failed")])
        }
    }
}

extension PendingReason {
    fileprivate var error: (any DescribedError)? {
        switch self {
        case .outcomeUnknown(let error): error
        case .content(let error): error
        case .delivery(.ledger(let error)): error
        default: nil
        }
    }
}

extension CatalogEvent.Restore {
    var description: EventDescription {
        switch self {
        case .completed(let result): EventDescription("restore completed", result)
        case .found(let result): EventDescription("purchases found", result)
        case .failed(let error): EventDescription(.warning, "restore failed", error: error)
        }
    }
}

extension EventDescription {
    init(_ text: String, _ result: RestoreResult) {
        self.init(
            result.failed.isEmpty ? .info : .warning, text,
            products: (result.restored + result.alreadyOwned + result.ended + result.revoked).withoutDuplicates,
            listed: .nowhere,
            facts: [
                ("restored", result.restored.joined(separator: " ")), ("alreadyOwned", "\(result.alreadyOwned.count)"),
                ("ended", result.ended.joined(separator: " ")), ("revoked", result.revoked.joined(separator: " ")),
                ("otherAccounts", "\(result.otherAccounts.count)"), ("failed", "\(result.failed.count)"),
            ],
            details: result.failed.map { ("transaction \($0.transactionID)", $0.reason.description) })
    }
}
