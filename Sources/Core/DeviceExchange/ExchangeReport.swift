internal import VitrineEntitlements

/// Result of an exchange with the other devices of the customer.
public struct ExchangeReport: Sendable, Hashable {
    /// Number of facts that this device has published.
    public internal(set) var sent = 0
    /// Number of facts of other devices that this device has newly recorded.
    public internal(set) var received = 0
    /// Wallets whose balances were adjusted to the total of the facts of all devices.
    public internal(set) var adjusted: [AdjustedWallet] = []
    /// Documents and facts that were not recorded, or recorded with changes. At most the first 1,000.
    public internal(set) var problems: [ExchangeProblem] = []
    /// `true` if the exchange has reached its limit of bytes to read, so that another exchange must read the rest.
    public internal(set) var isCutShort = false
    /// Number of all problems, including those that ``problems`` omits.
    public internal(set) var problemCount = 0

    /// Ranges of sequence numbers of the recorded entries, one range for each merge.
    var recorded: [ClosedRange<Int64>] = []

    /// Wallet whose balance an exchange has adjusted.
    public struct AdjustedWallet: Sendable, Hashable {
        public var wallet: String
        /// Number of added units; negative for removed units.
        public var amount: Int
        /// Total number of units that the devices have spent beyond the balance, because they did not know of each
        /// other's debits. The units are forgiven or owed.
        public var overdrawn: Int
    }

    mutating func add(_ problem: ExchangeProblem) {
        problemCount += 1
        if problems.count < 1_000 { problems.append(problem) }
    }

    mutating func add(_ merge: LedgerMerge) {
        if let first = merge.entries.first?.sequence, let last = merge.entries.last?.sequence {
            recorded.append(first...last)
        }
        for entry in merge.entries {
            if case .adjustment(let adjustment) = entry.fact {
                adjusted.append(
                    AdjustedWallet(
                        wallet: adjustment.wallet, amount: adjustment.amount, overdrawn: adjustment.overdrawn))
            } else {
                received += 1
            }
        }
    }
}

/// Document or fact of another device that was not recorded, or recorded with changes.
public struct ExchangeProblem: Sendable, Hashable {
    public var document: String
    /// Identifier of the device, as stated in the document.
    public var device: String
    /// Reason for the problem, in lower case and without a period.
    public var reason: String
    /// `false` if the document is read again by the next exchange.
    public var isFinal: Bool
}
