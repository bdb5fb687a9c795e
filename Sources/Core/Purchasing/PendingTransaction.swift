public import Foundation
public import VitrineReceipts
public import VitrineSupport

/// Transaction that stays with the store because it could not be delivered.
public struct PendingTransaction: Sendable, Hashable, Identifiable {
    /// Identifier of the transaction in the store.
    public let id: String
    /// Product identifier in the unverified transaction; `nil` if the transaction cannot be read.
    public let productIdentifier: String?
    /// Type of the product in the unverified transaction; `nil` if the transaction cannot be read.
    package let productType: SignedProductKind?
    public let state: State
    /// Date of the last delivery attempt.
    public let date: Date

    /// Reason why the transaction was not delivered.
    public enum State: Sendable, Hashable, CustomStringConvertible {
        /// The transaction is retried automatically.
        case waiting(WaitingReason)
        /// The transaction cannot be trusted. It stays with the store until the app discards it.
        case rejected([RejectionReason])

        /// Description of the reason, as a sentence without capital letter and period.
        public var description: String {
            switch self {
            case .waiting(let reason): reason.description
            case .rejected(let reasons): reasons.joinedReasons
            }
        }
    }
}

/// Error thrown when a transaction cannot be discarded.
public typealias DiscardError = CodedError<DiscardErrorCode>

/// Category of ``DiscardError``.
public enum DiscardErrorCode: String, ErrorCode {
    /// The store has no unfinished transaction with the given identifier.
    case notFound = "not-found"
    /// The transaction was not rejected. It cannot be discarded, because the customer has paid for it.
    case notRejected = "not-rejected"
    /// The store's transactions cannot be read or finished.
    case store

    public var advice: String? {
        switch self {
        case .notFound: "Read the pending transactions again: this transaction is not among them anymore."
        case .notRejected: "Leave the transaction: it is delivered automatically."
        case .store: "Connect to the internet and try again later."
        }
    }
}
