public import Foundation
internal import ProductCatalog

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
        /// Latest moment of an entry, in milliseconds since 1970.
        var latestMoment: Int64?

        func balance(of wallet: String) -> Int { balances[wallet, default: 0] }

        func entry(of kind: Fact.Kind, key: String) -> LedgerEntry? {
            indexes[FactKey(kind: kind, key: key)].map { entries[$0] }
        }

        func counterpart(ofRevocation purchaseID: String) -> Fact.Counterpart? {
            entries.compactMap { $0.fact.counterpart(ofRevocation: purchaseID) }.max { $0.moment < $1.moment }
        }

        func entries(ofWallet wallet: String) -> [LedgerEntry] { entries.filter { $0.fact.wallet == wallet } }

        func leases(ofWallet wallet: String) -> [LedgerEntry] {
            entries(ofWallet: wallet).filter { $0.fact.kind == .lease }
        }

        func revocationState(of purchaseID: String) -> Fact? { standings[purchaseID] }

        func term(of purchaseID: String) -> Fact.Term? { terms[purchaseID] }

        func renewal(of subscription: String) -> Fact.Renewal? { renewals[subscription] }

        func latestStatement(of purchaseID: String) -> Date? { statements[purchaseID] }

        mutating func append(_ accepted: AcceptedFact) {
            let fact = accepted.fact
            indexes[FactKey(kind: fact.kind, key: fact.key)] = entries.count
            switch fact {
            case .revocation(let revocation): standings[revocation.origin.purchaseID] = fact
            case .reinstatement(let reinstatement): standings[reinstatement.origin.purchaseID] = fact
            case .term(let term): terms[term.origin.purchaseID] = term
            case .renewal(let renewal): renewals[renewal.origin.purchaseID] = renewal
            default: break
            }
            // A later fact of this device comes after everything that the ledger contains.
            let earliest = accepted.device == nil ? latestMoment.map { $0 + 1 } : nil
            let moment = max(accepted.date.milliseconds, earliest ?? .min)
            latestMoment = max(latestMoment ?? moment, moment)
            entries.append(
                LedgerEntry(
                    sequence: Int64(entries.count + 1), recordedAt: accepted.date, fact: fact, device: accepted.device,
                    moment: Date(milliseconds: moment)))
            if let wallet = fact.wallet { balances[wallet] = accepted.balance }
        }
    }

    private var contents = Contents()
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
        _ check: (inout LedgerRules<Contents>) throws -> Void
    ) throws(LedgerError) -> [LedgerEntry] {
        var rules = LedgerRules(contents)
        do {
            try check(&rules)
        } catch let error as LedgerError {
            throw error
        } catch {
            throw LedgerError(code: .unavailable, reason: "\(error)")
        }
        contents.statements.merge(rules.statements) { $1 }
        let first = contents.entries.count
        for accepted in rules.accepted { contents.append(accepted) }
        return Array(contents.entries[first...])
    }

    public func entries(after sequence: Int64) -> [LedgerEntry] {
        Array(contents.entries.dropFirst(Int(max(0, sequence))))
    }

    public func checkWritable() -> Int64 { Int64(contents.entries.count) }

    public func entry(of kind: Fact.Kind, key: String) -> LedgerEntry? {
        contents.entry(of: kind, key: key)
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
