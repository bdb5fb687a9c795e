internal import Foundation
internal import VitrineEntitlements
internal import VitrineReceipts

/// Parts of a customer that an operator transfers to another customer, or separates as a new one.
package struct TransferredParts: Sendable, Hashable, Codable {
    /// Identities of the customer, of the kinds `account`, `appTransaction` and `purchase`, and of the kind `customer`
    /// the identifiers of customers that were merged into this one.
    package var identities: [CustomerDetail.Identity]
    /// Identifiers of devices.
    package var devices: [String]

    package init(identities: [CustomerDetail.Identity], devices: [String]) {
        (self.identities, self.devices) = (identities, devices)
    }

    /// Kind of the identity of a former customer.
    static let formerCustomer = "customer"

    fileprivate var description: String {
        (identities.map { "\($0.kind) \($0.value)" } + devices.map { "device \($0)" }).joined(separator: ", ")
    }

    func values(_ kind: CustomerIdentity.Kind) -> Set<String> {
        Set(identities.filter { $0.kind == kind.rawValue }.map(\.value))
    }

    var formerCustomers: Set<String> {
        Set(identities.filter { $0.kind == Self.formerCustomer }.map(\.value))
    }
}

/// Customers after a transfer.
package struct TransferResult: Sendable, Hashable, Codable {
    /// Customer with the remaining parts.
    package let customer: String
    /// Customer with the transferred parts.
    package let to: String
}

/// Transfers between customers, and erasure, by operators.
extension CustomerRecords {
    /// Maximum number of identities and devices in a transfer.
    private static let mostParts = 30

    /// Transfers parts of a customer with their facts: the purchases that belong to the identities, by the rules that
    /// assign a purchase to a customer, what grandfathering rules have granted because of a store account, and what the
    /// devices have spent. Grants and deposits of operators, starting balances, and what was spent at the server, remain.
    /// No units come back: units that one of the two customers has spent and did not receive are debited from the other
    /// one. A lease goes with its device, and ends if the customer with the device does not have the leased units.
    ///
    /// The ledger of a customer only grows. What remains is therefore recorded as a new customer, into which the given
    /// one is merged, so that its devices start over with another key.
    ///
    /// - Parameter receiver: Identifier of the receiving customer; `nil` for a new one.
    /// - Throws: ``CustomerError``: `notFound` if the customer lacks one of the parts, `conflict` if the receiving
    ///   customer has an account and would get another one, or the token belongs to another action.
    package func transfer(
        _ parts: TransferredParts, from id: String, to receiver: String?, token: String, reason: String,
        by author: String
    ) async throws(CustomerError) -> TransferResult {
        guard (1...Self.mostParts).contains(parts.identities.count + parts.devices.count) else {
            throw CustomerError(
                code: .invalid, reason: "a transfer has from 1 to \(Self.mostParts) identities and devices")
        }
        guard Set(parts.identities).count == parts.identities.count, Set(parts.devices).count == parts.devices.count
        else { throw CustomerError(code: .invalid, reason: "a part of the transfer is named twice") }
        guard !parts.formerCustomers.contains(id) else {
            throw CustomerError(
                code: .invalid, reason: "the customer itself is a part of the transfer; use the one it was merged into")
        }
        let action = OperatorAction(
            "transfer", token: token, author: author,
            detail: "\(parts.description) from \(id) to \(receiver ?? "a new customer"): \(reason)")
        try action.check()
        for _ in 0..<Self.mostTries {
            if let receiver = try await customerOfDone(action) {
                return try await TransferResult(
                    customer: resolveMerged(of: id).id, to: resolveMerged(of: receiver).id)
            }
            let source = try await resolveMerged(of: id)
            let known: KnownCustomer? = if let receiver { try await resolveMerged(of: receiver) } else { nil }
            let target = known ?? KnownCustomer(id: makeIdentifier(), app: source.app)
            try await check(parts, of: source, known)
            let separation = Separation(
                parts, former: try await formerCustomers(of: source.id) + [source.id],
                documents: try await publishedNames(of: Set(parts.devices), customer: source.id))
            let result = try await transfer(parts, separation, from: source, to: target, known == nil) { remainder in
                [
                    audit(action, of: target.id),
                    audit(action.name, of: remainder, author: action.author, detail: action.detail),
                ]
            }
            if let result { return result }
        }
        throw CustomerError(code: .unavailable, reason: "other requests keep changing the customers of the transfer")
    }

