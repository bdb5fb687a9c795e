public import Foundation
internal import VitrineCatalog
public import VitrineSupport

/// Fact recorded in a ledger.
public struct LedgerEntry: Sendable, Hashable {
    /// Sequence number: above zero, and higher than the numbers of all earlier entries.
    public let sequence: Int64
    /// Recording date of the fact; for a fact of another device, its ``moment``.
    public let recordedAt: Date
    public let fact: Fact
    /// Identifier of the customer's device that has recorded the fact; `nil` for the device of this ledger.
    public let device: String?
    /// Position of the fact in the common order of the customer's devices. It is the date at which the device recorded
    /// the fact, but at least one millisecond after the latest moment that the device knew. A fact therefore follows
    /// everything that its device knew, even if the clocks of the devices differ.
    public let moment: Date

    /// Creates an entry.
    ///
    /// - Parameters:
    ///   - sequence: Sequence number of the entry.
    ///   - recordedAt: Recording date of the fact.
    ///   - fact: The fact.
    ///   - device: Identifier of the device that has recorded the fact; `nil` for the device of this ledger.
    ///   - moment: Position of the fact in the common order of the devices; `nil` for the recording date.
    public init(sequence: Int64, recordedAt: Date, fact: Fact, device: String? = nil, moment: Date? = nil) {
        self.sequence = sequence
        self.recordedAt = recordedAt
        self.fact = fact
        self.device = device
        self.moment = moment ?? recordedAt
    }
}

/// Permanent storage of facts, in the order in which they were recorded.
///
/// A fact is identified by its kind and key: recording it again changes nothing. Entries are never changed or removed.
///
/// In addition to the facts, a ledger stores named counters that only increase, and named values that can be replaced.
public protocol Ledger: Sendable {
    /// Records facts, all of them or none. Returns only after they are stored as durably as this kind of ledger
    /// permits.
    ///
    /// Signed data of the store about a purchase applies in the order of the signing dates. A revocation removes the
    /// units that its purchase had credited from the wallet, according to the refund policy of the credit. A purchase
    /// that was signed after its revocation is recorded with its reinstatement, which returns those units. A known
    /// purchase with a different subscription period is recorded as a term. A receipt is recorded together with the
    /// first new fact from it, and not without a new fact.
    ///
    /// - Returns: The entries of the new facts.
    /// - Throws: ``LedgerError``: `insufficientFunds` if a debit exceeds the balance of its wallet, `conflict` if a
    ///   fact contradicts another one with the same key, `revoked` for a purchase that was signed before the store
    ///   revoked it, `invalidFact` for an amount or quantity that is not above zero, a credit without its purchase, or
    ///   a wallet whose balance would exceed 64 bits; `unavailable` or `damaged` if the storage fails. In each case
    ///   nothing is recorded.
    func append(_ facts: [DatedFact]) async throws(LedgerError) -> [LedgerEntry]

