internal import VitrineEntitlements
internal import VitrineSupport

/// Recomputation of all wallets from the entries of a ledger, from the first to the last.
///
/// The recomputation finds entries with a wrong number of units, even if the balance is correct because of a forged
/// entry.
struct WalletAudit {
    /// Descriptions of the entries with a wrong number of units.
    private(set) var problems: [String] = []
    private var balances: [String: Int] = [:]
    private var credits: [String: Fact.Credit] = [:]
    private var revocationStates: [String: RevocationState] = [:]

    init(_ entries: [LedgerEntry]) {
        for entry in entries {
            if let problem = problem(with: entry) { problems.append("entry \(entry.sequence) \(problem)") }
            apply(entry.fact)
        }
    }

    private func problem(with entry: LedgerEntry) -> String? {
        switch entry.fact {
        case .credit(let credit): credit.amount > 0 ? nil : "credits \(credit.units)"
        case .deposit(let deposit): deposit.amount > 0 ? nil : "deposits \(amountText(entry.fact.walletChange))"
        // Debits of another device may exceed the balance.
        case .debit(let debit) where entry.device == nil: problem(with: debit)
        case .revocation(let revocation):
            compare("removes", revocation.debited, expected: units(removedBy: revocation))
        case .reinstatement(let reinstatement):
            compare(
                "returns", reinstatement.credited,
                expected: revocationStates[reinstatement.origin.purchaseID]?.debited)
        default: nil
        }
    }

    private func problem(with debit: Fact.Debit) -> String? {
        let balance = balances[debit.wallet, default: 0]
        guard debit.amount < 1 || debit.amount > balance else { return nil }
        return "debits \(debit.amount) from the wallet \"\(debit.wallet)\", which had \(balance)"
    }

    /// Returns the units that a revocation removes according to the refund policy of the purchase's credit; `nil` if
    /// there are none.
    private func units(removedBy revocation: Fact.Revocation) -> WalletAmount? {
        let purchaseID = revocation.origin.purchaseID
        guard let credit = credits[purchaseID] else { return nil }
        return revocation.debit(
            of: credit, from: balances[credit.wallet, default: 0], after: revocationStates[purchaseID])
    }

    private func compare(_ verb: String, _ said: WalletAmount?, expected: WalletAmount?) -> String? {
        said == expected
            ? nil : "\(verb) \(amountText(said)), but the entries before it require \(amountText(expected))"
    }

    private func amountText(_ units: WalletAmount?) -> String {
        units.map { "\($0.amount) of \"\($0.wallet)\"" } ?? "nothing"
    }

    private mutating func apply(_ fact: Fact) {
        // The snapshot that is compared with the displayed state refuses sums of more than 64 bits.
        if let change = fact.walletChange {
            balances[change.wallet] = balances[change.wallet, default: 0].addingSaturated(change.amount)
        }
        switch fact {
        case .credit(let credit): credits[credit.purchaseID] = credit
        case .revocation, .reinstatement:
            guard let purchaseID = fact.origin?.purchaseID else { return }
            revocationStates[purchaseID] = RevocationState(fact, after: revocationStates[purchaseID])
        default: break
        }
    }
}
