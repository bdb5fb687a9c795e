internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineFileSystem
internal import VitrineReceipts
internal import VitrineSupport

/// Identity of an app's customer: an account, a store account or a purchase. It belongs to at most one customer.
struct CustomerIdentity: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Account of the app's own login.
        case account
        /// Store account: an identifier of the store for the customer of an app, the same on all devices.
        case appTransaction
        /// Purchase, identified by its first transaction.
        case purchase
    }

    let kind: Kind
    let value: String
}

extension CustomerRecords {
    /// Returns the customer with an identity; `nil` if there is none.
    func customer(_ identity: CustomerIdentity, of app: String) async throws(CustomerError) -> String? {
        let rows = try await rows(
            "SELECT customer FROM identity WHERE app = $1 AND kind = $2 AND value = $3", .text(app),
            .text(identity.kind.rawValue), .text(identity.value))
        guard let id = rows.first?.first?.text else { return nil }
        return try await resolveMerged(of: id).id
    }

    func identities(of customer: String) async throws(CustomerError) -> [CustomerIdentity] {
        let rows = try await rows(
            "SELECT kind, value FROM identity WHERE customer = $1 ORDER BY kind, value", .text(customer))
        return rows.compactMap { row in
            guard row.count == 2, let kind = row[0].text.flatMap(CustomerIdentity.Kind.init), let value = row[1].text
            else { return nil }
            return CustomerIdentity(kind: kind, value: value)
        }
    }

    /// Returns a statement that adds an identity to a customer, unless the identity already belongs to a customer.
    ///
    /// A customer who is erased or merged at the same time must not receive the identity, because it would then belong to
    /// nobody.
    ///
    /// - Parameters:
    ///   - condition: Condition of the change that includes the statement; `nil` in a transaction that has created the
    ///     customer, or has locked it (``locking(ofCustomer:)``).
    ///   - mustBeNew: `true` to let the database refuse the whole change if the identity belongs to a customer already.
    func insertion(
        of identity: CustomerIdentity, customer: String, app: String, if condition: ChangeCondition? = nil,
        mustBeNew: Bool = false
    ) -> SQLStatement {
        let values: [SQLValue] = [
            .text(app), .text(identity.kind.rawValue), .text(identity.value), .text(customer),
            .integer(now.milliseconds),
        ]
        return SQLStatement(
            """
            INSERT INTO identity (app, kind, value, customer, since) SELECT $1, $2, $3, $4, $5 \
            \(condition?.clause(after: 5) ?? "WHERE true")\(mustBeNew ? "" : " ON CONFLICT (app, kind, value) DO NOTHING")
            """, values: values + (condition?.values ?? []))
    }

    /// Returns a statement that creates a customer without facts.
    func insertion(ofCustomer id: String, app: String) -> SQLStatement {
        SQLStatement(
            "INSERT INTO customer (id, app, created, sequence, writer, merged_into) VALUES ($1, $2, $3, 0, '', NULL)",
            .text(id), .text(app), .integer(now.milliseconds))
    }

    /// Returns a statement that makes other changes of a customer's devices wait until the transaction ends.
    func locking(ofCustomer id: String) -> SQLStatement {
        SQLStatement("UPDATE customer SET writer = writer WHERE id = $1 AND merged_into IS NULL", .text(id))
    }

    /// Returns a step that fails if a customer has no account of the app's own login and too many devices.
    func limit(ofDevices most: Int, of customer: String) -> SQLStep {
        SQLStep(
            SQLStatement(
                """
                UPDATE customer SET writer = writer WHERE id = $1 AND \
                ((SELECT count(*) FROM device WHERE customer = $1 AND ended IS NULL) <= $2 \
                OR EXISTS (SELECT 1 FROM identity WHERE customer = $1 AND kind = $3))
                """, .text(customer), .integer(Int64(most)), .text(CustomerIdentity.Kind.account.rawValue)),
            changing: 1)
    }

    /// - Parameter device: Identifier of a device that is not counted; `nil` to count all.
    func deviceCount(of customer: String, without device: String? = nil) async throws(CustomerError) -> Int {
        let rows = try await rows(
            "SELECT count(*) FROM device WHERE customer = $1 AND ended IS NULL AND id <> $2", .text(customer),
            .text(device ?? ""))
        return Int(rows.first?.first?.integer ?? 0)
    }

    // MARK: Owners of transactions

