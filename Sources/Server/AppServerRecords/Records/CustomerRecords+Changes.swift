internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineSupport

/// Result of a change of a customer, with its new facts.
struct CustomerChange<Value: Sendable>: Sendable {
    let value: Value
    /// Customer after the change: the given one, or the one into which it was merged.
    let customer: KnownCustomer
    let entries: [LedgerEntry]
}

/// Condition that makes a statement take effect only together with the facts of a change.
struct ChangeCondition: Sendable {
    let customer: String
    let writer: String

    /// Returns the SQL of the condition, which refers to the last two values of the statement.
    ///
    /// - Parameter count: Number of values before these two.
    func clause(after count: Int) -> String {
        "FROM customer WHERE id = $\(count + 1) AND writer = $\(count + 2)"
    }

    var values: [SQLValue] { [.text(customer), .text(writer)] }
}

extension CustomerRecords {
    /// Maximum number of attempts at a change that conflicts with changes of other servers.
    static let mostTries = 100

    /// Records facts of a customer.
    ///
    /// - Parameters:
    ///   - id: Identifier of the customer.
    ///   - isForced: `true` to run the further statements even if there is no new fact.
    ///   - lock: Identifier of the exclusive lock that the caller must hold when the change is written; `nil` without a lock.
    ///   - further: Function that returns statements to run together with the facts.
    ///   - decide: Function that passes facts to the rules of the ledger. It is called again if the customer has
    ///     changed. Its error is reported only if the customer was just read from the database.
    /// - Throws: ``CustomerError``: `conflict` if the units of a purchase would be credited that another customer has
    ///   received meanwhile.
    func change<Value: Sendable>(
        _ id: String, isForced: Bool = false, holding lock: String? = nil,
        also further: (ChangeCondition, KnownCustomer) -> [SQLStatement] = { _, _ in [] },
        _ decide: (inout LedgerRules<FactsInMemory>) throws -> Value
    ) async throws(CustomerError) -> CustomerChange<Value> {
        var id = id
        while true {
            let result = try await queues.run(on: id) { () async throws(CustomerError) in
                try await changeSerially(id, isForced, lock, further, decide)
            }
            switch result {
            case .merged(let remaining): id = remaining
            case .done(let change):
                // The queue of this customer is left first: the other customer may be waiting for it.
                await noteSubscriptions(changedBy: change.entries, of: change.customer)
                return change
            }
        }
    }

    private enum Attempt<Value: Sendable> {
        case merged(String)
        case done(CustomerChange<Value>)
    }

    private func changeSerially<Value: Sendable>(
        _ id: String, _ isForced: Bool, _ lock: String?, _ further: (ChangeCondition, KnownCustomer) -> [SQLStatement],
        _ decide: (inout LedgerRules<FactsInMemory>) throws -> Value
    ) async throws(CustomerError) -> Attempt<Value> {
        // A decision from outdated facts would fail at the commit.
        var isReloading = !known.isValid(id)
        for _ in 0..<Self.mostTries {
            var customer = try await customer(id, isReloading: isReloading)
            if let remaining = customer.mergedInto { return .merged(remaining) }
            var rules = LedgerRules(customer.facts, isServer: true)
            let value: Value
            do {
                value = try decide(&rules)
            } catch {
                // The cached facts may be outdated, so that the error is not final.
                if isReloading { throw CustomerError(ledger: error) }
                isReloading = true
                continue
            }
            let before = customer.writer
            let statements = rules.statements
            let entries = customer.facts.append(acceptedBy: rules)
            let condition = ChangeCondition(customer: id, writer: makeIdentifier())
            customer.writer = condition.writer
            let others = further(condition, customer)
            guard !entries.isEmpty || !statements.isEmpty || isForced && !others.isEmpty else {
                return .done(CustomerChange(value: value, customer: customer, entries: []))
            }
            var update = SQLStatement(
                """
                UPDATE customer SET sequence = $2, writer = $3 WHERE id = $1 AND writer = $4 AND merged_into IS NULL
                """, .text(id), .integer(customer.sequence), .text(condition.writer), .text(before))
            if let lock {
                update.sql += " AND \(Self.holdsLock(after: update.values.count))"
                update.values += [.text(id), .text(lock), .integer(now.milliseconds)]
            }
            let all =
                [update] + insertions(of: entries, app: customer.app, if: condition)
                + statements.sorted { $0.key < $1.key }.map { notation(of: $0.key, $0.value, if: condition) } + others
            let changes: [Int]
            do throws(DatabaseError) {
                changes = try await database.write(all)
            } catch {
                known.forget(id)
                guard error.code == .conflict,
                    try await hasOtherReceiver(ofUnitsIn: entries, than: customer)
                else { throw CustomerError(error) }
                throw CustomerError(
                    code: .conflict, reason: "another customer has received the units of the purchase")
            }
            if changes.first == 1 {
                known.remember(customer)
                database.announce([ChangedCustomer(id, sequence: customer.sequence)])
                return .done(CustomerChange(value: value, customer: customer, entries: entries))
            }
            if let lock { try await check(lock, of: id) }
            isReloading = true
        }
        throw CustomerError(code: .unavailable, reason: "too many requests change this customer at the same time")
    }

