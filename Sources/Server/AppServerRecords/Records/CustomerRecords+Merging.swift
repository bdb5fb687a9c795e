internal import Foundation
internal import VitrineCatalog
internal import VitrineDeviceExchange
internal import VitrineEntitlements
internal import VitrineFileSystem
internal import VitrineSupport

extension CustomerRecords {
    /// Merges two customers of an app: adds the facts of one to the other under the same keys, and moves its identities
    /// and devices.
    ///
    /// - Parameter author: Author of the merge for the audit log.
    /// - Returns: The remaining customer: the one with an account, otherwise the older one.
    func merge(_ first: String, _ second: String, author: String) async throws(CustomerError) -> String {
        while true {
            let pair = try await (resolveMerged(of: first), resolveMerged(of: second))
            guard pair.0.id != pair.1.id else { return pair.0.id }
            let isFirst = try await remains(pair.0.id, before: pair.1.id)
            let (remaining, other) = isFirst ? pair : (pair.1, pair.0)
            if try await merge(other, into: remaining, author: author) { return remaining.id }
        }
    }

    /// Merges two customers, unless neither has an account and together they have more devices than a customer without an
    /// account may have, or they have more facts from documents than one customer may have.
    ///
    /// - Returns: The remaining customer; `nil` if they have too many devices or facts.
    func join(
        _ first: String, _ second: String, _ app: ServedApp, author: String
    ) async throws(CustomerError) -> String? {
        let most = app.mostDevicesWithoutAccount
        while true {
            let pair = try await (resolveMerged(of: first), resolveMerged(of: second))
            guard pair.0.id != pair.1.id else { return pair.0.id }
            let all = try await identities(of: pair.0.id) + identities(of: pair.1.id)
            let count = try await deviceCount(of: pair.0.id) + deviceCount(of: pair.1.id)
            guard count <= most || all.contains(where: { $0.kind == .account }),
                pair.0.documentFacts + pair.1.documentFacts <= options.mostDocumentFacts
            else { return nil }
            let isFirst = try await remains(pair.0.id, before: pair.1.id)
            let (remaining, other) = isFirst ? pair : (pair.1, pair.0)
            if try await merge(other, into: remaining, upTo: most, author: author) { return remaining.id }
        }
    }

    private func remains(_ first: String, before second: String) async throws(CustomerError) -> Bool {
        let hasAccount = try await (
            identities(of: first).contains { $0.kind == .account },
            identities(of: second).contains { $0.kind == .account }
        )
        guard hasAccount.0 == hasAccount.1 else { return hasAccount.0 }
        let rows = try await rows(
            "SELECT id FROM customer WHERE id IN ($1, $2) ORDER BY created, id LIMIT 1", .text(first), .text(second))
        return rows.first?.first?.text == first
    }

