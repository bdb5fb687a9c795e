public import Receipts

/// What a call to buy something comes to.
public enum PurchaseAnswer: Sendable {
    /// Paid for, recorded and finished. `notChargedAgain`: the store answered with a transaction that it had before.
    case success(SignedTransaction, notChargedAgain: Bool)
    /// Not yet decided. What comes of it is told by events.
    case pending(PendingReason)
    /// The customer changed their mind.
    case cancelled
    case failed(PurchaseFailure)
}

/// What a purchase waits for.
public enum PendingReason: Sendable, Hashable {
    /// Somebody else's approval.
    case askToBuy
    /// The store gave no answer: whether the customer was charged is not known. A transaction, if there is one, comes
    /// with the unfinished ones.
    case outcomeUnknown(StoreError)
    /// The transaction could not be verified yet.
    case verification(String)
    /// The customer has paid and owns it, and its content is not in place yet.
    case content(ContentProviderError)
    /// The customer has paid, and the transaction waits to be delivered.
    case delivery(WaitingReason)
}

/// Why a purchase failed.
public struct PurchaseFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The customer changed their mind, and is told so as of a failure.
        public static let cancelled = Code("cancelled")
        /// The catalog does not have the product.
        public static let notInCatalog = Code("not-in-catalog")
        /// The product is not on offer; the reason says why.
        public static let notOffered = Code("not-offered")
        /// The product is owned otherwise than by its own transaction.
        public static let alreadyOwned = Code("already-owned")
        /// A purchase of the same product has not been answered yet.
        public static let inProgress = Code("in-progress")
        /// The quantity is not between 1 and 10, or not 1 for something that is bought once.
        public static let invalidQuantity = Code("invalid-quantity")
        /// The customer must not buy anything on this device; the reason says why.
        public static let notAllowed = Code("not-allowed")
        /// The store does not sell it.
        public static let notAvailable = Code("not-available")
        /// The customer cannot have the offer.
        public static let invalidOffer = Code("invalid-offer")
        /// The store cannot be reached. Nothing was bought.
        public static let network = Code("network")
        /// What became of an earlier purchase of the product is not known yet.
        public static let outcomeUnknown = Code("outcome-unknown")
        /// The store failed. Nothing was bought.
        public static let store = Code("store")
        /// The store answered with a purchase of something else, which is delivered all the same.
        public static let otherProduct = Code("other-product")
        /// What the store keeps on this device cannot be read or written.
        public static let storage = Code("storage")
        /// What is owned already cannot be read.
        public static let ledger = Code("ledger")
        /// What the store answered cannot be trusted: nothing is delivered, and the transaction stays with the store.
        public static let rejected = Code("rejected")
        /// The store answered with a purchase that it has taken back.
        public static let revoked = Code("revoked")
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }
}

/// What restoring came to. Nothing that was owned is lost by it, but for what the store itself has taken back.
public struct RestoreResult: Sendable, Hashable {
    /// A transaction that could not be restored.
    public struct Failure: Sendable, Hashable {
        public let transactionID: String
        public let reason: FailureReason
    }

    /// Why a transaction could not be restored.
    public enum FailureReason: Sendable, Hashable, CustomStringConvertible {
        /// It cannot be delivered now. The next restore tries again.
        case waiting(WaitingReason)
        /// It cannot be trusted.
        case rejected([RejectionReason])

        /// Why, as the rest of a sentence.
        public var description: String {
            switch self {
            case .waiting(let reason): reason.description
            case .rejected(let reasons): reasons.inWords
            }
        }
    }

    /// The products whose purchase was not in the ledger and is now.
    public internal(set) var restored: [String] = []
    /// The products whose purchase was in the ledger already.
    public internal(set) var alreadyOwned: [String] = []
    /// The products of which the store has taken a purchase back, where the ledger did not have that yet.
    public internal(set) var takenBack: [String] = []
    /// The products whose purchase belongs to another account of the app than the one that was asked for.
    public internal(set) var otherAccounts: [String] = []
    /// What could not be restored.
    public internal(set) var failed: [Failure] = []

    /// The store had nothing to restore.
    public var isEmpty: Bool {
        restored.isEmpty && alreadyOwned.isEmpty && takenBack.isEmpty && otherAccounts.isEmpty && failed.isEmpty
    }
}

extension PurchaseAnswer {
    /// What a delivery comes to for the call that asked for it.
    ///
    /// A transaction that was unfinished before the store was asked, or recorded by then, was not charged for again; one
    /// of another quantity is not the one that was asked for.
    ///
    /// - Parameter quantity: What was asked for; `nil` where an earlier call did.
    init(
        _ delivery: Delivery, of transaction: StoreTransaction, asked identifier: String, quantity: Int?,
        before: StateBeforePurchase
    ) {
        switch delivery {
        case .delivered(let delivered):
            let payload = delivered.transaction.payload
            guard payload.productIdentifier == identifier else {
                self = .failed(
                    PurchaseFailure(
                        code: .otherProduct,
                        reason: "the store answered with a purchase of \(payload.productIdentifier)"))
                return
            }
            self = .success(
                delivered.transaction,
                notChargedAgain: before.unfinished.contains(transaction.id)
                    || delivered.sequence <= before.lastSequence
                    || quantity.map { $0 != payload.quantity } ?? true)
        case .revoked:
            self = .failed(
                PurchaseFailure(code: .revoked, reason: "the store has taken transaction \(transaction.id) back"))
        case .waiting(.verification(let reason)): self = .pending(.verification(reason))
        case .waiting(.content(let error)): self = .pending(.content(error))
        case .waiting(let reason): self = .pending(.delivery(reason))
        case .rejected(let reasons):
            self = .failed(PurchaseFailure(code: .rejected, reason: reasons.inWords))
        }
    }
}

extension PurchaseFailure {
    /// The store could not be asked something before the purchase: nothing was attempted.
    package init(unanswered error: StoreError) {
        let code: Code =
            switch error.code {
            case .storage: .storage
            case .network: .network
            default: .store
            }
        self.init(code: code, reason: error.reason)
    }

    /// - Returns: `nil` where it is not known whether something was bought.
    init?(_ error: StoreError) {
        let code: Code
        switch error.code {
        case .invalidQuantity: code = .invalidQuantity
        case .productNotAvailable: code = .notAvailable
        case .notAllowed: code = .notAllowed
        case .invalidOffer: code = .invalidOffer
        default: return nil
        }
        self.init(code: code, reason: error.reason)
    }
}

extension [RejectionReason] {
    /// All reasons in one phrase.
    package var inWords: String { map(\.detail).joined(separator: "; ") }
}