    /// Records facts of other devices of the customer and adjusts balances, in one step. The adjusted balances follow
    /// from the facts of all devices in the order of their moments. Ledgers with the same facts therefore have the same
    /// balances, no matter in which order and how often they received the facts.
    ///
    /// A debit is recorded even if it exceeds the balance, and a purchase with its credit even if a later revocation is
    /// recorded, because both have already happened. Other facts follow the rules of ``append(_:)``. A fact that cannot
    /// be recorded does not prevent the recording of others.
    ///
    /// - Parameters:
    ///   - facts: Facts of other devices.
    ///   - wallets: Additional wallets whose balances are adjusted although none of the facts affects them.
    ///   - policy: Policy for units that devices have spent beyond the balance. With `nil`, no balance is adjusted, so
    ///     that each balance is the sum of all additions and removals.
    ///   - date: Recording date of adjustments.
    /// - Throws: ``LedgerError`` if the storage fails. Nothing is recorded then.
    func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>, overdrafts policy: OverdraftPolicy?, at date: Date
    ) async throws(LedgerError) -> LedgerMerge

    /// Returns the entries after a sequence number, in order; all entries for 0.
    ///
    /// - Throws: ``LedgerError`` if the storage fails.
    func entries(after sequence: Int64) async throws(LedgerError) -> [LedgerEntry]

    /// Checks that facts can be recorded now. Called before a customer is charged.
    ///
    /// - Returns: The sequence number of the last entry; 0 for an empty ledger.
    /// - Throws: ``LedgerError`` if the storage fails, or was found damaged since the ledger was opened.
    func checkWritable() async throws(LedgerError) -> Int64

    /// Returns the entry of the fact with a kind and key.
    ///
    /// - Throws: ``LedgerError`` if the storage fails.
    func entry(of kind: Fact.Kind, key: String) async throws(LedgerError) -> LedgerEntry?

    /// Returns `true` if a purchase is revoked: the store has revoked it and not reinstated it since.
    ///
    /// - Throws: ``LedgerError`` if the storage fails.
    func isRevoked(_ purchaseID: String) async throws(LedgerError) -> Bool

    /// Returns the summary of the ledger: the entries that may affect ownership, and the balances. Ownership and
    /// balances can be computed from it, and it can be read quickly from a ledger of any length.
    ///
    /// - Throws: ``LedgerError`` if the storage fails.
    func summary() async throws(LedgerError) -> LedgerSummary

    /// Durably raises a counter to a value, unless the counter is already at least as high. A ledger stores named
    /// counters beside its entries, for example for the highest accepted version of a signed catalog.
    ///
    /// Concurrent callers that raise the same counter each receive the highest value at that time.
    ///
    /// - Returns: The current value of the counter.
    /// - Throws: ``LedgerError``: `invalidName` for an empty name, or if the storage fails.
    func advance(_ name: String, to value: Int64) async throws(LedgerError) -> Int64

    /// Returns the current value of a counter, for example of the highest accepted version of a signed catalog.
    ///
    /// - Returns: `nil` for a counter that was never raised.
    /// - Throws: ``LedgerError``: `invalidName` for an empty name, or if the storage fails.
    func highest(_ name: String) async throws(LedgerError) -> Int64?

    /// Durably stores a value under a name, replacing the earlier value.
    ///
    /// - Throws: ``LedgerError``: `invalidName` for an empty name, `tooLarge` for more than 16 MiB, or if the storage
    ///   fails. In each case the earlier value remains.
    func setValue(_ data: Data, for name: String) async throws(LedgerError)

    /// Returns the value stored under a name.
    ///
    /// - Returns: `nil` if no value is stored under that name.
    /// - Throws: ``LedgerError``: `invalidName` for an empty name, `tooLarge` if other software has stored more than 16
    ///   MiB, or if the storage fails.
    func value(for name: String) async throws(LedgerError) -> Data?
}

extension Ledger {
    /// Records facts with a common date, as ``append(_:)`` does.
    ///
    /// - Throws: ``LedgerError``, as ``append(_:)`` does.
    public func append(_ facts: [Fact], at date: Date) async throws(LedgerError) -> [LedgerEntry] {
        try await append(facts.map { DatedFact(fact: $0, date: date) })
    }
}

/// Fact with its recording date.
public struct DatedFact: Sendable, Hashable {
    public var fact: Fact
    public var date: Date
    /// `true` for a debit that is recorded only if this device has leased its units.
    public var requiresLease = false
    /// Sequence number of the last entry from which a grant or lock was decided: the fact is not recorded if the ledger
    /// has a later grant or lock of the product, after which it would have to be decided again. `nil` to record it in
    /// any case.
    package var decidedAfter: Int64?

    public init(fact: Fact, date: Date, requiresLease: Bool = false) {
        self.fact = fact
        self.date = date
        self.requiresLease = requiresLease
    }
}

/// Summary of a ledger: the data that is needed to compute ownership and balances.
public struct LedgerSummary: Sendable, Hashable {
    /// Sequence number of the last entry of the whole ledger; 0 for an empty one.
    public var lastSequence: Int64
    /// Entries that may affect ownership, in order, without their signed data.
    public var entries: [LedgerEntry]
    /// Balances of all wallets that were ever changed, by wallet name.
    public var balances: [String: Int]