    /// Moves a purchase and its units, as a transfer does, from a customer whom nobody uses to the customer that owns it
    /// according to later signed data of the store.
    ///
    /// Nothing happens if one of the customers changes meanwhile, or somebody begins to use the first one.
    ///
    /// - Parameter payload: Data of the purchase that says whose it is.
    func move(_ payload: TransactionPayload, from holder: String, to owner: String) async throws(CustomerError) {
        let (source, target) = try await (resolveMerged(of: holder), resolveMerged(of: owner))
        guard source.id != target.id else { return }
        let (purchase, unused) = (payload.purchaseID, Self.isUnused(source.id))
        // An enrollment locks its customer first, too, so that it is seen by the condition or comes after the move.
        let conditions = [
            SQLStep(locking(ofCustomer: source.id), changing: 1),
            SQLStep(
                SQLStatement("UPDATE customer SET writer = writer WHERE \(unused.sql)", values: unused.values),
                changing: 1),
        ]
        _ = try await transfer(
            TransferredParts(identities: [], devices: []),
            Separation(purchase: purchase, naming: payload.appAccountToken), from: source, to: target, false,
            if: conditions
        ) { remainder in
            [target.id, remainder].map { id in
                audit(
                    "move purchase", of: id, author: "store",
                    detail: "purchase \(purchase) from \(source.id) to \(target.id), to whom it belongs")
            }
        }
    }

    private func check(
        _ parts: TransferredParts, of source: KnownCustomer, _ target: KnownCustomer?
    ) async throws(CustomerError) {
        if let target {
            guard target.id != source.id, target.app == source.app else {
                throw CustomerError(code: .invalid, reason: "the receiving customer is the same, or of another app")
            }
            let hasAccount = try await identities(of: target.id).contains { $0.kind == .account }
            guard !hasAccount || parts.values(.account).isEmpty else {
                throw CustomerError(code: .conflict, reason: "the receiving customer has an account already")
            }
        }
        let own = try await identities(of: source.id)
        for identity in parts.identities where identity.kind != TransferredParts.formerCustomer {
            guard own.contains(where: { $0.kind.rawValue == identity.kind && $0.value == identity.value }) else {
                throw CustomerError(
                    code: .notFound, reason: "the customer has no \(identity.kind) \(identity.value)")
            }
        }
        let former = try await formerCustomers(of: source.id)
        guard parts.formerCustomers.isSubset(of: former) else {
            throw CustomerError(
                code: .notFound, reason: "not all customers of the transfer were merged into this one")
        }
        let devices = try await devices(of: source.id).map(\.id)
        guard Set(parts.devices).isSubset(of: devices) else {
            throw CustomerError(code: .notFound, reason: "the customer does not have all devices of the transfer")
        }
    }

    /// Returns the identifiers of the customers that were merged into a customer, directly or not.
    func formerCustomers(of id: String) async throws(CustomerError) -> [String] {
        var (found, next) = ([String](), [id])
        while let customer = next.popLast() {
            let merged = try await rows("SELECT id FROM customer WHERE merged_into = $1 ORDER BY id", .text(customer))
                .compactMap { $0.first?.text }
            found += merged
            next += merged
        }
        return found
    }

