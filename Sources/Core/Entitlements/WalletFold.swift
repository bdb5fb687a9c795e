internal import Foundation
internal import VitrineCatalog
internal import VitrineSupport

/// Balance of a wallet, computed from the facts of all devices of a customer in the order of their moments. It does not
/// depend on the order in which a ledger has received the facts.
///
/// - A credit, deposit or debit that several devices have recorded is counted once, with the values of the record that
///   comes first (``FactPrecedence``).
/// - A debit removes units from the wallet. Units that the wallet does not contain are overdrawn: forgiven, or owed.
/// - A debit that the app's server has decided was paid when it was decided. Units that it lacks at its place in the
///   order are forgiven only as far as debits of devices, and refunds that take what is left, have removed units before
///   it: the balance is never above the limit, which is what was added minus what the server has debited and what
///   refunds have made a debt. Otherwise the units are owed: they were paid from a credit with a later moment, or are
///   the debt of a customer who was merged into this one.
/// - More debits never lead to a higher balance, because each step leads from a lower balance, and from a lower limit,
///   to one that is not higher.
/// - A revocation removes units according to the refund policy of the credit, at the date of the refund, or directly
///   after the credit if the credit is later. A reversed revocation removes nothing.
/// - A sum that does not fit in 64 bits is the nearest number that does, so that extreme facts leave a balance.
struct WalletFold {
    private(set) var balance = 0
    /// Number of units that were spent beyond the balance and are forgiven or owed according to the policy.
    private(set) var overdrawn = 0
    /// Units that were added, minus debits of the app's server and refunds that become a debt.
    private var limit = 0

    /// Record of a fact on one device.
    private struct Occurrence {
        let precedence: FactPrecedence
        let amount: Int
        let policy: RefundPolicy

        var moment: Date { precedence.moment }

        func isBefore(_ other: Occurrence) -> Bool {
            precedence.isBefore(other.precedence) ?? ((amount, policy.rawValue) < (other.amount, other.policy.rawValue))
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
        case debit(Int, isOfServer: Bool)
        case revoke(Fact.Revocation, of: Occurrence)
    }

    /// Computes the balance of a wallet.
    ///
    /// - Parameters:
    ///   - entries: Entries that belong to the wallet.
    ///   - policy: Policy for units that were spent beyond the balance.
    ///   - isServer: `true` for the ledger of a customer at the app's server.
    ///   - revocation: Function that returns the revocation of a purchase, unless it was reversed.
    /// - Throws: Errors of `revocation`.
    init(
        _ entries: [LedgerEntry], overdrafts policy: OverdraftPolicy, isServer: Bool,
        revocation: (_ purchaseID: String) throws -> Fact.Revocation?
    ) rethrows {
        var steps: [Step] = []
        for (subject, first) in Self.firstOccurrences(in: entries, isServer: isServer) {
            let change: Change =
                subject.kind == .debit
                ? .debit(first.amount, isOfServer: first.precedence.isOfServer) : .add(first.amount)
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
        for step in steps { apply(step.change, policy) }
    }

    private static func firstOccurrences(
        in entries: [LedgerEntry], isServer: Bool
    ) -> [(subject: FactKey, first: Occurrence)] {
        var occurrences: [(subject: FactKey, first: Occurrence)] = []
        occurrences.reserveCapacity(entries.count)
        // A ledger records a fact once, and each further record of the same fact as a counterpart.
        var hasFurtherRecords = false
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
                hasFurtherRecords = true
            default: continue
            }
            guard let amount = entry.fact.units else { continue }
            let occurrence = Occurrence(
                precedence: FactPrecedence(device: entry.device, isServer: isServer, moment: entry.moment),
                amount: amount, policy: policy)
            occurrences.append((subject, occurrence))
        }
        guard hasFurtherRecords else { return occurrences }
        let first = Dictionary(occurrences) { earlier, later in earlier.isBefore(later) ? earlier : later }
        return first.map { ($0.key, $0.value) }
    }

    private mutating func apply(_ change: Change, _ policy: OverdraftPolicy) {
        switch change {
        case .add(let amount):
            balance = balance.addingSaturated(amount)
            limit = limit.addingSaturated(amount)
        case .revoke(let revocation, of: let credit):
            let units = revocation.units(ofCredit: credit.amount, credit.policy, from: balance)
            balance = balance.subtractingSaturated(units)
            if credit.policy == .debt { limit = limit.subtractingSaturated(units) }
        case .debit(let amount, let isOfServer):
            let covered = min(amount, max(0, balance))
            let owed = balance.subtractingSaturated(amount)
            if isOfServer { limit = limit.subtractingSaturated(amount) }
            switch policy {
            case .owed:
                overdrawn = overdrawn.addingSaturated(amount.subtractingSaturated(covered))
                balance = owed
            case .forgiven:
                let forgiven = balance.subtractingSaturated(covered)
                balance = isOfServer ? min(forgiven, limit) : forgiven
                overdrawn = overdrawn.addingSaturated(balance.subtractingSaturated(owed))
            }
        }
    }
}

extension Fact {
    /// Number of units of a credit, deposit, debit or counterpart.
    fileprivate var units: Int? {
        if case .counterpart(let counterpart) = self {
            counterpart.units?.amount
        } else {
            walletChange?.amount.magnitudeSaturated
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
        let growth = share(of: credit.amount).subtractingSaturated(
            earlier?.revocation?.share(of: credit.amount) ?? 0)
        let change: Int
        switch credit.refundPolicy {
        case .debt: change = max(growth, debited.negatedSaturated)
        case .clawback where growth > 0: change = min(growth, max(0, balance))
        case .clawback:
            let before = max(0, balance.addingSaturated(debited))
            change = min(share(of: credit.amount), before).subtractingSaturated(debited)
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
