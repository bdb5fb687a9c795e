public import Foundation
public import VitrineReceipts
public import VitrineSupport

/// Result of a call to buy a product.
public enum PurchaseAnswer: Sendable {
    /// The purchase is paid, recorded and finished. `notChargedAgain` is `true` if the store answered with an existing
    /// transaction and charged nothing.
    case success(SignedTransaction, notChargedAgain: Bool)
    /// The purchase is not complete: it is undecided, or the product is delivered later. An event reports its outcome.
    case pending(PendingReason)
    /// The customer canceled the purchase.
    case cancelled
    case failed(PurchaseFailure)
}

/// Reason why a purchase is pending.
public enum PendingReason: Sendable, Hashable {
    /// The purchase needs the approval of another person.
    case askToBuy
    /// The customer has to resolve an issue with the store first, such as a payment method that is no longer valid.
    case interrupted
    /// The customer's current subscription continues until it renews, at this date; the product then replaces it. The
    /// store charges nothing until then, and the customer can change the plan again.
    case planChange(at: Date)
    /// The store did not answer, so that it is unknown whether the customer was charged. If the customer was charged,
    /// the transaction arrives with the store's unfinished transactions.
    case outcomeUnknown(StoreError)
    /// The transaction could not be verified yet.
    case verification(String)
    /// The customer has paid and owns the product, but its content is not installed yet.
    case content(ContentProviderError)
    /// The customer has paid, and the transaction waits to be delivered.
    case delivery(WaitingReason)
}

extension PurchaseAnswer {
    /// Result of the purchase as one word, for scripts.
    package var word: String {
        switch self {
        case .success: "success"
        case .pending(.planChange): "planned"
        case .pending: "pending"
        case .cancelled: "cancelled"
        case .failed: "failed"
        }
    }
}

extension PendingReason {
    package var description: String {
        switch self {
        case .askToBuy: "approval is required"
        case .interrupted: "the customer has to resolve an issue with the store; 'vitrine store resolve' does so"
        case .planChange(let date): "the change of plan takes effect when the subscription renews, at \(date.second)"
        case .outcomeUnknown(let error): "the outcome is unknown: \(error)"
        case .verification(let reason): "the transaction could not be verified: \(reason)"
        case .content(let error): "paid for and owned, but the content is not installed: \(error)"
        case .delivery(let reason): "paid for, but not delivered yet: \(reason)"
        }
    }
}

/// Error of a purchase.
public typealias PurchaseFailure = CodedError<PurchaseFailureCode>

/// Category of ``PurchaseFailure``.
public enum PurchaseFailureCode: String, ErrorCode {
    /// The customer canceled the purchase, for callers that report this as an error.
    case cancelled
    /// The catalog does not contain the product.
    case notInCatalog = "not-in-catalog"
    /// The product cannot be bought now; `reason` contains the cause.
    case notOffered = "not-offered"
    /// The customer owns the product through a bundle or grant, not through a transaction of the product itself.
    case alreadyOwned = "already-owned"
    /// Another purchase of the same product is in progress.
    case inProgress = "in-progress"
    /// The quantity is not from 1 to 10, or is not 1 for a product that can be bought only once.
    case invalidQuantity = "invalid-quantity"
    /// The customer is not allowed to buy on this device; `reason` contains the cause.
    case notAllowed = "not-allowed"
    /// The store does not sell the product.
    case notAvailable = "not-available"
    /// The customer is not eligible for the promotional offer, or the signature of the promotional offer is invalid.
    case invalidOffer = "invalid-offer"
    /// The store cannot be reached. Nothing was bought.
    case network
    /// The outcome of an earlier purchase of the product is not known yet.
    case outcomeUnknown = "outcome-unknown"
    /// The store failed. Nothing was bought.
    case store
    /// The store answered with a purchase of another product. That purchase is delivered nevertheless.
    case otherProduct = "other-product"
    /// The store's data on this device cannot be read or written.
    case storage
    /// The ledger with the owned products cannot be read or written.
    case ledger
    /// The store's transaction cannot be trusted. It is not delivered and stays with the store.
    case rejected
    /// The store answered with a purchase that it has revoked.
    case revoked
    /// The call was made within a hook of the app, and refused at once, because it would have to wait for work that the
    /// hook holds up.
    case withinHook = "within-hook"

    public var advice: String? {
        switch self {
        case .cancelled: "Buy again to complete the purchase. Nothing was charged."
        case .notInCatalog: "Load a catalog that contains the product."
        case .notOffered: "Load the products again, and buy the product once its listing says that it can be bought."
        case .alreadyOwned: "Use the product: it does not have to be bought again."
        case .inProgress: "Wait until the other purchase of the product has ended."
        case .invalidQuantity: "Choose another quantity."
        case .notAllowed: "Allow purchases in the settings of the device."
        case .notAvailable: "Check in App Store Connect that the product is for sale in this storefront."
        case .invalidOffer: "Buy without the promotional offer, or let the server sign it again."
        case .network: "Connect to the internet and try again. Nothing was charged."
        case .outcomeUnknown: "Wait until the store has reported the earlier purchase. Buying again might charge twice."
        case .store: "Try again later. Nothing was charged."
        case .otherProduct: "Check which product was delivered before buying again."
        case .storage, .ledger:
            "Free space on the device and check the permissions of the app's folders, then try again."
        case .rejected: "Do not buy again: contact the support of the app, which can examine the transaction."
        case .revoked: "Buy the product again if it is still wanted."
        case .withinHook: StoreErrorCode.withinHook.advice
        }
    }
}