    // MARK: Reading

    /// Returns a customer with its facts.
    ///
    /// - Parameter isReloading: `true` to read changes since the last read from the database.
    /// - Throws: ``CustomerError``: `notFound` if there is no such customer.
    func customer(_ id: String, isReloading: Bool = true) async throws(CustomerError) -> KnownCustomer {
        let remembered = known.customer(id)
        if let remembered, !isReloading { return remembered }
        let rows = try await rows("SELECT app, sequence, merged_into, writer FROM customer WHERE id = $1", .text(id))
        guard let row = rows.first, row.count == 4, let app = row[0].text, let sequence = row[1].integer,
            let writer = row[3].text
        else {
            throw CustomerError(code: .notFound, reason: "there is no such customer")
        }
        var customer = remembered ?? KnownCustomer(id: id, app: app)
        customer.mergedInto = row[2].text
        // A merged customer has no facts of its own.
        guard customer.mergedInto == nil, writer != customer.writer else {
            known.remember(customer)
            return customer
        }
        guard sequence - customer.sequence > Self.largeLoad else {
            return try await loaded(customer, to: sequence, writer: writer)
        }
        // Large customers take turns: the facts of each would take the memory, and their decoding the threads, that other
        // requests need.
        let earlier = customer
        return try await queues.run(on: "large customers") { () async throws(CustomerError) in
            if let present = known.customer(id), present.writer == writer { return present }
            return try await loaded(earlier, to: sequence, writer: writer)
        }
    }

    /// Number of facts that are loaded at once for a large customer.
    private static let largeLoad = 10_000

    /// Returns a customer with the facts up to a sequence number.
    private func loaded(
        _ earlier: KnownCustomer, to sequence: Int64, writer: String
    ) async throws(CustomerError) -> KnownCustomer {
        var customer = earlier
        // A later change sets another `writer`, so that a change that relies on this read fails.
        customer.facts.statements = try await statements(of: customer.id)
        if sequence > customer.sequence {
            for entry in try await entries(of: customer.id, from: customer.sequence + 1, to: sequence) {
                customer.facts.append(entry)
            }
        }
        customer.writer = writer
        known.remember(customer)
        return customer
    }

    /// Returns the customer into which a customer was merged, or the customer itself if it was not merged.
    func resolveMerged(of id: String) async throws(CustomerError) -> KnownCustomer {
        var customer = try await customer(id)
        while let remaining = customer.mergedInto { customer = try await self.customer(remaining) }
        return customer
    }

    private func statements(of id: String) async throws(CustomerError) -> [String: Date] {
        let rows = try await rows("SELECT name, signed FROM statement WHERE customer = $1", .text(id))
        var statements: [String: Date] = [:]
        for row in rows where row.count == 2 {
            guard let name = row[0].text, let signed = row[1].integer else { continue }
            statements[name] = Date(milliseconds: signed)
        }
        return statements
    }