    public init(lastSequence: Int64, entries: [LedgerEntry], balances: [String: Int]) {
        self.lastSequence = lastSequence
        self.entries = entries
        self.balances = balances
    }
}

extension Fact {
    /// `true` if the fact does not affect ownership: it only changes the balance of a wallet, or describes content.
    public var isNoMatterOfOwnership: Bool {
        if case .purchase(let purchase) = self { purchase.kind == .consumable } else { kind.isNoMatterOfOwnership }
    }
}

/// Error of a ledger operation.
public typealias LedgerError = CodedError<LedgerErrorCode>

/// Category of ``LedgerError``.
public enum LedgerErrorCode: String, ErrorCode {
    /// A debit exceeds the balance of its wallet.
    case insufficientFunds = "insufficient-funds"
    /// The balance of the wallet is unknown because an earlier ledger was lost.
    case balanceUnknown = "balance-unknown"
    /// A different fact is recorded under the same purchase ID, token or digest.
    case conflict
    /// The store has revoked the purchase that was to be recorded.
    case revoked
    /// The fact that was to be recorded is invalid.
    case invalidFact = "invalid-fact"
    /// The fact was signed for another App Store account than the one whose ledger is open.
    case otherAccount = "other-account"
    /// The storage cannot be read or written now: no space, no permission, an I/O error, a lock held too long.
    case unavailable
    /// The storage of the ledger was removed or replaced while it was open. No fact was recorded in the storage that
    /// has replaced it.
    case replaced
    /// The storage is not a ledger, or is corrupt.
    case damaged
    /// The storage was written by a later version of Vitrine.
    case newerVersion = "newer-version"
    /// The name of a counter or stored value is empty.
    case invalidName = "invalid-name"
    /// An exported ledger, or a value to be stored in a ledger, exceeds its maximum size.
    case tooLarge = "too-large"

    public var advice: String? {
        switch self {
        case .insufficientFunds: "Add units to the wallet, or remove fewer."
        case .balanceUnknown: "Decide which balance the customer has, and settle the loss of the ledger."
        case .conflict: "Record the fact with another token, or find out why it differs from the recorded one."
        case .revoked: "Buy the product again if it is still wanted."
        case .invalidFact: "Correct the amount, the quantity or the purchase of the fact."
        case .otherAccount: "Sign in to the App Store account of the purchase, and load the products again."
        case .unavailable: "Free space on the device and check the permissions of the ledger's folder, then try again."
        case .replaced: "Try again, which opens the ledger that is in the folder now."
        case .damaged: "Start the app again: it replaces an unreadable ledger, and reads the purchases from the store."
        case .newerVersion: "Update the app."
        case .invalidName: "Choose a name that is not empty."
        case .tooLarge: "Store less data."
        }
    }
}

extension LedgerError {
    /// Returns the error for a debit that exceeds the balance.
    ///
    /// - Parameters:
    ///   - debit: The debit.
    ///   - balance: Balance of its wallet.
    ///   - reserved: Number of units that are set aside for other devices.
    public static func insufficientFunds(_ debit: Fact.Debit, balance: Int, reserved: Int = 0) -> LedgerError {
        LedgerError(
            code: .insufficientFunds,
            reason: "the wallet \"\(debit.wallet)\" has a balance of \(balance) units"
                + (reserved > 0 ? ", of which \(reserved) are leased by other devices" : "")
                + ", fewer than the debit of \(debit.amount) units")
    }

    /// Returns the error for a fact that contradicts a recorded one.
    public static func conflict(_ fact: Fact) -> LedgerError {
        LedgerError(
            code: .conflict,
            reason: "a different \(fact.kind.rawValue) is already recorded under the identifier \"\(fact.key)\"")
    }

    /// Returns the error for a purchase that the store has revoked.
    public static func revoked(_ transactionID: String) -> LedgerError {
        LedgerError(code: .revoked, reason: "the store has revoked transaction \(transactionID)")
    }
}
