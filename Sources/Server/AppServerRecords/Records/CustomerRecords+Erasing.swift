internal import Foundation
internal import VitrineAppServerAPI
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineReceipts
internal import VitrineSupport

extension CustomerRecords {
    /// Erases a customer: facts, identities, devices, documents and the content of notifications. The audit log keeps the
    /// actions of operators. Codes remain of the received units, so that nobody receives them again, and of the purchases
    /// that the store has ended, so that older signed data does not bring them back.
    ///
    /// - Throws: ``CustomerError``: `notFound` if there is no such customer, `conflict` if the token belongs to another
    ///   action.
    package func erase(
        _ id: String, token: String, reason: String, by author: String
    ) async throws(CustomerError) {
        let action = OperatorAction("erase", token: token, author: author, detail: "\(id): \(reason)")
        try action.check()
        while try await customerOfDone(action) == nil {
            let customer = try await resolveMerged(of: id)
            let all = try await formerCustomers(of: customer.id) + [customer.id]
            let units = try await receivedUnits(of: customer)
            var steps = [
                SQLStep(
                    SQLStatement(
                        "UPDATE customer SET writer = $2 WHERE id = $1 AND writer = $3 AND merged_into IS NULL",
                        .text(customer.id), .text(makeIdentifier()), .text(customer.writer)), changing: 1)
            ]
            steps += units.map { SQLStep(insertion(ofErased: $0, app: customer.app)) }
            steps += customer.facts.endedPurchases.sorted { $0.key < $1.key }.map { purchase, signed in
                SQLStep(insertion(ofEnd: purchase, signed, app: customer.app))
            }
            for id in all {
                steps.append(
                    SQLStep(
                        SQLStatement(
                            """
                            DELETE FROM published_name WHERE device IN (SELECT id FROM device WHERE customer = $1)
                            """, .text(id))))
                for table in [
                    "fact", "purchase_fact", "statement", "document", "exchange_lock", "identity", "device",
                ] {
                    steps.append(SQLStep(SQLStatement("DELETE FROM \(table) WHERE customer = $1", .text(id))))
                }
                // A notification stays known by its identifier, so that it does not record its purchase again. It waits for
                // no catalog any more.
                steps.append(
                    SQLStep(
                        SQLStatement(
                            """
                            UPDATE notification SET payload = '', reason = NULL, customer = NULL, \
                            state = CASE state WHEN $2 THEN $3 ELSE state END WHERE customer = $1
                            """, .text(id), .text(NotificationOutcome.waiting.rawValue),
                            .text(NotificationOutcome.noted.rawValue))))
                steps.append(SQLStep(SQLStatement("DELETE FROM customer WHERE id = $1", .text(id)), changing: 1))
            }
            steps.append(SQLStep(audit(action, of: customer.id), changing: 1))
            guard try await transact(steps) else { continue }
            for id in all { known.forget(id) }
            forgetDevices()
            database.announce(all.map { ChangedCustomer($0, sequence: nil) })
        }
    }
}

/// Units that nobody receives again: those of erased customers, and starting balances that remain with a customer whose
/// store account was transferred. What an erased customer has spent is erased too, so that the units would otherwise be
/// received again: with old signed data, or by enrolling again.
///
/// Only a code of each receipt of units is kept, with which the server recognizes it and no customer can be found.
extension CustomerRecords {
    /// Returns the units that a customer has received once and for all.
    func receivedUnits(of customer: KnownCustomer) async throws(CustomerError) -> [ReceivedUnits] {
        let credits = customer.facts.entries.compactMap { entry in
            if case .credit(let credit) = entry.fact { ReceivedUnits(purchase: credit.purchaseID) } else { nil }
        }
        return try await credits + startingBalances(of: customer)
    }

    /// Returns the starting balances that a customer has received, as those of each of the customer's store accounts.
    func startingBalances(of customer: KnownCustomer) async throws(CustomerError) -> [ReceivedUnits] {
        let accounts = try await storeAccounts(of: customer.id)
        return customer.facts.entries.flatMap { entry -> [ReceivedUnits] in
            guard case .deposit(let deposit) = entry.fact, deposit.isOfEveryCustomer else { return [] }
            return accounts.map { ReceivedUnits(deposit, storeAccount: $0) }
        }
    }