    /// Returns the customer that owns a transaction, independent of its sender: the customer that the app named in the
    /// purchase, otherwise the one with the transaction's store account, otherwise the one with the purchase's first
    /// transaction. A customer that has the purchase keeps it, as ``keepingHolders(of:_:_:receiver:app:)`` describes.
    ///
    /// - Returns: The owner, `nil` if there is no such customer; and the state of the purchase since the erasure of a
    ///   customer.
    private func owner(
        of payload: TransactionPayload, app: String
    ) async throws(CustomerError) -> (owner: TransactionOwner?, erased: ErasedPurchase) {
        for _ in 0..<Self.mostTries {
            let (found, erased) = try await presentOwner(of: payload, app: app)
            guard var owner = found else { return (nil, erased) }
            guard let holder = try await unusedHolder(of: payload, from: owner) else {
                if owner.unitsElsewhere != nil { owner.erased.hasUnits = true }
                return (owner, erased)
            }
            try await move(payload, from: holder, to: owner.id)
        }
        throw CustomerError(code: .unavailable, reason: "other requests keep changing the customers of the purchase")
    }

    /// Returns a customer whom nobody uses, and who has a purchase, or its units, that its owner lacks; `nil` if there is none,
    /// or the store has ended the purchase, so that there is nothing to receive. To an owner who has the purchase, its units
    /// move only if somebody uses the owner.
    private func unusedHolder(
        of payload: TransactionPayload, from owner: TransactionOwner
    ) async throws(CustomerError) -> String? {
        let receiver = owner.unitsElsewhere
        guard payload.revocationDate == nil, !owner.others.isEmpty, receiver != nil || !owner.hasPurchase else {
            return nil
        }
        if owner.hasPurchase {
            guard try await isUsed(owner.id) else { return nil }
        }
        for holder in owner.others where receiver == nil || receiver == holder {
            if try await !isUsed(holder) { return holder }
        }
        return nil
    }

    /// Returns the owner of a transaction, with the other customer who has received the units of the purchase if there is
    /// one.
    private func presentOwner(
        of payload: TransactionPayload, app: String
    ) async throws(CustomerError) -> (owner: TransactionOwner?, erased: ErasedPurchase) {
        let identities = payload.identities
        let rows = try await rows(
            """
            SELECT identity.kind, identity.customer, customer.merged_into FROM identity \
            JOIN customer ON customer.id = identity.customer WHERE identity.app = $1 \
            AND (identity.kind = $2 AND identity.value = $3 OR identity.kind = $4 AND identity.value = $5) \
            UNION ALL SELECT 'named', id, merged_into FROM customer WHERE id = $6 AND app = $1 \
            UNION ALL SELECT 'units', code, customer FROM received_units WHERE app = $1 AND code = $7 \
            UNION ALL SELECT 'end', CAST(signed AS TEXT), NULL FROM erased_end WHERE app = $1 AND code = $8 \
            UNION ALL SELECT DISTINCT 'statement', customer, NULL FROM purchase_fact \
            WHERE app = $1 AND original = $5
            """, .text(app), .text(CustomerIdentity.Kind.appTransaction.rawValue),
            .text(payload.appTransactionID ?? ""), .text(CustomerIdentity.Kind.purchase.rawValue),
            .text(payload.originalTransactionID), .text(payload.appAccountToken?.uuidString.lowercased() ?? ""),
            .text(code(of: ReceivedUnits(purchase: payload.purchaseID), app: app)),
            .text(code(ofEnd: payload.purchaseID, app: app)))
        var known: [CustomerIdentity.Kind: String] = [:]
        var (named, receiver): (String?, String?)
        var erased = ErasedPurchase()
        var others: Set<String> = []
        for row in rows where row.count == 3 {
            guard let kind = row[0].text, let value = row[1].text else { continue }
            switch kind {
            case "units":
                receiver = row[2].text
                erased.hasUnits = receiver == nil
                continue
            case "end":
                erased.endSigned = Int64(value).map(Date.init(milliseconds:))
                continue
            case "statement":
                others.insert(value)
                continue
            default: break
            }
            let id = row[2] == .null ? value : try await resolveMerged(of: value).id
            if let kind = CustomerIdentity.Kind(rawValue: kind) { known[kind] = id } else { named = id }
        }
        let candidates = [named] + identities.map { known[$0.kind] }
        guard let id = candidates.lazy.compactMap(\.self).first else { return (nil, erased) }
        // The named customer does not get the transaction's store account: anyone who learns a customer's identifier can
        // name it in a purchase, and must not become that customer.
        let missing = identities.filter { known[$0.kind] == nil && (named == nil || $0.kind == .purchase) }
        let owner = TransactionOwner(id: id, isNamed: named != nil, missing: missing, erased: erased)
        // An owner is not merged into another customer.
        if let present = receiver, present != id { receiver = try await resolveMerged(of: present).id }
        others.formUnion(candidates.compactMap(\.self) + [receiver].compactMap(\.self))
        return (try await keepingHolders(of: payload, owner, others, receiver: receiver, app: app), erased)
    }

