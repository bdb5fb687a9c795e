internal import VitrineEntitlements

/// Result of an exchange with the other devices of the customer.
public struct ExchangeReport: Sendable, Hashable {
    /// Number of facts that this device has published.
    public internal(set) var sent = 0
    /// Number of facts of other devices that are new here.
    public internal(set) var received = 0
    /// Wallets whose balances were adjusted to what the facts of all devices amount to.
    public internal(set) var adjusted: [AdjustedWallet] = []
    /// Documents and facts that were not recorded, or not as their devices have them: the first thousand.
    public internal(set) var problems: [ExchangeProblem] = []
    /// `true` if there is more to read than one exchange reads.
    public internal(set) var isCutShort = false
    /// Number of all problems.
    public internal(set) var problemCount = 0

    /// Sequence numbers of the entries that each merge has recorded.
    var recorded: [ClosedRange<Int64>] = []

    /// Wallet whose balance was adjusted.
    public struct AdjustedWallet: Sendable, Hashable {
        public var wallet: String
        /// Number of units that were added or, below zero, removed.
        public var amount: Int
        /// Number of units that the devices have spent apart from each other and that the wallet did not contain, in
        /// all; they are forgiven or owed.
        public var overdrawn: Int
    }

    mutating func add(_ problem: ExchangeProblem) {
        problemCount += 1
        if problems.count < 1_000 { problems.append(problem) }
    }

    mutating func take(_ merge: LedgerMerge) {
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

/// Document or fact of another device that was not recorded, or not as the device has it.
public struct ExchangeProblem: Sendable, Hashable {
    public var document: String
    /// Identifier of the device, as the document names it.
    public var device: String
    /// Reason, as the rest of a sentence.
    public var reason: String
    /// `false` if the document is read again by the next exchange.
    public var isFinal: Bool
}