/// State of ledger and store before a purchase call. It is used to distinguish a new transaction from an older one.
struct StateBeforePurchase {
    /// Number of the last entry in the ledger.
    private(set) var lastSequence: Int64
    /// Number of times that another ledger had replaced the one in use.
    private var replacements: Int
    /// Identifiers of the transactions that the store listed as unfinished.
    let unfinished: Set<String>
    /// Latest date at which the store had signed recorded data.
    private let latestSignedDate: Date

    init(lastSequence: Int64, unfinished: Set<String>, replacements: Int = 0, latestSignedDate: Date = .distantPast) {
        (self.lastSequence, self.unfinished) = (lastSequence, unfinished)
        (self.replacements, self.latestSignedDate) = (replacements, latestSignedDate)
    }

    /// Follows a change of the ledger, because each ledger numbers its entries itself.
    ///
    /// - Parameter present: Number of times that another ledger has replaced the one in use.
    mutating func follow(replacements present: Int) {
        if present != replacements { (lastSequence, replacements) = (0, present) }
    }

    /// Returns `true` if a delivered transaction was unfinished or recorded before the call.
    func contains(_ delivered: Delivered) -> Bool {
        unfinished.contains(delivered.transaction.payload.transactionID) || delivered.sequence <= lastSequence
    }

    /// Returns `true` if a delivered transaction may be that of the purchase. The purchase date and the latest signing
    /// date are both by the store's clock.
    func mayBeAnswered(by delivered: Delivered) -> Bool {
        let payload = delivered.transaction.payload
        return !contains(delivered) && payload.reason != .renewal && payload.purchaseDate >= latestSignedDate
    }
}

extension PurchaseAnswer {
    /// Creates the answer to a purchase call from the delivery of a transaction.
    ///
    /// The answer is ``success(_:notChargedAgain:)`` with `notChargedAgain` if the call did not charge the customer.
    /// This is the case if the transaction was unfinished or recorded before the call, if another process has recorded
    /// it in the meantime, or if its quantity differs from the requested one. An earlier period that has ended is no
    /// success: the customer was not charged, and does not own the product.
    ///
    /// - Parameters:
    ///   - quantity: The requested quantity; `nil` if the customer had the transaction before the call.
    ///   - isOwned: `false` if the product is not owned after the delivery.
    init(
        _ delivery: Delivery, of transaction: StoreTransaction, asked identifier: String, quantity: Int?,
        before: StateBeforePurchase, isOwned: Bool
    ) {
        switch delivery {
        case .delivered(let delivered):
            let payload = delivered.transaction.payload
            guard payload.productIdentifier == identifier else {
                self = .failed(
                    PurchaseFailure(
                        code: .otherProduct,
                        reason: "the store answered with a purchase of \(payload.productIdentifier) instead of "
                            + identifier))
                return
            }
            let isEarlier = before.contains(delivered) || quantity == nil
            let notChargedAgain = isEarlier || !delivered.isRecordedHere || quantity != payload.quantity
            if !isOwned, payload.hasPeriod, isEarlier || payload.hadEndedWhenSigned {
                self = .failed(
                    PurchaseFailure(
                        code: .store,
                        reason: "the store answered with an earlier period of \(identifier), which has ended "
                            + "(transaction \(transaction.id))"))
                return
            }
            self = .success(delivered.transaction, notChargedAgain: notChargedAgain)
        case .revoked:
            self = .failed(
                PurchaseFailure(code: .revoked, reason: "the store has revoked transaction \(transaction.id)"))
        case .waiting(.verification(let reason)): self = .pending(.verification(reason))
        case .waiting(.content(let error)): self = .pending(.content(error))
        case .waiting(let reason): self = .pending(.delivery(reason))
        case .rejected(let reasons):
            self = .failed(PurchaseFailure(code: .rejected, reason: reasons.joinedReasons))
        }
    }
}

extension TransactionPayload {
    /// `true` if the purchase gives access for a period only.
    fileprivate var hasPeriod: Bool { type == .autoRenewableSubscription || type == .nonRenewingSubscription }

    /// `true` if the period had ended by the store's clock, so that it is not the period of a new purchase, whatever
    /// the clock of the device shows.
    fileprivate var hadEndedWhenSigned: Bool { expiresDate.map { $0 <= signedDate } ?? false }
}

extension PurchaseFailure {
    /// Creates the error for a store request that failed before the purchase was submitted. Nothing was bought.
    package init(unanswered error: StoreError) {
        let code: Code =
            switch error.code {
            case .storage: .storage
            case .network: .network
            default: .store
            }
        self.init(code: code, reason: error.reason)
    }

    /// Creates the error for a failed purchase.
    ///
    /// - Returns: `nil` if it is unknown whether the product was bought.
    init?(_ error: StoreError) {
        let code: Code
        switch error.code {
        case .invalidQuantity: code = .invalidQuantity
        case .productNotAvailable: code = .notAvailable
        case .notAllowed: code = .notAllowed
        case .invalidOffer: code = .invalidOffer
        case .notSubmitted: code = .store
        default: return nil
        }
        self.init(code: code, reason: error.reason)
    }
}

extension [RejectionReason] {
    /// Reasons of a rejection in one text, separated by semicolons.
    package var joinedReasons: String { map(\.reason).joined(separator: "; ") }
}
