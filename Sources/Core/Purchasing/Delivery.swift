public import VitrineCatalog
public import VitrineEntitlements
public import VitrineReceipts
public import VitrineSupport

/// Result of delivering a transaction.
public enum Delivery: Sendable {
    /// The transaction is recorded.
    case delivered(Delivered)
    /// The store has revoked the transaction, and the revocation is recorded. Products without another entitlement
    /// source are no longer owned.
    case revoked(Delivered)
    /// The transaction stays with the store, unfinished, until it can be delivered.
    case waiting(WaitingReason)
    /// The transaction cannot be trusted. It is neither delivered nor finished.
    case rejected([RejectionReason])
}

/// Transaction that is recorded, or whose revocation is recorded.
public struct Delivered: Sendable {
    public let transaction: SignedTransaction
    /// `true` if this delivery recorded the transaction; `false` if the ledger already contained it.
    public let isNew: Bool
    /// `true` if this process recorded the transaction; `false` if an earlier launch or another process did.
    public let isRecordedHere: Bool
    /// Sequence number of the purchase in the ledger; 0 for a revocation.
    public let sequence: Int64
    /// Error of finishing the transaction with the store; `nil` if it succeeded. Finishing is retried at the next
    /// opportunity.
    public let finishError: StoreError?
    /// `true` for a period of a subscription that is recorded without its units, and was not finished, because the
    /// store did not list it as unfinished: another device may have delivered it. If the store lists it later, it is
    /// delivered with its units.
    public let isLeftUnfinished: Bool
}

/// Reason why a transaction cannot be delivered now.
public enum WaitingReason: Sendable, Hashable, CustomStringConvertible {
    /// The signature of the transaction could not be verified yet; the associated value is the reason as text.
    case verification(String)
    /// No catalog is loaded, so that the product is not defined.
    case catalogNotLoaded
    /// The catalog does not contain the product.
    case unknownProduct(String)
    /// The product has different types in the catalog and in the store.
    case kindMismatch(catalog: ProductKind, store: ProductKind)
    /// The product is a consumable without a wallet or value in the catalog.
    case noWallet(String)
    /// This version of Vitrine does not know the product's type.
    case unknownKind(String)
    /// The product is a subscription whose end neither the transaction nor the catalog determines.
    case noDuration(String)
    /// The ledger did not record the transaction.
    case ledger(LedgerError)
    /// The transaction is recorded, but the content that it unlocks is not installed.
    case content(ContentProviderError)
    /// The transaction is recorded, but the app's delivery handler has postponed its delivery. The associated value is
    /// the reason as text.
    case handler(String)
    /// The app's own verification or delivery of the transaction has not ended within the limit
    /// (``HookLimit``). The transaction goes on as soon as it ends.
    case hookRunning

    /// Description of the reason, as a sentence without capital letter and period.
    public var description: String {
        switch self {
        case .verification(let reason): "the transaction could not be verified: \(reason)"
        case .catalogNotLoaded: "no catalog is loaded"
        case .unknownProduct(let identifier): "\(identifier) is not in the catalog"
        case .kindMismatch(let catalog, let store):
            "the product is \(catalog.rawValue) in the catalog and \(store.rawValue) in the store"
        case .noWallet(let identifier):
            "the catalog has no storageKey or no usable productValue for \(identifier)"
        case .unknownKind(let identifier): "this version of Vitrine does not know the product type of \(identifier)"
        case .noDuration(let identifier): "the subscription \(identifier) has no known end"
        case .ledger(let error): error.reason
        case .content(let error): "the content is not installed: \(error.reason)"
        case .handler(let reason): "the app has postponed the delivery of the transaction: \(reason)"
        case .hookRunning: "the app's own verification or delivery of the transaction has not ended yet"
        }
    }
}

/// Step in the delivery of a transaction. The cases are in the order of the steps.
public enum TransactionStep: Sendable {
    case received(StoreTransaction)
    case verified(SignedTransaction)
    /// The ledger contains the transaction; `isNew` is `true` if this delivery recorded it.
    case recorded(SignedTransaction, isNew: Bool)
    /// The store has revoked the transaction, and the ledger contains the revocation; `isNew` is `true` if this
    /// delivery recorded it.
    case revoked(SignedTransaction, isNew: Bool)
    /// The content of these products, which the transaction unlocks, is installed.
    case contentInstalled(SignedTransaction, products: [String])
    case finished(SignedTransaction)
    /// The transaction is delivered, but could not be finished with the store.
    case notFinished(SignedTransaction, StoreError)
    /// The transaction is recorded and not finished here, because the store does not list it as unfinished: another device
    /// has finished it. The period of a subscription is recorded without its units.
    case leftUnfinished(SignedTransaction)
    /// The transaction waits no longer, because the store does not list it as unfinished any more: whoever has finished it
    /// has delivered it.
    case settledElsewhere(PendingTransaction)
    case waiting(StoreTransaction, WaitingReason)
    case rejected(StoreTransaction, [RejectionReason])
    /// The signed renewal data of a subscription could not be verified and is ignored.
    case renewalIgnored(SignedTransaction, reason: String)
    /// The app discarded a rejected transaction: it is finished without having been delivered.
    case discarded(StoreTransaction)
}

/// Provider of the content that purchased products require before they can be used.
public protocol ContentProvider: Sendable {
    /// Returns `true` if content that a recorded purchase unlocks must be downloaded. The download may take long, so
    /// that other transactions do not wait for it. If it cannot be determined whether content is missing, the result is
    /// `false`, and ``installContent(unlockedBy:)`` throws the cause.
    func lacksContent(unlockedBy transaction: SignedTransaction) async -> Bool

    /// Installs the missing content that a recorded purchase unlocks: the content of its product, and of all products
    /// in the product. If everything is installed, a call changes nothing.
    ///
    /// - Returns: The products whose content was installed by this call.
    /// - Throws: ``ContentProviderError`` if some of the content is not installed. The transaction then stays with the
    ///   store.
    func installContent(unlockedBy transaction: SignedTransaction) async throws(ContentProviderError) -> [String]
}

/// Error thrown when content cannot be installed.
public typealias ContentProviderError = CodedError<ContentProviderErrorCode>

/// Category of ``ContentProviderError``.
public enum ContentProviderErrorCode: String, ErrorCode {
    /// The content cannot be downloaded now, or is invalid.
    case unavailable
    /// Data on this device cannot be read or written: no space, no permission, an I/O error.
    case storage

    public var advice: String? {
        switch self {
        case .unavailable: "Connect to the internet and try again later. The purchase is kept."
        case .storage: "Free space on the device. The purchase is kept."
        }
    }
}
