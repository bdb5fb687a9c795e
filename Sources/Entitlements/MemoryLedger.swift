public import Foundation

/// Ledger in memory, which lasts as long as the process: for tests and previews.
public actor MemoryLedger: Ledger {
    private struct Contents: RecordedFacts {
        var entries: [LedgerEntry] = []
        var indexes: [FactKey: Int] = [:]
        var balances: [String: Int] = [:]
        var standings: [String: Fact] = [:]
        var terms: [String: Fact.Term] = [:]
        var renewals: [String: Fact.Renewal] = [:]
        var statements: [String: Date] = [:]

        func balance(of wallet: String) -> Int { balances[wallet, default: 0] }

        func fact(of kind: Fact.Kind, key: String) -> Fact? {
            indexes[FactKey(kind: kind, key: key)].map { entries[$0].fact }
        }

        func revocationState(of purchaseID: String) -> Fact? { standings[purchaseID] }

        func term(of purchaseID: String) -> Fact.Term? { terms[purchaseID] }

        func renewal(of subscription: String) -> Fact.Renewal? { renewals[subscription] }

        func latestStatement(of purchaseID: String) -> Date? { statements[purchaseID] }

        mutating func append(_ fact: Fact, at date: Date) {
            indexes[FactKey(kind: fact.kind, key: fact.key)] = entries.count
            switch fact {
            case .revocation(let revocation): standings[revocation.origin.purchaseID] = fact
            case .reinstatement(let reinstatement): standings[reinstatement.origin.purchaseID] = fact
            case .term(let term): terms[term.origin.purchaseID] = term
            case .renewal(let renewal): renewals[renewal.origin.purchaseID] = renewal
            default: break
            }
            entries.append(LedgerEntry(sequence: Int64(entries.count + 1), recordedAt: date, fact: fact))
        }
    }

    private var contents = Contents()
    private var numbers: [String: Int64] = [:]
    private var things: [String: Data] = [:]

    public init() {}

    public func append(_ facts: [DatedFact]) throws(LedgerError) -> [LedgerEntry] {
        let (accepted, statements) = try Self.accepted(facts, by: contents)
        contents.statements.merge(statements) { $1 }
        let first = contents.entries.count
        for accepted in accepted {
            contents.append(accepted.fact, at: accepted.date)
            if let wallet = accepted.fact.walletChange?.wallet { contents.balances[wallet] = accepted.balance }
        }
        return Array(contents.entries[first...])
    }

    private static func accepted(
        _ facts: [DatedFact], by contents: Contents
    ) throws(LedgerError) -> ([AcceptedFact], statements: [String: Date]) {
        var rules = LedgerRules(contents)
        do {
            for fact in facts { try rules.check(fact) }
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerError(code: .unavailable, reason: "\(error)")
        }
        return (rules.accepted, rules.statements)
    }

    public func entries(after sequence: Int64) -> [LedgerEntry] {
        Array(contents.entries.dropFirst(Int(max(0, sequence))))
    }

    public func checkWritable() -> Int64 { Int64(contents.entries.count) }

    public func entry(of kind: Fact.Kind, key: String) -> LedgerEntry? {
        contents.indexes[FactKey(kind: kind, key: key)].map { contents.entries[$0] }
    }

    public func isRevoked(_ purchaseID: String) -> Bool {
        if case .revocation = contents.revocationState(of: purchaseID) { true } else { false }
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

    public func keep(_ data: Data, as name: String) throws(LedgerError) {
        try StoredValue.check(data, name: name)
        things[name] = data
    }

    public func kept(_ name: String) throws(LedgerError) -> Data? {
        try StoredValue.check(name: name)
        return things[name]
    }
}
