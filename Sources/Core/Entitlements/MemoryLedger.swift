public import Foundation
public import VitrineSupport

/// Ledger in memory, for tests and previews. Its content is lost when the process ends.
public actor MemoryLedger: Ledger {
    private var contents = FactsInMemory()
    private var numbers: [String: Int64] = [:]
    private var things: [String: Data] = [:]

    public init() {}

    public func append(_ facts: [DatedFact]) throws(LedgerError) -> [LedgerEntry] {
        try record { rules in for fact in facts { try rules.check(fact) } }
    }

    public func merge(
        _ facts: [ExchangedFact], adjusting wallets: Set<String>, overdrafts policy: OverdraftPolicy?, at date: Date
    ) throws(LedgerError) -> LedgerMerge {
        var merge = LedgerMerge()
        merge.entries = try record { rules in
            merge.problems = try rules.merge(facts, adjusting: wallets, overdrafts: policy, at: date)
        }
        return merge
    }

    private func record(
        _ check: (inout LedgerRules<FactsInMemory>) throws -> Void
    ) throws(LedgerError) -> [LedgerEntry] {
        var rules = LedgerRules(contents)
        do {
            try check(&rules)
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerError(code: .unavailable, reason: "\(error)")
        }
        return contents.append(acceptedBy: rules)
    }

    public func entries(after sequence: Int64) -> [LedgerEntry] {
        Array(contents.entries.dropFirst(Int(max(0, sequence))))
    }

    public func checkWritable() -> Int64 { Int64(contents.entries.count) }

    public func entry(of kind: Fact.Kind, key: String) -> LedgerEntry? {
        contents.entry(of: kind, key: key)
    }

    public func isRevoked(_ purchaseID: String) -> Bool {
        contents.revocationState(of: purchaseID)?.revocation != nil
    }

    public func summary() -> LedgerSummary {
        LedgerSummary(
            lastSequence: checkWritable(), entries: contents.entries.filter { !$0.fact.isNoMatterOfOwnership },
            balances: contents.balances)
    }

    // MARK: Numbers and stored values

    public func advance(_ name: String, to value: Int64) throws(LedgerError) -> Int64 {
        try StoredValue.check(name: name)
        let highest = max(numbers[name] ?? value, value)
        numbers[name] = highest
        return highest
    }

    public func highest(_ name: String) throws(LedgerError) -> Int64? {
        try StoredValue.check(name: name)
        return numbers[name]
    }

    public func setValue(_ data: Data, for name: String) throws(LedgerError) {
        try StoredValue.check(data, name: name)
        things[name] = data
    }

    public func value(for name: String) throws(LedgerError) -> Data? {
        try StoredValue.check(name: name)
        return things[name]
    }
}
