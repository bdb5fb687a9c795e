internal import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Balance of a wallet, computed from the facts of all devices of a customer in the order of their moments. It does not
/// depend on the order in which a ledger has received the facts.
///
/// - A credit, deposit or debit that several devices have recorded is counted once, with the values of the earliest
///   record.
/// - A debit removes units from the wallet. Units that the wallet does not contain are overdrawn: forgiven, or owed.
/// - A revocation removes units according to the refund policy of the credit, at the date of the refund, or directly
///   after the credit if the credit is later. A reversed revocation removes nothing.
struct WalletFold {
    private(set) var balance = 0
    /// Number of units that were spent beyond the balance.
    private(set) var overdrawn = 0

    /// Record of a fact on one device.
    private struct Occurrence {
        let moment: Date
        let amount: Int
        let policy: RefundPolicy

        func isBefore(_ other: Occurrence) -> Bool {
            (moment, amount, policy.rawValue) < (other.moment, other.amount, other.policy.rawValue)
        }
    }

    private struct Step {
        /// Order of additions, revocations and debits with the same moment, which belong to different devices.
        enum Rank: Int { case addition, revocation, debit }

        let moment: Date
        let rank: Rank
        let key: String
        let change: Change

        func isBefore(_ other: Step) -> Bool {
            (moment, rank.rawValue, key) < (other.moment, other.rank.rawValue, other.key)
        }
    }

    private enum Change {
        case add(Int)
        case debit(Int)
        case revoke(Fact.Revocation, of: Occurrence)
    }

    /// Computes the balance of a wallet.
    ///
    /// - Parameters:
    ///   - entries: Entries that belong to the wallet.
    ///   - policy: Policy for units that were spent beyond the balance.
    ///   - revocation: Function that returns the revocation of a purchase, unless it was reversed.
    /// - Throws: ``LedgerError`` `invalidFact` if a balance exceeds 64 bits, and errors of `revocation`.
    init(
        _ entries: [LedgerEntry], overdrafts policy: OverdraftPolicy,
        revocation: (_ purchaseID: String) throws -> Fact.Revocation?
    ) throws {
        var steps: [Step] = []
        for (subject, first) in Self.firstOccurrences(in: entries) {
            let change: Change = subject.kind == .debit ? .debit(first.amount) : .add(first.amount)
            steps.append(
                Step(
                    moment: first.moment, rank: subject.kind == .debit ? .debit : .addition, key: subject.key,
                    change: change))
            guard subject.kind == .credit, let revocation = try revocation(subject.key) else { continue }
            steps.append(
                Step(
                    moment: max(first.moment, revocation.revocationDate), rank: .revocation, key: subject.key,
                    change: .revoke(revocation, of: first)))
        }
        steps.sort { $0.isBefore($1) }
        for step in steps { try apply(step.change, policy) }
    }

    private static func firstOccurrences(in entries: [LedgerEntry]) -> [FactKey: Occurrence] {
        var first: [FactKey: Occurrence] = [:]
        first.reserveCapacity(entries.count)
        for entry in entries {
            let subject: FactKey
            var policy = RefundPolicy.ignore
            switch entry.fact {
            case .credit(let credit):
                subject = FactKey(kind: .credit, key: credit.purchaseID)
                policy = credit.refundPolicy
            case .deposit(let deposit): subject = FactKey(kind: .deposit, key: deposit.token)
            case .debit(let debit): subject = FactKey(kind: .debit, key: debit.token)
            case .counterpart(let counterpart):
                subject = FactKey(kind: counterpart.kind, key: counterpart.subject)
                policy = counterpart.refundPolicy ?? .ignore
            default: continue
            }
            guard let amount = entry.fact.units else { continue }
            let occurrence = Occurrence(moment: entry.moment, amount: amount, policy: policy)
            if first[subject]?.isBefore(occurrence) != true { first[subject] = occurrence }
        }
        return first
    }

    private mutating func apply(_ change: Change, _ policy: OverdraftPolicy) throws {
        switch change {
        case .add(let amount): try add(amount)
        case .revoke(let revocation, of: let credit):
            try add(-revocation.units(ofCredit: credit.amount, credit.policy, from: balance))
        case .debit(let amount):
            let missing = amount - min(amount, max(0, balance))
            let (sum, overflows) = overdrawn.addingReportingOverflow(missing)
            guard !overflows else { throw Self.overflow }
            overdrawn = sum
            try add(policy == .owed ? -amount : missing - amount)
        }
    }

    private mutating func add(_ amount: Int) throws {
        let (sum, overflows) = balance.addingReportingOverflow(amount)
        guard !overflows else { throw Self.overflow }
        balance = sum
    }

    private static let overflow = LedgerError(
        code: .invalidFact, reason: "the balance of a wallet would exceed 64 bits")
}

extension Fact {
    /// Number of units of a credit, deposit, debit or counterpart.
    fileprivate var units: Int? {
        if case .counterpart(let counterpart) = self {
            counterpart.units?.amount
        } else {
            walletChange.map { abs($0.amount) }
        }
    }
}

extension Fact.Revocation {
    /// Returns the units that the revocation removes from the wallet of its purchase; below zero if it returns units,
    /// `nil` for none. A revocation that replaces another one changes the units only if it refunds another part.
    ///
    /// - Parameters:
    ///   - balance: Balance of the wallet.
    ///   - earlier: State before the revocation.
    package func debit(of credit: Fact.Credit, from balance: Int, after earlier: RevocationState?) -> WalletAmount? {
        guard earlier?.revocation?.part != part else { return nil }
        let debited = earlier?.debited?.amount ?? 0
        // Units that an earlier refund has left to the customer are not removed by a later one.
        let growth = share(of: credit.amount) - (earlier?.revocation?.share(of: credit.amount) ?? 0)
        let change: Int
        switch credit.refundPolicy {
        case .debt: change = max(growth, -debited)
        case .clawback where growth > 0: change = min(growth, max(0, balance))
        case .clawback:
            let (before, overflows) = balance.addingReportingOverflow(debited)
            change = min(share(of: credit.amount), overflows ? .max : max(0, before)) - debited
        case .ignore: change = 0
        }
        return change == 0 ? nil : WalletAmount(wallet: credit.wallet, amount: change)
    }

    /// Returns the number of units that the revocation removes from a wallet.
    ///
    /// - Parameters:
    ///   - amount: Number of units that the purchase has credited.
    ///   - policy: Refund policy of the credit.
    ///   - balance: Balance of the wallet.
    fileprivate func units(ofCredit amount: Int, _ policy: RefundPolicy, from balance: Int) -> Int {
        switch policy {
        case .clawback: min(share(of: amount), max(0, balance))
        case .debt: share(of: amount)
        case .ignore: 0
        }
    }
}