    /// - Parameters:
    ///   - conditions: Steps that must succeed before anything is changed.
    ///   - audits: Function that returns statements for the audit log, from the identifier of the remaining customer.
    /// - Returns: `nil` if a customer has changed since it was read, or a condition is not met.
    private func transfer(
        _ parts: TransferredParts, _ separation: Separation, from source: KnownCustomer, to target: KnownCustomer,
        _ isNew: Bool, if conditions: [SQLStep] = [], _ audits: (_ remainder: String) -> [SQLStatement]
    ) async throws(CustomerError) -> TransferResult? {
        let entries =
            source.sequence == 0
            ? [] : try await entries(of: source.id, from: 1, to: source.sequence, withSignedData: true)
        var (moved, kept) = separation.separated(entries)
        moved += Separation.locks(of: moved, in: entries, for: target)
        let rest = KnownCustomer(id: makeIdentifier(), app: source.app)
        let (receiver, remainder) = try divided(moved, kept, of: source, between: target, and: rest)
        var steps = conditions
        steps += [
            SQLStep(
                SQLStatement(
                    "UPDATE customer SET merged_into = $2 WHERE id = $1 AND writer = $3 AND merged_into IS NULL",
                    .text(source.id), .text(rest.id), .text(source.writer)), changing: 1),
            SQLStep(insertion(ofCustomer: rest.id, app: rest.app), changing: 1),
        ]
        if isNew { steps.append(SQLStep(insertion(ofCustomer: target.id, app: target.app), changing: 1)) }
        let statements = Separation.statements(source.facts.statements, goingWith: moved)
        steps += try recording(remainder, statements.kept)
        steps += try recording(receiver, statements.moved)
        // Starting balances remain, and are not received again with a transferred store account.
        steps += try await startingBalances(of: source).map { SQLStep(insertion(ofErased: $0, app: source.app)) }
        // All facts are recorded for the two customers.
        for table in ["fact", "purchase_fact", "statement", "document", "exchange_lock"] {
            steps.append(SQLStep(SQLStatement("DELETE FROM \(table) WHERE customer = $1", .text(source.id))))
        }
        for table in ["identity SET", "device SET expires = 0,", "audit SET"] {
            steps.append(
                SQLStep(
                    SQLStatement(
                        "UPDATE \(table) customer = $1 WHERE customer = $2", .text(rest.id), .text(source.id))))
        }
        // What stays with the customer keeps its name, also if that is the name of one merged into a transferred one.
        for former in parts.formerCustomers {
            steps.append(
                SQLStep(
                    SQLStatement(
                        "UPDATE customer SET merged_into = $1 WHERE merged_into = $2", .text(rest.id), .text(former))))
        }
        for identity in parts.identities {
            let isCustomer = identity.kind == TransferredParts.formerCustomer
            steps.append(
                SQLStep(
                    isCustomer
                        ? SQLStatement(
                            "UPDATE customer SET merged_into = $1 WHERE id = $2", .text(target.id),
                            .text(identity.value))
                        : SQLStatement(
                            "UPDATE identity SET customer = $1 WHERE customer = $2 AND kind = $3 AND value = $4",
                            .text(target.id), .text(rest.id), .text(identity.kind), .text(identity.value)), changing: 1)
            )
        }
        steps += try await movedNotifications(of: source, separation).map { id in
            SQLStep(
                SQLStatement(
                    "UPDATE notification SET customer = $1 WHERE app = $2 AND id = $3", .text(target.id),
                    .text(source.app), .text(id)))
        }
        let origin = DeviceOrigin(rest.id, latest: remainder.after.facts.entries.map(\.moment).max(), at: now)
        for device in parts.devices {
            steps.append(
                SQLStep(
                    SQLStatement(
                        """
                        UPDATE device SET customer = $1, origins = COALESCE(origins || ',', '') || $4 \
                        WHERE customer = $2 AND id = $3
                        """, .text(target.id), .text(rest.id), .text(device), .text(origin.text)), changing: 1))
        }
        steps += audits(rest.id).map { SQLStep($0, changing: 1) }
        guard try await transact(steps) else { return nil }
        for id in [source.id, target.id] { known.forget(id) }
        forgetDevices()
        database.announce([ChangedCustomer(source.id, sequence: nil)])
        for id in [rest.id, target.id] {
            try await grantOpeningBalances(to: id)
            database.announce([ChangedCustomer(id, sequence: try await sequence(of: id))])
        }
        return TransferResult(customer: rest.id, to: target.id)
    }

    /// Returns the identifiers of the notifications about purchases that move: they are erased with their customer.
    private func movedNotifications(
        of source: KnownCustomer, _ separation: Separation
    ) async throws(CustomerError) -> [String] {
        var moved: [String] = []
        for customer in try await formerCustomers(of: source.id) + [source.id] {
            for row in try await rows("SELECT id, payload FROM notification WHERE customer = $1", .text(customer)) {
                guard row.count == 2, let id = row[0].text, let signed = row[1].text,
                    let payload = UnverifiedJWS(signed)?.decode(NotificationPayload.self),
                    let transaction = payload.data?.signedTransaction.flatMap(TransactionPayload.init(unverified:))
                else { continue }
                if separation.isMoved(transaction) { moved.append(id) }
            }
        }
        return moved
    }

    /// Returns the receiving and the remaining customer with their facts of a divided one. Together they have received at
    /// most the units that the divided customer had, and all of its debt.
    private func divided(
        _ moved: [LedgerEntry], _ kept: [LedgerEntry], of source: KnownCustomer, between target: KnownCustomer,
        and rest: KnownCustomer
    ) throws(CustomerError) -> (receiver: Recipient, remainder: Recipient) {
        var (receiver, remainder) = (Recipient(target), Recipient(rest))
        let (policy, date) = (options.overdrafts, now)
        do {
            try receiver.record { try $0.absorb(moved, of: source.id, overdrafts: policy, at: date) }
            try remainder.record { try $0.absorb(kept, of: source.id, overdrafts: policy, at: date) }
            for (wallet, balance) in source.facts.balances.sorted(by: { $0.key < $1.key }) {
                // The remaining customer has its own units, or its debt, as far as the divided one had as much.
                let remaining = min(max(remainder.received(wallet), min(0, balance)), max(0, balance))
                // The token is random, because devices choose tokens and may know those of operators.
                let token = "transfer \(makeIdentifier())"
                try remainder.receive(remaining, in: wallet, token: token, overdrafts: policy, at: date)
                try receiver.receive(
                    balance.subtractingSaturated(remaining), in: wallet, token: token, overdrafts: policy, at: date)
                try remainder.endUncoveredLeases(ofWallet: wallet, overdrafts: policy, at: date)
                try receiver.endUncoveredLeases(ofWallet: wallet, overdrafts: policy, at: date)
            }
        } catch {
            throw CustomerError(ledger: error)
        }
        return (receiver, remainder)
    }

