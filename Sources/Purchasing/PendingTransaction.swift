public import Foundation
public import Receipts

/// A transaction that stays with the store because it could not be delivered.
public struct PendingTransaction: Sendable, Hashable, Identifiable {
    /// The identifier under which the store knows it.
    public let id: String
    /// What it claims to be for; `nil` where it cannot be read.
    public let productIdentifier: String?
    public let state: State
    /// When it was looked at last.
    public let date: Date

    /// Why it is not delivered.
    public enum State: Sendable, Hashable, CustomStringConvertible {
        /// It is tried again by itself.
        case waiting(WaitingReason)
        /// It cannot be trusted. It stays until it is discarded.
        case rejected([RejectionReason])

        /// Why, as the rest of a sentence.
        public var description: String {
            switch self {
            case .waiting(let reason): reason.description
            case .rejected(let reasons): reasons.inWords
            }
        }
    }
}

/// Why a transaction was not discarded.
public struct DiscardError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The store holds no such transaction.
        public static let notFound = Code("not-found")
        /// It has not been rejected: somebody has paid for it.
        public static let notRejected = Code("not-rejected")
        /// The store cannot be asked or told.
        public static let store = Code("store")
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public var description: String { reason }
}