    /// - Parameter most: Largest number of devices of a customer without an account; `nil` for any number.
    private func merge(
        _ other: KnownCustomer, into remaining: KnownCustomer, upTo most: Int? = nil, author: String
    ) async throws(CustomerError) -> Bool {
        var merged = remaining
        let entries: [LedgerEntry]
        let otherEntries =
            other.sequence == 0
            ? [] : try await self.entries(of: other.id, from: 1, to: other.sequence, withSignedData: true)
        do {
            var rules = LedgerRules(remaining.facts, isServer: true)
            try rules.absorb(otherEntries, of: other.id, overdrafts: options.overdrafts, at: now)
            entries = merged.facts.append(acceptedBy: rules)
        } catch {
            throw CustomerError(ledger: error)
        }
        merged.writer = makeIdentifier()
        // For each purchase the later signing date counts, because older signed data must not replace newer data.
        merged.facts.statements.merge(other.facts.statements) { max($0, $1) }
        let condition = ChangeCondition(customer: remaining.id, writer: merged.writer)
        var steps = [
            SQLStep(
                SQLStatement(
                    """
                    UPDATE customer SET sequence = $2, writer = $3 WHERE id = $1 AND writer = $4 \
                    AND merged_into IS NULL
                    """, .text(remaining.id), .integer(merged.sequence), .text(condition.writer),
                    .text(remaining.writer)), changing: 1),
            SQLStep(
                SQLStatement(
                    """
                    UPDATE customer SET merged_into = $1 WHERE id = $2 AND writer = $3 AND merged_into IS NULL
                    """, .text(remaining.id), .text(other.id), .text(other.writer)), changing: 1),
        ]
        steps += insertions(of: entries, app: remaining.app, if: condition, takingOver: true)
            .map { SQLStep($0, changing: 1) }
        steps += merged.facts.statements.sorted { $0.key < $1.key }
            .map { SQLStep(notation(of: $0.key, $0.value, if: condition)) }
        // The remaining customer has facts of its own about the other one's subscriptions.
        steps.append(
            SQLStep(SQLStatement("DELETE FROM purchase_fact WHERE customer = $1", .text(other.id))))
        // The tokens of moved devices expire, because a device receives the remaining customer's key with its next
        // token.
        for table in ["identity SET", "device SET expires = 0,"] {
            steps.append(
                SQLStep(
                    SQLStatement(
                        "UPDATE \(table) customer = $1 WHERE customer = $2", .text(remaining.id), .text(other.id))))
        }
        if let most { steps.append(limit(ofDevices: most, of: remaining.id)) }
        steps.append(
            SQLStep(
                audit(
                    "merge", of: remaining.id, author: author, detail: "customer \(other.id) was merged into this one")
            ))
        guard try await transact(steps) else { return false }
        known.forget(other.id)
        known.remember(merged)
        forgetDevices()
        database.announce([
            ChangedCustomer(remaining.id, sequence: merged.sequence), ChangedCustomer(other.id, sequence: nil),
        ])
        return true
    }

    /// Returns a statement that adds an action to the audit log.
    ///
    /// - Parameter id: Identifier of an action that is recorded once; `nil` for any other one.
    func audit(
        _ action: String, of customer: String?, author: String, detail: String, id: String? = nil
    ) -> SQLStatement {
        SQLStatement(
            "INSERT INTO audit (id, time, operator, action, customer, detail) VALUES ($1, $2, $3, $4, $5, $6)",
            .text(id ?? makeIdentifier()), .integer(now.milliseconds), .text(author), .text(action), SQLValue(customer),
            .text(detail))
    }
}

extension LedgerRules<FactsInMemory> {
    /// Accepts facts of another customer, such as one that is merged into this one. What the server has decided for either
    /// customer has happened, and counts afterwards, whatever the tokens are (``DecisionNames``).
    ///
    /// - Parameter other: Identifier of the other customer.
    /// - Throws: ``LedgerError``: `conflict` if a decision of the server cannot be recorded.
    mutating func absorb(
        _ entries: [LedgerEntry], of other: String, overdrafts policy: OverdraftPolicy, at date: Date
    ) throws {
        var names = DecisionNames(recorded, entries, of: other)
        var grandfathering = GrandfatheringNames(recorded)
        let subjects = Dictionary(entries.map { (FactKey($0.fact), $0.fact) }) { first, _ in first }
        var exchanged: [ExchangedFact] = []
        var decisions: Set<Int> = []
        for entry in entries {
            var fact: Fact
            var moment = entry.moment
            switch entry.fact {
            // Adjustments are not merged, because the balance is computed from the facts of both customers.
            case .adjustment, .note, .loss, .settlement, .receipt, .content: continue
            case .appPurchase:
                try check(DatedFact(fact: entry.fact, date: entry.recordedAt))
                continue
            case .counterpart(let counterpart):
                // A transfer may separate the debits of several devices under one token.
                let subject = entry.fact.recordedDebit.map { Fact.debit($0) } ?? subjects[entry.fact.subject]
                guard let subject else { continue }
                (fact, moment) = (subject.as(counterpart), counterpart.moment)
            default: fact = entry.fact
            }
            if entry.isDecision {
                fact = names.name(fact)
                decisions.insert(exchanged.count)
            }
            fact = grandfathering.name(fact, at: moment)
            exchanged.append(
                ExchangedFact(fact: fact, moment: moment, device: entry.device ?? ServerDeviceIdentifier.merged))
        }
        // After at most so many facts the balances are adjusted, so that no sum of what devices say exceeds 64 bits.
        let mostTogether = 10_000
        let order = exchanged.indices.sorted { (exchanged[$0].moment, $0) < (exchanged[$1].moment, $1) }
        for start in stride(from: 0, to: order.count, by: mostTogether) {
            let part = Array(order[start..<min(start + mostTogether, order.count)])
            let problems = try merge(part.map { exchanged[$0] }, adjusting: [], overdrafts: policy, at: date)
            for (place, index) in part.enumerated() where decisions.contains(index) {
                switch problems[place] {
                // A decision that contradicts what a device says about the same wallet counts in its place.
                case nil, .contradiction: continue
                case .invalid(let reason), .waiting(let reason): throw LedgerError(code: .conflict, reason: reason)
                }
            }
        }
        try depositAgain(entries, of: other, overdrafts: policy, at: date)
    }

