internal import VitrineEntitlements
internal import VitrineSupport

/// Credits in an imported document that are left out with their purchases, because the ledger records later refunds.
///
/// Debits in the document may have spent their units, and other units do not cover the debits. Adjustments therefore
/// add the units, and remove in the end those that the refunds take back. The units that a refund takes back are
/// computed again from the balances that the import leads to, because the store does not sign them.
struct RefundedCredits {
    /// Revocations that the ledger records, by purchase.
    private let revocations: [String: Fact.Revocation]
    private let recorded: Set<FactKey>
    private var leftOut: [Fact.Credit] = []
    /// New credits of the document, by purchase.
    private var credits: [String: Fact.Credit] = [:]
    /// States of the purchases that revocations in the document have led to.
    private var states: [String: RevocationState] = [:]
    private var balances: [String: Int] = [:]

    init(revocations: [String: Fact.Revocation], recorded: [LedgerEntry]) {
        self.revocations = revocations
        self.recorded = Set(recorded.map { FactKey($0.fact) })
        for entry in recorded { addUnits(entry.fact.walletChange) }
    }

    /// Follows a fact of the document, in the order of the document.
    mutating func follow(_ fact: Fact) {
        switch fact {
        case .revocation(let revocation): revoke(revocation)
        case .reinstatement(let reinstatement):
            addUnits(states.removeValue(forKey: reinstatement.origin.purchaseID)?.debited)
        case .credit(let credit):
            guard !isRecorded(fact), !isRecorded(Self.addition(of: credit)) else { return }
            credits[credit.purchaseID] = credit
            addUnits(fact.walletChange)
        default: if !isRecorded(fact) { addUnits(fact.walletChange) }
        }
    }

    /// Adds a credit that is left out, and returns the adjustment that takes its place.
    mutating func add(_ credit: Fact.Credit) -> Fact {
        leftOut.append(credit)
        return Self.addition(of: credit)
    }

    /// Adjustments that remove what the refunds take back.
    var removals: [Fact] {
        var end = self
        return leftOut.compactMap { credit in
            if let revocation = revocations[credit.purchaseID] { end.revoke(revocation) }
            guard let units = end.states[credit.purchaseID]?.debited?.amount, units > 0 else { return nil }
            return Self.adjustment(
                of: credit, by: units.negatedSaturated,
                token: Fact.Adjustment.prefixOfImportedRefund + credit.purchaseID,
                because: "the refund of the purchase \(credit.purchaseID)")
        }
    }

    private mutating func revoke(_ revocation: Fact.Revocation) {
        let purchaseID = revocation.origin.purchaseID
        guard let credit = credits[purchaseID] else { return }
        let earlier = states[purchaseID]
        var revocation = revocation
        revocation.debited = revocation.debit(of: credit, from: balances[credit.wallet, default: 0], after: earlier)
        addUnits(Fact.revocation(revocation).walletChange)
        states[purchaseID] = RevocationState(.revocation(revocation), after: earlier)
    }

    private mutating func addUnits(_ units: WalletAmount?) {
        guard let units else { return }
        balances[units.wallet] = balances[units.wallet, default: 0].addingSaturated(units.amount)
    }

    private func isRecorded(_ fact: Fact) -> Bool { recorded.contains(FactKey(fact)) }

    private static func addition(of credit: Fact.Credit) -> Fact {
        adjustment(
            of: credit, by: credit.amount, token: Fact.Adjustment.prefixOfImportedCredit + credit.purchaseID,
            because: "units of the purchase \(credit.purchaseID), which were spent before its refund")
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
