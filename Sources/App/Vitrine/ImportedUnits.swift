internal import VitrineEntitlements
internal import VitrineSupport

/// Credits in an imported document that are left out with their purchases, because the ledger records later refunds.
///
/// Debits in the document may have spent their units, and other units do not cover the debits. Adjustments therefore
/// add the units, and remove in the end those that the refunds take back.
struct RefundedCredits {
    /// Revocations that the ledger records, by purchase.
    private let revocations: [String: Fact.Revocation]
    private var credits: [Fact.Credit] = []
    /// Units that revocations in the document have removed, by purchase; 0 for one that has removed none.
    private var removed: [String: Int] = [:]
    /// Balances of the wallets in the document.
    private var balances: [String: Int] = [:]

    init(revocations: [String: Fact.Revocation]) { self.revocations = revocations }

    /// Follows the balances of the document.
    mutating func follow(_ fact: Fact) {
        let change = fact.walletChange
        if let change {
            balances[change.wallet] = balances[change.wallet, default: 0].addingSaturated(change.amount)
        }
        guard case .revocation(let revocation) = fact else { return }
        let purchaseID = revocation.origin.purchaseID
        removed[purchaseID] = removed[purchaseID, default: 0].subtractingSaturated(change?.amount ?? 0)
    }

    /// Adds a credit that is left out, and returns the adjustment that takes its place.
    mutating func add(_ credit: Fact.Credit) -> Fact {
        credits.append(credit)
        return Self.adjustment(
            of: credit, by: credit.amount, token: Fact.Adjustment.prefixOfImportedCredit + credit.purchaseID,
            because: "units of the purchase \(credit.purchaseID), which were spent before its refund")
    }

    /// Adjustments that remove what the refunds take back: as the document says, or else by the policy of the credit.
    var removals: [Fact] {
        var balances = balances
        return credits.compactMap { credit in
            let balance = balances[credit.wallet, default: 0]
            let taken = revocations[credit.purchaseID]?.debit(of: credit, from: balance, after: nil)?.amount ?? 0
            let units = removed[credit.purchaseID] ?? taken
            if removed[credit.purchaseID] == nil { balances[credit.wallet] = balance.subtractingSaturated(units) }
            guard units > 0 else { return nil }
            return Self.adjustment(
                of: credit, by: units.negatedSaturated,
                token: Fact.Adjustment.prefixOfImportedRefund + credit.purchaseID,
                because: "the refund of the purchase \(credit.purchaseID)")
        }
    }

    private static func adjustment(
        of credit: Fact.Credit, by amount: Int, token: String, because reason: String
    ) -> Fact {
        .adjustment(Fact.Adjustment(token: token, wallet: credit.wallet, amount: amount, reason: reason))
    }
}

extension Fact.Adjustment {
    fileprivate static let prefixOfImportedCredit = "imported credit of "
    fileprivate static let prefixOfImportedRefund = "imported refund of "

    /// `true` if an import has recorded the adjustment for a refunded purchase. The ledger lacks the purchase, so that
    /// a further import of its facts needs the adjustment too.
    var isOfImport: Bool {
        token.hasPrefix(Self.prefixOfImportedCredit) || token.hasPrefix(Self.prefixOfImportedRefund)
    }
}

/// Starting balances in an imported document that this ledger has already received, maybe under another catalog. A
/// wallet receives its starting balance once: only what the other ledger has received in addition is imported.
struct ReceivedStartingBalances {
    /// Received units by the token of the deposit.
    private let units: [String: Int]

    init(_ entries: [LedgerEntry]) {
        let deposits = entries.compactMap { entry in
            if case .deposit(let deposit) = entry.fact, deposit.isOfEveryCustomer {
                (deposit.token, deposit.amount)
            } else {
                nil
            }
        }
        units = Dictionary(deposits) { first, _ in first }
    }

    /// Returns an entry with only those units of a starting balance that this ledger has not received; `nil` if there
    /// are none. Any other entry is returned as it is.
    func rest(of entry: LedgerEntry) -> LedgerEntry? {
        guard case .deposit(var deposit) = entry.fact, let received = units[deposit.token] else { return entry }
        guard deposit.amount > received else { return nil }
        deposit.amount -= received
        deposit.token += " of an imported ledger"
        return LedgerEntry(
            sequence: entry.sequence, recordedAt: entry.recordedAt, fact: .deposit(deposit), moment: entry.moment)
    }
}