    /// Returns the steps that record what a customer receives.
    private func recording(
        _ recipient: Recipient, _ statements: [String: Date]
    ) throws(CustomerError) -> [SQLStep] {
        let (customer, changed) = (recipient.before, recipient.after)
        let condition = ChangeCondition(customer: customer.id, writer: makeIdentifier())
        let update = SQLStep(
            SQLStatement(
                """
                UPDATE customer SET sequence = $2, writer = $3 WHERE id = $1 AND writer = $4 AND merged_into IS NULL
                """, .text(customer.id), .integer(changed.sequence), .text(condition.writer), .text(customer.writer)),
            changing: 1)
        // For each purchase the later signing date counts.
        let later = statements.filter { $0.value > customer.facts.statements[$0.key] ?? .distantPast }
        var steps = [update]
        steps += insertions(of: recipient.entries, app: customer.app, if: condition, takingOver: true)
            .map { SQLStep($0, changing: 1) }
        steps += later.sorted { $0.key < $1.key }.map { SQLStep(notation(of: $0.key, $0.value, if: condition)) }
        return steps
    }
}

/// Customer that receives facts of another one.
private struct Recipient {
    let before: KnownCustomer
    private(set) var after: KnownCustomer
    /// New facts of the customer.
    private(set) var entries: [LedgerEntry] = []

    init(_ customer: KnownCustomer) { (before, after) = (customer, customer) }

    mutating func record(_ decide: (inout LedgerRules<FactsInMemory>) throws -> Void) throws {
        var rules = LedgerRules(after.facts, isServer: true)
        try decide(&rules)
        entries += after.facts.append(acceptedBy: rules)
    }

    /// Returns the number of units by which a balance has grown.
    func received(_ wallet: String) -> Int {
        after.facts.balance(of: wallet).subtractingSaturated(before.facts.balance(of: wallet))
    }

    /// Debits the units of a wallet that the customer has received beyond a number, or deposits those that it has spent
    /// and did not receive.
    ///
    /// - Parameter units: Number of units by which the balance is to have grown; below zero for a debt. A customer who has
    ///   received fewer units gets a deposit only for what it has spent.
    /// - Throws: ``LedgerError`` `conflict` if the debit or deposit cannot be recorded.
    mutating func receive(
        _ units: Int, in wallet: String, token: String, overdrafts policy: OverdraftPolicy, at date: Date
    ) throws {
        let received = received(wallet)
        let difference = min(units, max(0, received)).subtractingSaturated(received)
        guard difference != 0 else { return }
        let amount = difference.magnitudeSaturated
        let fact: Fact =
            difference > 0
            ? .deposit(Fact.Deposit(token: token, wallet: wallet, amount: amount, reason: "transfer"))
            : .debit(Fact.Debit(token: token, wallet: wallet, amount: amount))
        // The fact follows all that has changed the balance, in the order of the facts.
        let moment = max(date, after.facts.entries.map(\.moment).max() ?? date)
        try record(
            [ExchangedFact(fact: fact, moment: moment, device: ServerDeviceIdentifier.merged)], overdrafts: policy,
            at: date)
    }

    /// Ends the leases that received devices have of a wallet, if together they are for more units than the customer has
    /// beside its own leases.
    ///
    /// - Throws: ``LedgerError`` `conflict` if the end of a lease cannot be recorded.
    mutating func endUncoveredLeases(
        ofWallet wallet: String, overdrafts policy: OverdraftPolicy, at date: Date
    ) throws {
        let entries = after.facts.entries(ofWallet: wallet)
        func unitsLeft(of leases: [LedgerEntry]) -> Int {
            leases.unitsLeft(after: entries, released: [:], at: date, grace: Fact.Lease.grace)
        }
        let leases = after.facts.reportableLeases(ofWallet: wallet, at: date)
        let received = leases.filter { $0.sequence > before.sequence }
        let own = leases.filter { $0.sequence <= before.sequence }
        let free = after.facts.balance(of: wallet).subtractingSaturated(unitsLeft(of: own))
        guard unitsLeft(of: received) > max(0, free) else { return }
        let releases = received.compactMap { lease in
            lease.device.map { device in
                ExchangedFact(fact: .release(Fact.Release(token: lease.fact.key)), moment: date, device: device)
            }
        }
        try record(releases, overdrafts: policy, at: date)
    }

    private mutating func record(
        _ facts: [ExchangedFact], overdrafts policy: OverdraftPolicy, at date: Date
    ) throws {
        try record { rules in
            let problems = try rules.merge(facts, adjusting: [], overdrafts: policy, at: date)
            if let problem = problems.values.first { throw LedgerError(code: .conflict, reason: problem.reason) }
        }
    }
}