    /// Deposits starting balances that both customers have received, and that count once, as far as the server has
    /// debited them from both. The debits were paid, and a merge makes no debt.
    private mutating func depositAgain(
        _ entries: [LedgerEntry], of other: String, overdrafts policy: OverdraftPolicy, at date: Date
    ) throws {
        for entry in entries where entry.device == ServerDeviceIdentifier.store {
            guard case .deposit(let deposit) = entry.fact, recorded.entry(of: .deposit, key: deposit.token) != nil
            else { continue }
            let debited = entries.filter(\.isOfServer).compactMap(\.fact.recordedDebit)
                .reduce(0) { $1.wallet == deposit.wallet ? $0.addingSaturated($1.amount) : $0 }
            let missing = try balance(of: deposit.wallet).negatedSaturated
            guard let fact = Fact.deposit(deposit).distinguished(by: other), case .deposit(var again) = fact else {
                continue
            }
            again.amount = min(deposit.amount, debited, missing)
            guard again.amount > 0 else { continue }
            let problems = try merge(
                [ExchangedFact(fact: .deposit(again), moment: date, device: ServerDeviceIdentifier.merged)],
                adjusting: [], overdrafts: policy, at: date)
            if let problem = problems.values.first { throw LedgerError(code: .conflict, reason: problem.reason) }
        }
    }
}

/// Tokens under which the server's decisions for another customer are recorded.
///
/// Devices choose tokens, so that both customers may have the same. A decision keeps its token if this ledger does not have
/// it, or only in what a device says about the same wallet and product, which the decision then replaces. Otherwise the
/// other customer's identifier and ``CustomerRecords/tokenSeparator`` are put before the token, as often as it takes until
/// neither customer has the token. A decision that was recorded under such a token, and that a transfer has separated from
/// the record with its own, has its own token again: a ledger has a decision under another token only beside a record
/// with the token that was requested, which is how a repeated request finds it.
private struct DecisionNames {
    private let recorded: FactsInMemory
    private let other: String
    /// Facts that the server has decided for this ledger's customer.
    private let decided: Set<FactKey>
    private var used: Set<FactKey>

    init(_ recorded: FactsInMemory, _ entries: [LedgerEntry], of other: String) {
        (self.recorded, self.other) = (recorded, other)
        decided = Set(recorded.entries.filter(\.isDecision).map(\.fact.subject))
        used = Set(recorded.entries.map(\.fact.subject)).union(entries.map(\.fact.subject))
    }

    /// Returns a decision of the other customer with the token under which it is recorded.
    mutating func name(_ fact: Fact) -> Fact {
        if let requested = fact.asRequested, used.insert(FactKey(requested)).inserted { return requested }
        let known = recorded.entry(of: fact.kind, key: fact.key)?.fact
        guard decided.contains(FactKey(fact)) || known?.isComparable(to: fact) == false else { return fact }
        var named = fact
        repeat {
            guard let next = named.distinguished(by: other) else { return fact }
            named = next
        } while !used.insert(FactKey(named)).inserted
        return named
    }

