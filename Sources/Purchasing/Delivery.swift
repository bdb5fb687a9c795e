public import Entitlements
public import ProductCatalog
public import Receipts

/// How far a transaction came on its way to the customer.
public enum Delivery: Sendable {
    /// It is recorded.
    case delivered(Delivered)
    /// The store has taken it back, and that is recorded. What nothing else supports is not owned any more.
    case revoked(Delivered)
    /// It stays with the store, unfinished, until it can be delivered.
    case waiting(WaitingReason)
    /// It cannot be trusted. It is not delivered, and not finished either.
    case rejected([RejectionReason])
}

/// A transaction that is recorded, or whose revocation is.
public struct Delivered: Sendable {
    public let transaction: SignedTransaction
    /// This delivery recorded it; otherwise it was in the ledger before.
    public let isNew: Bool
    /// The number of its purchase, or of its revocation, in the ledger.
    public let sequence: Int64
    /// Why the store could not be told. It is told at the next opportunity.
    public let finishError: StoreError?
}

/// Why a transaction cannot be delivered now.
public enum WaitingReason: Sendable, Hashable, CustomStringConvertible {
    /// Whether it can be trusted is not known.
    case verification(String)
    /// There is no catalog that says what the product is.
    case catalogNotLoaded
    /// The catalog does not have the product.
    case unknownProduct(String)
    /// The catalog says that the product is of one kind, the store of another.
    case kindMismatch(catalog: ProductKind, store: ProductKind)
    /// The product is a consumable for which the catalog names no wallet or value.
    case noWallet(String)
    /// The product is of a kind that this version does not know.
    case unknownKind(String)
    /// The product is a subscription, and nobody says until when it lasts.
    case noDuration(String)
    /// The ledger did not record it.
    case ledger(LedgerError)
    /// It is recorded, and its content is not in place.
    case content(ContentProviderError)
    /// It is recorded, and the app's own delivery is to be tried again, for a reason in words.
    case handler(String)

    /// Why, as the rest of a sentence.
    public var description: String {
        switch self {
        case .verification(let reason): "it could not be verified: \(reason)"
        case .catalogNotLoaded: "no catalog is loaded"
        case .unknownProduct(let identifier): "\(identifier) is not in the catalog"
        case .kindMismatch(let catalog, let store):
            "the catalog says \(catalog.rawValue) and the store \(store.rawValue)"
        case .noWallet(let identifier): "the catalog names no wallet and value for \(identifier), or too large a value"
        case .unknownKind(let identifier): "\(identifier) is of a kind that this version does not know"
        case .noDuration(let identifier): "nothing says until when the subscription \(identifier) lasts"
        case .ledger(let error): error.reason
        case .content(let error): "its content is not in place: \(error.reason)"
        case .handler(let reason): "the app's delivery is to be tried again: \(reason)"
        }
    }
}

/// A step of a transaction on its way, in the order in which they happen.
public enum TransactionStep: Sendable {
    case received(StoreTransaction)
    case verified(SignedTransaction)
    /// It is in the ledger; `isNew` says whether it was not before.
    case recorded(SignedTransaction, isNew: Bool)
    /// The store has taken it back, which is in the ledger; `isNew` says whether it was not before.
    case revoked(SignedTransaction, isNew: Bool)
    /// The content of these products, which it unlocks, is installed.
    case contentInstalled(SignedTransaction, products: [String])
    case finished(SignedTransaction)
    /// The store could not be told that it is delivered.
    case notFinished(SignedTransaction, StoreError)
    case waiting(StoreTransaction, WaitingReason)
    case rejected(StoreTransaction, [RejectionReason])
    /// What came about the renewal of a subscription cannot be trusted or checked, and nothing follows from it.
    case renewalIgnored(SignedTransaction, reason: String)
    /// One that was rejected is finished without having been delivered, because the app said so.
    case discarded(StoreTransaction)
}
