public import Foundation
internal import ProductCatalog

/// A fact in its place in a ledger.
public struct LedgerEntry: Sendable, Hashable {
    /// Its number: above zero, and higher than that of every entry before it.
    public let sequence: Int64
    public let recordedAt: Date
    public let fact: Fact

    public init(sequence: Int64, recordedAt: Date, fact: Fact) {
        self.sequence = sequence
        self.recordedAt = recordedAt
        self.fact = fact
    }
}

/// Keeps facts for ever, in the order in which they were recorded.
///
/// A fact is unique by its kind and key: recording it again changes nothing. Nothing is ever changed or removed.
///
/// Beside the facts it keeps numbers that only grow, and what is only worth keeping until something newer comes.
public protocol Ledger: Sendable {
    /// Records facts, all of them or none, and returns only once they are as durable as the ledger makes them.
    ///
    /// What the store says about a purchase counts in the order in which it was signed. A revocation takes what its
    /// purchase had credited out of the wallet again, by the refund policy of the credit. A purchase that was signed
    /// after its revocation is recorded with its reinstatement, which gives that back; one that is known, but says
    /// something else about a subscription's period, is recorded as a term. A receipt is recorded together with the first
    /// new fact that was read from it, and not without one.
    ///
    /// - Returns: The entries of what was not known yet.
    /// - Throws: ``LedgerError``: `insufficientFunds` where a debit is larger than its wallet's balance, `conflict`
    ///   where a fact contradicts one that is recorded under the same key, `revoked` for a purchase that the store has
    ///   taken back since it was signed, `invalidFact` for an amount or quantity that is not above zero, a credit
    ///   without its purchase, or a wallet that would grow past 64 bits; `unavailable` or `damaged` where the storage
    ///   fails. In each case nothing is recorded.
    func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry]

    /// The entries after one, in order; all of them after 0.
    ///
    /// - Throws: ``LedgerError`` where the storage fails.
    func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry]

    /// The number of the last entry; 0 in an empty ledger.
    ///
    /// - Throws: ``LedgerError`` where the storage fails.
    func lastSequence() async throws(LedgerError) -> Int64

    /// The entry of a fact.
    ///
    /// - Throws: ``LedgerError`` where the storage fails.
    func entry(of kind: Fact.Kind, key: String) async throws(LedgerError) -> LedgerEntry?

    /// Whether the store has taken a purchase back, and not given it back since.
    ///
    /// - Throws: ``LedgerError`` where the storage fails.
    func isRevoked(_ purchaseID: String) async throws(LedgerError) -> Bool

    /// What ownership and balances are computed from, without the rest: quick to read from a ledger of any length.
    ///
    /// - Throws: ``LedgerError`` where the storage fails.
    func standing() async throws(LedgerError) -> LedgerStanding

    /// Raises a number to a value, unless it is as high already, and returns only once that is durable.
    ///
    /// Of several that raise a number at once, each gets what is the highest then.
    ///
    /// - Returns: The number as it is now.
    /// - Throws: ``LedgerError``: `invalidName` for an empty name, or where the storage fails.
    func raise(_ name: String, to value: Int64) async throws(LedgerError) -> Int64

    /// - Returns: `nil` for a number that was never raised.
    /// - Throws: ``LedgerError``: `invalidName` for an empty name, or where the storage fails.
    func highest(_ name: String) async throws(LedgerError) -> Int64?

    /// Keeps something in the place of what was kept under that name before, and returns only once that is durable.
    ///
    /// - Throws: ``LedgerError``: `invalidName` for an empty name, `tooLarge` for more than 16 MiB, or where the storage
    ///   fails. What was kept before then stays.
    func keep(_ data: Data, as name: String) async throws(LedgerError)

    /// - Returns: `nil` where nothing was kept under that name.
    /// - Throws: ``LedgerError``: `invalidName` for an empty name, `tooLarge` where somebody else has put in more, or where the storage fails.
    func kept(_ name: String) async throws(LedgerError) -> Data?
}

extension Ledger {
    /// Records facts that are all recorded at one time, as ``append(_:)`` does.
    ///
    /// - Throws: ``LedgerError``, as ``append(_:)`` does.
    public func append(_ facts: [Fact], at date: Date) async throws(LedgerError) -> [LedgerEntry] {
        try await append(facts.map { DatedFact(fact: $0, date: date) })
    }
}

/// A fact with the time at which it is recorded.
public struct DatedFact: Sendable, Hashable {
    public var fact: Fact
    public var date: Date

    public init(fact: Fact, date: Date) {
        self.fact = fact
        self.date = date
    }
}

/// What ownership and balances are computed from.
public struct LedgerStanding: Sendable, Hashable {
    /// The number of the last entry of the whole ledger; 0 in an empty one.
    public var lastSequence: Int64
    /// The entries that something may be owned because of, or not, in order; their signed data is left out.
    public var entries: [LedgerEntry]
    /// The balance of each wallet that was ever changed.
    public var balances: [String: Int]

    public init(lastSequence: Int64, entries: [LedgerEntry], balances: [String: Int]) {
        self.lastSequence = lastSequence
        self.entries = entries
        self.balances = balances
    }
}

extension Fact {
    /// Nobody owns anything because of it, or does not: it counts units, or tells of content.
    public var isNoMatterOfOwnership: Bool {
        switch self {
        case .purchase(let purchase): purchase.kind == .consumable
        case .credit, .deposit, .debit, .content: true
        default: false
        }
    }
}

/// Why a ledger did not do what it was asked to.
public struct LedgerError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        private init(_ description: String) { self.description = description }

        /// A wallet holds less than is to be taken from it.
        public static let insufficientFunds = Code("insufficient-funds")
        /// Something else is recorded under the same key.
        public static let conflict = Code("conflict")
        /// The store has taken the purchase back.
        public static let revoked = Code("revoked")
        /// The fact cannot be true.
        public static let invalidFact = Code("invalid-fact")
        /// The storage cannot be read or written now: no space, no permission, an I/O error, a lock held too long.
        public static let unavailable = Code("unavailable")
        /// The storage is no ledger, or a broken one.
        public static let damaged = Code("damaged")
        /// The storage was written by a later version of Vitrine.
        public static let newerVersion = Code("newer-version")
        /// What a number or a thing is kept under is no name.
        public static let invalidName = Code("invalid-name")
        /// It is more than one document or one kept thing can hold.
        public static let tooLarge = Code("too-large")
    }

    public let code: Code
    /// What happened, as the rest of a sentence.
    public let reason: String

    public init(code: Code, reason: String) {
        self.code = code
        self.reason = reason
    }

    public var description: String { reason }

    /// A debit that is larger than the balance.
    public static func insufficientFunds(_ debit: Fact.Debit, balance: Int) -> LedgerError {
        LedgerError(
            code: .insufficientFunds,
            reason: "the wallet \"\(debit.wallet)\" holds \(balance), and \(debit.amount) were asked for")
    }

    /// A fact that contradicts a recorded one.
    public static func conflict(_ fact: Fact) -> LedgerError {
        LedgerError(
            code: .conflict, reason: "another \(fact.kind.rawValue) is recorded under \"\(fact.key)\"")
    }

    /// A purchase that the store has taken back.
    public static func revoked(_ transactionID: String) -> LedgerError {
        LedgerError(code: .revoked, reason: "the store has taken transaction \(transactionID) back")
    }
}
