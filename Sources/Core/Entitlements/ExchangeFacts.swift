public import Foundation
public import VitrineCatalog

extension Fact {
    /// Another device's record of a fact that this ledger contains too. Every device uses the record of the app's server,
    /// or else the earliest record of a fact: its number of units, and its position in the order of the facts. Of the
    /// records of a non-renewing subscription, every device uses the latest end.
    public struct Counterpart: Sendable, Hashable {
        /// Kind of the fact that both devices have recorded: a credit, deposit, debit, grant or lock, or the purchase of a
        /// non-renewing subscription.
        public var kind: Kind
        /// Key of the fact that both devices have recorded.
        public var subject: String
        /// Units that the other device has recorded; `nil` for a grant, lock or purchase.
        public var units: WalletAmount?
        /// Refund policy that the other device has recorded; `nil` for facts other than credits.
        public var refundPolicy: RefundPolicy?
        /// End of the grant or of the non-renewing subscription in the other device's record; `nil` for a grant without
        /// an end, and for other facts.
        public var expirationDate: Date?
        public var device: String
        /// Position of the other device's record in the order of the facts.
        public var moment: Date

        public init(
            kind: Kind, subject: String, units: WalletAmount? = nil, refundPolicy: RefundPolicy? = nil,
            expirationDate: Date? = nil, device: String, moment: Date
        ) {
            self.kind = kind
            self.subject = subject
            self.units = units
            self.refundPolicy = refundPolicy
            self.expirationDate = expirationDate
            self.device = device
            self.moment = moment
        }
    }

    /// Correction of a balance after an exchange. The corrected balance follows from the facts of all devices in their
    /// common order; the amount is its difference from the balance in the order in which this ledger received the
    /// facts.
    public struct Adjustment: Sendable, Hashable {
        public var token: String
        public var wallet: String
        /// Number of added units; negative for removed units.
        public var amount: Int
        /// Total number of units that devices have spent from the wallet beyond its balance; 0 if there are none.
        public var overdrawn: Int
        /// Reason for the correction, as text.
        public var reason: String

        public init(token: String, wallet: String, amount: Int, overdrawn: Int = 0, reason: String) {
            self.token = token
            self.wallet = wallet
            self.amount = amount
            self.overdrawn = overdrawn
            self.reason = reason
        }
    }

    /// Units of a wallet that are reserved for the device that records the lease. Other devices do not spend them.
    public struct Lease: Sendable, Hashable {
        public var token: String
        public var wallet: String
        /// Number of units; above zero, and at most ``largestAmount``.
        public var amount: Int
        /// Date from which the device no longer spends the units. Other devices can spend the remaining units after a
        /// further time, ``grace``.
        public var expirationDate: Date

        /// Time in seconds that other devices wait after the end of a lease, so that they receive the debits of its
        /// device.
        public static let grace: TimeInterval = 86_400
        /// Maximum number of units of a lease.
        public static let largestAmount = WalletAmount.largest

        public init(token: String, wallet: String, amount: Int, expirationDate: Date) {
            self.token = token
            self.wallet = wallet
            self.amount = amount
            self.expirationDate = expirationDate
        }
    }

    /// Early return of leased units by the device of the lease.
    public struct Release: Sendable, Hashable {
        /// Token of the lease.
        public var token: String

        public init(token: String) { self.token = token }
    }
}

extension Fact.Deposit {
    /// Prefix of the token of a wallet's starting balance, which every customer receives once.
    private static let startingBalancePrefix = "starting-balance:"

    /// Creates the starting balance of a wallet.
    package init(startingBalance amount: Int, of wallet: String) {
        self.init(
            token: Self.startingBalancePrefix + wallet, wallet: wallet, amount: amount,
            reason: "starting balance of every customer")
    }

    /// `true` for the starting balance of a wallet, which every customer receives once.
    package var isOfEveryCustomer: Bool { token.hasPrefix(Self.startingBalancePrefix) }

    /// Creates the deposit that replaces another device's credit while this ledger lacks the purchase of the credit. If
    /// the purchase arrives, it is recorded without a credit.
    package static func creditElsewhere(of purchaseID: String, wallet: String, amount: Int) -> Fact.Deposit {
        Fact.Deposit(
            token: tokenOfCreditElsewhere(purchaseID), wallet: wallet, amount: amount,
            reason: "credited on another device for the purchase \(purchaseID)")
    }

    static func tokenOfCreditElsewhere(_ purchaseID: String) -> String { prefixOfCreditElsewhere + purchaseID }

    /// Identifier of the purchase whose credit the deposit replaces; `nil` for other deposits.
    var purchaseCreditedElsewhere: String? {
        token.hasPrefix(Self.prefixOfCreditElsewhere)
            ? String(token.dropFirst(Self.prefixOfCreditElsewhere.count)) : nil
    }

    private static let prefixOfCreditElsewhere = "credited elsewhere: "
}

/// Policy for units that the devices of a customer have spent beyond the balance of the wallet. All devices of a
/// customer must use the same policy.
public enum OverdraftPolicy: String, Sendable, Hashable, CaseIterable {
    /// The units are forgiven: the balance of the wallet is zero. Debits of the app's server are forgiven only the units
    /// that debits of devices, and refunds that take what is left, have removed.
    case forgiven
    /// The units are a debt of the customer: the balance of the wallet is negative until it receives enough units.
    case owed
}

/// Fact that another device has recorded.
public struct ExchangedFact: Sendable, Hashable {
    public var fact: Fact
    /// Position of the fact in the common order of the devices: the entry's ``LedgerEntry/moment`` on the other device.
    public var moment: Date
    /// Identifier of the other device.
    public var device: String

    public init(fact: Fact, moment: Date, device: String) {
        self.fact = fact
        self.moment = moment
        self.device = device
    }
}

/// Reason why a fact of another device was not recorded, or recorded with changes.
public enum MergeProblem: Sendable, Hashable {
    /// The fact refers to a fact that is missing. It can be recorded when the missing fact is.
    case waiting(String)
    /// A different fact is recorded under the same key. If both affect the same wallet, the record of the app's server is
    /// used, otherwise the earlier one.
    case contradiction(String)
    /// The fact is invalid, so that no ledger records it.
    case invalid(String)

    public var reason: String {
        switch self {
        case .waiting(let reason), .contradiction(let reason), .invalid(let reason): reason
        }
    }
}

/// Result of recording facts of other devices.
public struct LedgerMerge: Sendable, Hashable {
    /// New entries, including adjustments of balances.
    public var entries: [LedgerEntry] = []
    /// Problems by the index of the affected fact.
    public var problems: [Int: MergeProblem] = [:]

    public init() {}
}
