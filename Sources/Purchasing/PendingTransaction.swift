public import Foundation
public import Receipts

/// Transaction that stays with the store because it could not be delivered.
public struct PendingTransaction: Sendable, Hashable, Identifiable {
    /// Identifier under which the store knows the transaction.
    public let id: String
    /// Product identifier that the unverified transaction claims; `nil` if the transaction cannot be read.
    public let productIdentifier: String?
    public let state: State
    /// Date of the last delivery attempt.
    public let date: Date

    /// Reason why the transaction is not delivered.
    public enum State: Sendable, Hashable, CustomStringConvertible {
        /// The transaction is retried automatically.
        case waiting(WaitingReason)
        /// The transaction cannot be trusted. It stays until it is discarded.
        case rejected([RejectionReason])

        /// Description of the reason, as a sentence without capital letter and period.
        public var description: String {
            switch self {
            case .waiting(let reason): reason.description
            case .rejected(let reasons): reasons.inWords
            }
        }
    }
}

/// Error of discarding a transaction.
public struct DiscardError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Category of a discard error. Later versions may add more.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The store has no such transaction.
        public static let notFound = Code("not-found")
        /// The transaction has not been rejected: it has been paid for.
        public static let notRejected = Code("not-rejected")
        /// The store's transactions cannot be read or finished.
        public static let store = Code("store")
    }

    public let code: Code
    /// Description of the error, as a sentence without capital letter and period.
    public let reason: String

    public var description: String { reason }
}
