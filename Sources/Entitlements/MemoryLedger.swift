public import Foundation

/// A ledger that lasts as long as the process: for tests and previews.
public actor MemoryLedger: Ledger {
    private struct Key: Hashable {
        let kind: Fact.Kind
        let key: String
    }

    private var recorded: [LedgerEntry] = []
    private var indexes: [Key: Int] = [:]
    private var balances: [String: Int] = [:]

    public init() {}

    public func append(_ facts: [Fact], at date: Date) throws(LedgerError) -> [LedgerEntry] {
        var rules = LedgerRules(
            storedBalance: { [balances] in balances[$0, default: 0] },
            recorded: { [recorded, indexes] in indexes[Key(kind: $0, key: $1)].map { recorded[$0].fact } }
        )
        do {
            for fact in facts { try rules.check(fact) }
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerError(code: .unavailable, reason: "\(error)")
        }
        let first = recorded.count
        for fact in rules.accepted {
            indexes[Key(kind: fact.kind, key: fact.key)] = recorded.count
            recorded.append(LedgerEntry(sequence: Int64(recorded.count + 1), recordedAt: date, fact: fact))
            if let change = fact.walletChange { balances[change.wallet, default: 0] += change.amount }
        }
        return Array(recorded[first...])
    }

    public func entries(after sequence: Int64) -> [LedgerEntry] {
        Array(recorded.dropFirst(Int(max(0, sequence))))
    }

    public func lastSequence() -> Int64 { Int64(recorded.count) }

    public func entry(of kind: Fact.Kind, key: String) -> LedgerEntry? {
        indexes[Key(kind: kind, key: key)].map { recorded[$0] }
    }
}
