import Foundation
import VitrineCatalog
import VitrineDeviceExchange
import VitrineEntitlements

/// Reference model: the state that follows from the entries that the devices themselves have recorded.
struct ExchangeModel {
    private(set) var balances: [String: Int] = [:]
    private(set) var overdrawn = 0
    private(set) var owned: Set<String> = []

    private struct Event {
        let moment: Date
        let rank: Int
        let key: String
        let wallet: String
        let amount: Int
        var refund: Date?
        var refundPolicy = RefundPolicy.clawback
    }

    init(_ entries: [LedgerEntry], _ policy: OverdraftPolicy) {
        let revoked = Self.revoked(entries)
        var firsts: [String: Event] = [:]
        for entry in entries {
            guard let event = Self.event(entry, revoked) else { continue }
            let key = "\(event.rank) \(event.key)"
            if let first = firsts[key], (first.moment, abs(first.amount)) <= (event.moment, abs(event.amount)) {
                continue
            }
            firsts[key] = event
        }
        var events = Array(firsts.values)
        for credit in firsts.values {
            guard let refund = credit.refund, credit.refundPolicy != .ignore else { continue }
            events.append(
                Event(
                    moment: max(refund, credit.moment), rank: 1, key: credit.key, wallet: credit.wallet,
                    amount: -credit.amount, refundPolicy: credit.refundPolicy))
        }
        for event in events.sorted(by: { ($0.moment, $0.rank, $0.key) < ($1.moment, $1.rank, $1.key) }) {
            let balance = balances[event.wallet, default: 0]
            let covered = event.amount > 0 ? event.amount : -min(-event.amount, max(0, balance))
            if event.rank == 2 { overdrawn += covered - event.amount }
            let isDebt = event.rank == 2 && policy == .owed || event.rank == 1 && event.refundPolicy == .debt
            balances[event.wallet] = balance + (isDebt ? event.amount : covered)
        }
        owned = Self.owned(entries, revoked)
    }

    private static func event(_ entry: LedgerEntry, _ revoked: [String: Date]) -> Event? {
        switch entry.fact {
        case .credit(let credit):
            Event(
                moment: entry.moment, rank: 0, key: credit.purchaseID, wallet: credit.wallet, amount: credit.amount,
                refund: revoked[credit.purchaseID], refundPolicy: credit.refundPolicy)
        case .deposit(let deposit):
            Event(moment: entry.moment, rank: 0, key: deposit.token, wallet: deposit.wallet, amount: deposit.amount)
        case .debit(let debit):
            Event(moment: entry.moment, rank: 2, key: debit.token, wallet: debit.wallet, amount: -debit.amount)
        default: nil
        }
    }

    /// Returns the refund dates of the purchases whose latest statement of the store is a refund.
    private static func revoked(_ entries: [LedgerEntry]) -> [String: Date] {
        var last: [String: (signed: Date, refund: Date?)] = [:]
        for entry in entries {
            guard let origin = entry.fact.origin, (last[origin.purchaseID]?.signed ?? .distantPast) <= origin.signedDate
            else { continue }
            var refund: Date?
            if case .revocation(let revocation) = entry.fact { refund = revocation.revocationDate }
            last[origin.purchaseID] = (origin.signedDate, refund)
        }
        return last.compactMapValues(\.refund)
    }

    private static func owned(_ entries: [LedgerEntry], _ revoked: [String: Date]) -> Set<String> {
        var (grants, locks, owned): ([String: (Date, String)], [(String, Date, String)], Set<String>) = ([:], [], [])
        for entry in entries {
            switch entry.fact {
            case .purchase(let purchase)
            where purchase.kind != .consumable && revoked[purchase.origin.purchaseID] == nil:
                owned.insert(purchase.productIdentifier)
            case .grant(let grant):
                let earliest = grants[grant.token]?.0 ?? .distantFuture
                grants[grant.token] = (min(earliest, entry.moment), grant.productIdentifier)
            case .lock(let lock): locks.append((lock.productIdentifier, entry.moment, lock.token))
            default: break
            }
        }
        for (token, (moment, product)) in grants {
            let isLocked = locks.contains { lock in
                lock.0 == product
                    && (locks.filter { $0.2 == lock.2 }.map(\.1).min() ?? lock.1, lock.2) > (moment, token)
            }
            if !isLocked { owned.insert(product) }
        }
        return owned
    }
}