    /// Returns `true` if another customer, or an erased one, has received the units of a purchase that entries credit.
    func hasOtherReceiver(
        ofUnitsIn entries: [LedgerEntry], than customer: KnownCustomer
    ) async throws(CustomerError) -> Bool {
        let codes = entries.compactMap { entry in
            if case .credit(let credit) = entry.fact {
                code(of: ReceivedUnits(purchase: credit.purchaseID), app: customer.app)
            } else {
                nil
            }
        }
        guard !codes.isEmpty else { return false }
        let places = codes.indices.map { "$\($0 + 2)" }.joined(separator: ", ")
        let rows = try await rows(
            SQLStatement(
                "SELECT customer FROM received_units WHERE app = $1 AND code IN (\(places))",
                values: [.text(customer.app)] + codes.map { .text($0) }))
        return rows.contains { $0.first?.text != customer.id }
    }

    /// Returns those of units that nobody receives again.
    func erased(_ units: [ReceivedUnits], app: String) async throws(CustomerError) -> Set<ReceivedUnits> {
        guard !units.isEmpty else { return [] }
        let codes = units.map { code(of: $0, app: app) }
        let places = codes.indices.map { "$\($0 + 2)" }.joined(separator: ", ")
        let rows = try await rows(
            SQLStatement(
                "SELECT code FROM received_units WHERE app = $1 AND customer IS NULL AND code IN (\(places))",
                values: [.text(app)] + codes.map { .text($0) }))
        let erased = Set(rows.compactMap { $0.first?.text })
        return Set(zip(units, codes).filter { erased.contains($1) }.map(\.0))
    }

    /// Returns a statement that stores that nobody receives units again.
    func insertion(ofErased units: ReceivedUnits, app: String) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO received_units (app, code, customer) VALUES ($1, $2, NULL) \
            ON CONFLICT (app, code) DO UPDATE SET customer = NULL
            """, .text(app), .text(code(of: units, app: app)))
    }

    /// Returns a statement that stores that a customer receives the units of a purchase together with other facts.
    ///
    /// - Parameter isTakingOver: `true` if the customer takes them over from another one in the same transaction. Otherwise
    ///   the database refuses the whole change if another customer has received them.
    func insertion(
        ofUnitsOf purchase: String, app: String, if condition: ChangeCondition, takingOver isTakingOver: Bool
    ) -> SQLStatement {
        let takingOver = isTakingOver ? " ON CONFLICT (app, code) DO UPDATE SET customer = excluded.customer" : ""
        return SQLStatement(
            "INSERT INTO received_units (app, code, customer) SELECT app, $1, id \(condition.clause(after: 1))\(takingOver)",
            values: [.text(code(of: ReceivedUnits(purchase: purchase), app: app))] + condition.values)
    }

    /// Returns the code of units, as it is stored for those that were received.
    func code(of units: ReceivedUnits, app: String) -> String {
        secrets.code(for: "erased \(app) \(units.name)")
    }

    // MARK: Ended purchases

    /// Returns a statement that stores that the store has ended a purchase of an erased customer.
    ///
    /// - Parameter date: Signing date of the last data that says so.
    private func insertion(ofEnd purchase: String, _ date: Date, app: String) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO erased_end (app, code, signed) VALUES ($1, $2, $3) ON CONFLICT (app, code) \
            DO UPDATE SET signed = excluded.signed WHERE erased_end.signed < excluded.signed
            """, .text(app), .text(code(ofEnd: purchase, app: app)), .integer(date.milliseconds))
    }

    /// Returns the code of a purchase, as it is stored for those that the store has ended.
    func code(ofEnd purchase: String, app: String) -> String { secrets.code(for: "erased \(app) end \(purchase)") }

    func storeAccounts(of customer: String) async throws(CustomerError) -> [String] {
        try await identities(of: customer).filter { $0.kind == .appTransaction }.map(\.value)
    }
}

/// State of a purchase with other customers: erased ones, and the one that has received its units.
struct ErasedPurchase: Sendable {
    /// `true` if one of them has received the units of the purchase, which no further customer then receives.
    var hasUnits = false
    /// Signing date of the last data with which the store has ended the purchase; `nil` if the store has not.
    var endSigned: Date?

    /// Indicates that the store has ended the purchase at or after the signing date of a transaction, which says that the
    /// purchase is valid.
    func hasEnded(after payload: TransactionPayload) -> Bool {
        guard let endSigned, payload.revocationDate == nil else { return false }
        return payload.signedDate <= endSigned
    }
}

/// Units that a customer receives once: with a purchase, or as the starting balance of a wallet.
struct ReceivedUnits: Sendable, Hashable {
    fileprivate let name: String

    init(purchase: String) { name = "credit \(purchase)" }

    init(_ startingBalance: Fact.Deposit, storeAccount: String) {
        name = "\(startingBalance.token) of \(storeAccount)"
    }
}