    /// Returns the owner of a transaction, after a look at the customers that have its purchase already.
    ///
    /// Copies of a transaction may name different customers, because the app's server can change the account token of a
    /// purchase. The purchase then stays with the customer that has it, so that it is not delivered twice: by a copy that
    /// names another customer, and by a copy without a name if it was recorded with one, or has credited units. A customer
    /// whom nobody uses (``isUsed(_:)``) keeps it only from a copy that was signed earlier.
    ///
    /// Statements of the store about the purchase, such as a refund, concern all customers that have it, also if it was
    /// recorded for another customer before. Not all of these customers have an identity of the transaction: only one has
    /// the purchase's first transaction, and the account token names only the last one.
    ///
    /// - Parameters:
    ///   - owner: Owner by the identities of the transaction.
    ///   - customers: Customers with these identities, those who have the purchase or a revocation of it, and the one who has
    ///     received its units.
    ///   - receiver: Customer who has received the units of the purchase; `nil` if nobody has.
    private func keepingHolders(
        of payload: TransactionPayload, _ owner: TransactionOwner, _ customers: Set<String>, receiver: String?,
        app: String
    ) async throws(CustomerError) -> TransactionOwner {
        let others = customers.subtracting([owner.id])
        guard !others.isEmpty else { return owner }
        var holders: [(id: String, purchase: Fact.Purchase, signed: Date)] = []
        var revocations: [ExchangedFact] = []
        // Of several customers that have the purchase, the one with its units keeps it.
        for id in others.sorted(by: { ($0 == receiver ? 0 : 1, $0) < ($1 == receiver ? 0 : 1, $1) }) + [owner.id] {
            let customer = try await customer(id)
            guard customer.mergedInto == nil else { continue }
            if case .purchase(let purchase)? = customer.facts.entry(of: .purchase, key: payload.purchaseID)?.fact {
                let latest = customer.facts.latestStatement(of: payload.purchaseID) ?? .distantPast
                holders.append((id, purchase, max(latest, purchase.origin.signedDate)))
            }
            if id != owner.id, let revocation = try await revocation(of: payload.purchaseID, by: customer) {
                revocations.append(revocation)
            }
        }
        var present = owner
        if !holders.contains(where: { $0.id == owner.id }) {
            for holder in holders {
                var isNamed = owner.isNamed || holder.id == receiver
                if !isNamed { isNamed = try await namesCustomer(holder.purchase, of: app) }
                guard isNamed else { continue }
                var keeps = payload.signedDate < holder.signed
                if !keeps { keeps = try await isUsed(holder.id) }
                guard keeps else { continue }
                present = TransactionOwner(id: holder.id, isNamed: true, missing: [], erased: owner.erased)
                break
            }
        }
        present.others = holders.map(\.id).filter { $0 != present.id }
        present.revocations = revocations
        present.hasPurchase = holders.contains { $0.id == present.id }
        if let receiver, receiver != present.id { present.unitsElsewhere = receiver }
        return present
    }

    /// Returns the revocation of a purchase that is recorded for a customer; `nil` if there is none, or it was reversed.
    private func revocation(
        of purchaseID: String, by customer: KnownCustomer
    ) async throws(CustomerError) -> ExchangedFact? {
        guard let revocation = customer.facts.revocationState(of: purchaseID)?.revocation,
            let entry = customer.facts.entry(of: .revocation, key: Fact.revocation(revocation).key)
        else { return nil }
        let signed = try await entries(of: customer.id, from: entry.sequence, to: entry.sequence, withSignedData: true)
        return signed.first.map {
            ExchangedFact(fact: $0.fact, moment: $0.moment, device: ServerDeviceIdentifier.store)
        }
    }

    /// Indicates that a purchase names a customer of an app.
    private func namesCustomer(_ purchase: Fact.Purchase, of app: String) async throws(CustomerError) -> Bool {
        guard let token = purchase.accountToken else { return false }
        let rows = try await rows("SELECT app FROM customer WHERE id = $1", .text(token.uuidString.lowercased()))
        return rows.first?.first?.text == app
    }

    /// Indicates that a customer has an enrolled device, an account, or documents that a later device can read.
    private func isUsed(_ customer: String) async throws(CustomerError) -> Bool {
        let unused = Self.isUnused(customer)
        return try await rows(
            SQLStatement("SELECT 1 FROM customer WHERE \(unused.sql)", values: unused.values)
        ).isEmpty
    }