    /// Returns the token with which a decision was requested, from the token under which it is recorded.
    static func requestedToken(of token: String) -> String {
        token.split(separator: CustomerRecords.tokenSeparator, omittingEmptySubsequences: false).last.map(String.init)
            ?? token
    }
}

extension FactsInMemory {
    /// Returns the debits of a wallet that the server has decided for this customer and for those who were merged into this
    /// one, under the tokens that were requested.
    func debitsDecided(inWallet wallet: String) -> Set<Fact.Debit> {
        Set(
            entries(ofWallet: wallet).filter(\.isOfServer).compactMap(\.fact.recordedDebit).map { debit in
                Fact.Debit(
                    token: DecisionNames.requestedToken(of: debit.token), wallet: wallet, amount: debit.amount)
            })
    }

    /// Returns the debits that the server has decided on requests with a token, under that token. There are several if
    /// customers were merged.
    ///
    /// - Parameter end: Last moment of the debits.
    func debitsDecided(requestedAs token: String, until end: Date) -> Set<Fact.Debit> {
        Set(
            entries.compactMap { entry in
                guard entry.isOfServer, entry.moment <= end, let debit = entry.fact.recordedDebit,
                    DecisionNames.requestedToken(of: debit.token) == token
                else { return nil }
                return Fact.Debit(token: token, wallet: debit.wallet, amount: debit.amount)
            })
    }
}

extension LedgerEntry {
    /// `true` if the server itself has decided the fact: neither a device nor the store has.
    fileprivate var isDecision: Bool { isOfServer && device != ServerDeviceIdentifier.store }
}

extension Fact {
    /// Key of the fact; of a counterpart, the key of the fact that both devices have recorded.
    fileprivate var subject: FactKey {
        if case .counterpart(let counterpart) = self {
            FactKey(kind: counterpart.kind, key: counterpart.subject)
        } else {
            FactKey(self)
        }
    }

    /// Debit that the fact is or, of a counterpart, that another device has recorded; `nil` for other facts.
    var recordedDebit: Debit? {
        switch self {
        case .debit(let debit): debit
        case .counterpart(let counterpart):
            counterpart.kind == .debit
                ? counterpart.units.map { Debit(token: counterpart.subject, wallet: $0.wallet, amount: $0.amount) }
                : nil
        default: nil
        }
    }

    /// Returns this fact with an identifier before its token; `nil` if it has no token that a caller chooses.
    fileprivate func distinguished(by identifier: String) -> Fact? {
        with(token: identifier + String(CustomerRecords.tokenSeparator) + key)
    }

    /// This fact with the token that was requested; `nil` if it has no other token.
    fileprivate var asRequested: Fact? {
        let token = DecisionNames.requestedToken(of: key)
        return token == key ? nil : with(token: token)
    }

    /// Returns this fact with another token; `nil` if it has no token that a caller chooses.
    private func with(token: String) -> Fact? {
        switch self {
        case .debit(var debit):
            debit.token = token
            return .debit(debit)
        case .deposit(var deposit):
            deposit.token = token
            return .deposit(deposit)
        case .grant(var grant):
            grant.token = token
            return .grant(grant)
        case .lock(var lock):
            lock.token = token
            return .lock(lock)
        default: return nil
        }
    }

    /// Returns this fact with the values that the device of a counterpart has recorded.
    fileprivate func `as`(_ counterpart: Counterpart) -> Fact {
        switch self {
        case .credit(var credit):
            credit.amount = counterpart.units?.amount ?? credit.amount
            credit.refundPolicy = counterpart.refundPolicy ?? credit.refundPolicy
            return .credit(credit)
        case .deposit(var deposit):
            deposit.amount = counterpart.units?.amount ?? deposit.amount
            return .deposit(deposit)
        case .debit(var debit):
            debit.amount = counterpart.units?.amount ?? debit.amount
            return .debit(debit)
        case .purchase(var purchase):
            purchase.period = counterpart.expirationDate.map { Fact.Period(expirationDate: $0) } ?? purchase.period
            return .purchase(purchase)
        case .grant(var grant):
            grant.expirationDate = counterpart.expirationDate
            return .grant(grant)
        default: return self
        }
    }
}