    /// Returns entries of a customer.
    ///
    /// - Parameter isSigned: `true` to include their signed data.
    func entries(
        of id: String, from first: Int64, to last: Int64, withSignedData isSigned: Bool = false
    ) async throws(CustomerError) -> [LedgerEntry] {
        let rows = try await rows(
            """
            SELECT sequence, entry, \(isSigned ? "signed" : "NULL") FROM fact WHERE customer = $1 \
            AND sequence BETWEEN $2 AND $3 ORDER BY sequence
            """, .text(id), .integer(first), .integer(last))
        guard rows.count == last - first + 1 else {
            throw CustomerError(code: .unavailable, reason: "the database lacks facts of a customer")
        }
        var entries: [LedgerEntry] = []
        entries.reserveCapacity(rows.count)
        for row in rows { entries.append(try Self.entry(row)) }
        return entries
    }

    static func entry(_ row: SQLRow) throws(CustomerError) -> LedgerEntry {
        do {
            guard row.count == 3, let text = row[1].text else { throw LedgerError(code: .damaged, reason: "no entry") }
            var fields = try JSONDecoder().decode(EntryFields.self, from: Data(text.utf8))
            fields.sequence = row[0].integer
            fields.signedData = row[2].text ?? (fields.signedDate == nil ? nil : "")
            return try fields.entry()
        } catch {
            throw CustomerError(code: .unavailable, reason: "the database has a fact that cannot be read")
        }
    }

    // MARK: Writing

    /// Returns statements that store entries of a customer.
    ///
    /// - Parameter isTakingOver: `true` if the customer takes over the units of purchases from another one.
    func insertions(
        of entries: [LedgerEntry], app: String, if condition: ChangeCondition, takingOver isTakingOver: Bool = false
    ) -> [SQLStatement] {
        var statements: [SQLStatement] = []
        for entry in entries {
            statements.append(insertion(of: entry, if: condition))
            if let original = entry.fact.foundBy {
                statements.append(insertion(ofFact: entry.sequence, about: original, if: condition))
            }
            if case .credit(let credit) = entry.fact {
                statements.append(
                    insertion(ofUnitsOf: credit.purchaseID, app: app, if: condition, takingOver: isTakingOver))
            }
        }
        return statements
    }

    private func insertion(of entry: LedgerEntry, if condition: ChangeCondition) -> SQLStatement {
        var fields = EntryFields(entry)
        let signed = fields.signedData.flatMap { $0.isEmpty ? nil : $0 }
        fields.signedData = nil
        fields.sequence = nil
        let values: [SQLValue] = [
            .integer(entry.sequence), .text(fields.kind), .text(fields.key),
            .integer(entry.recordedAt.milliseconds), SQLValue(entry.device), SQLValue(entry.fact.wallet),
            SQLValue(entry.fact.walletChange.map { Int64($0.amount) }),
            .text(fields.json), SQLValue(signed),
        ]
        return SQLStatement(
            """
            INSERT INTO fact (customer, sequence, kind, key, recorded, device, wallet, amount, entry, signed) \
            SELECT id, $1, $2, $3, $4, $5, $6, $7, $8, $9 \(condition.clause(after: 9))
            """, values: values + condition.values)
    }

    func notation(of name: String, _ date: Date, if condition: ChangeCondition) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO statement (customer, name, signed) SELECT id, $1, $2 \(condition.clause(after: 2)) \
            ON CONFLICT (customer, name) DO UPDATE SET signed = excluded.signed
            """, values: [.text(name), .integer(date.milliseconds)] + condition.values)
    }
}

extension CustomerError {
    /// Converts an error of the ledger's rules.
    init(ledger error: any Error) {
        guard let error = error as? LedgerError else {
            self = error as? CustomerError ?? CustomerError(code: .unavailable, reason: "a fact cannot be decided")
            return
        }
        let code: CustomerErrorCode =
            switch error.code {
            case .insufficientFunds, .balanceUnknown: .insufficientFunds
            case .conflict, .revoked, .otherAccount: .conflict
            case .invalidFact, .invalidName: .invalid
            case .tooLarge: .tooLarge
            case .unavailable, .replaced, .damaged, .newerVersion: .unavailable
            }
        self.init(code: code, reason: error.reason)
    }
}