    /// Returns an SQL condition for rows of customers: that this is a customer whom nobody uses.
    static func isUnused(_ customer: String) -> SQLStatement {
        SQLStatement(
            """
            id = $1 AND NOT EXISTS (SELECT 1 FROM device WHERE customer = $1 AND ended IS NULL) \
            AND NOT EXISTS (SELECT 1 FROM identity WHERE customer = $1 AND kind = $2) \
            AND NOT EXISTS (SELECT 1 FROM document WHERE customer = $1)
            """, .text(customer), .text(CustomerIdentity.Kind.account.rawValue))
    }

    /// Returns the customer that owns a transaction. Creates a customer without devices if there is none.
    func ownerOrNew(of payload: TransactionPayload, app: String) async throws(CustomerError) -> TransactionOwner {
        for _ in 0..<Self.mostTries {
            let (owner, erased) = try await owner(of: payload, app: app)
            if let owner { return owner }
            let id = makeIdentifier()
            let identities = payload.identities.map { SQLStep(insertion(of: $0, customer: id, app: app), changing: 1) }
            if try await transact([SQLStep(insertion(ofCustomer: id, app: app), changing: 1)] + identities) {
                return TransactionOwner(id: id, isNamed: false, missing: [], erased: erased)
            }
        }
        throw CustomerError(
            code: .unavailable, reason: "the purchase's customer is missing, or other requests keep creating it")
    }

    /// Returns the customer that owns a transaction sent by a device.
    ///
    /// The sender does not decide: anyone may have a copy of a transaction. Only a transaction that the store has signed
    /// for the device itself proves the device's store account, which the device's customer then gets.
    ///
    /// - Parameter identifier: Identifier to which the store binds the data that it signs for the device.
    func owner(
        of payload: TransactionPayload, sentBy device: EnrolledDevice, boundTo identifier: UUID?
    ) async throws(CustomerError) -> (owner: TransactionOwner, isOfDevice: Bool) {
        if let identifier, payload.isBound(to: identifier), let proven = payload.identities.first {
            try await add(proven, provenBy: device)
        }
        let owner = try await ownerOrNew(of: payload, app: device.app)
        // An owner is not merged into another customer.
        var isOfDevice = owner.id == device.customer
        if !isOfDevice { isOfDevice = try await resolveMerged(of: device.customer).id == owner.id }
        return (owner, isOfDevice)
    }

    /// Adds a store account that a device has proven to its customer, or merges the customer with the one that has the
    /// store account. For a transaction without a store account the same applies to the purchase, which only a customer
    /// without devices gives away.
    ///
    /// Nothing changes if the customer has another store account, if the other customer has an account of the app's own
    /// login, or if both together have too many devices.
    func add(_ identity: CustomerIdentity, provenBy device: EnrolledDevice) async throws(CustomerError) {
        while true {
            let own = try await resolveMerged(of: device.customer).id
            let holder = try await customer(identity, of: device.app)
            guard holder != own else { return }
            let isOfOtherStoreAccount = try await identities(of: own).contains { $0.kind == .appTransaction }
            guard identity.kind != .appTransaction || !isOfOtherStoreAccount else { return }
            if let holder {
                let hasAccount = try await identities(of: holder).contains { $0.kind == .account }
                let isHeld = if identity.kind == .purchase { try await deviceCount(of: holder) > 0 } else { false }
                guard !hasAccount, !isHeld else { return }
                _ = try await join(own, holder, try app(device.app), author: "device \(device.id)")
                return
            }
            // Another request may add the same identity at the same time; the first one decides.
            let steps = [locking(ofCustomer: own), insertion(of: identity, customer: own, app: device.app)]
            if try await transact(steps.map { SQLStep($0, changing: 1) }) { return }
        }
    }
}

/// Customer that owns a transaction.
struct TransactionOwner: Sendable {
    let id: String
    /// `true` if the transaction itself names a customer, by its `appAccountToken`, or was recorded with a name.
    let isNamed: Bool
    /// Identities of the transaction that no known customer has. This customer receives them together with the facts.
    let missing: [CustomerIdentity]
    /// State of the purchase with other customers.
    var erased: ErasedPurchase
    /// Other customers that have the purchase.
    var others: [String] = []
    /// `true` if this customer has the purchase already; determined only if there are others to consider.
    var hasPurchase = false
    /// Another customer who has received the units of the purchase; `nil` if there is none.
    var unitsElsewhere: String?
    /// Revocations of the purchase that were recorded for other customers.
    var revocations: [ExchangedFact] = []
}

extension TransactionPayload {
    /// Identities in the transaction, the more reliable first.
    var identities: [CustomerIdentity] {
        [
            appTransactionID.map { CustomerIdentity(kind: .appTransaction, value: $0) },
            CustomerIdentity(kind: .purchase, value: originalTransactionID),
        ].compactMap(\.self).filter { (1...200).contains($0.value.utf8.count) && !$0.value.utf8.contains(0) }
    }
}
