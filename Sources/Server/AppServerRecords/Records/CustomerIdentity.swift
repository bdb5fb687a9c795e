internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineReceipts
internal import VitrineSupport

/// Identity by which a customer of an app is known. An identity belongs to one customer.
struct CustomerIdentity: Sendable, Hashable {
    enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Account of the app's own login.
        case account
        /// Identifier that the store gives to the customer of an app, the same on all devices of a store account.
        case appTransaction
        /// First transaction of a purchase.
        case purchase
    }

    let kind: Kind
    let value: String
}

extension CustomerRecords {
    /// Returns the customer to whom an identity belongs; `nil` if it belongs to no customer.
    func customer(_ identity: CustomerIdentity, of app: String) async throws(CustomerError) -> String? {
        let rows = try await rows(
            SQLStatement(
                "SELECT customer FROM identity WHERE app = $1 AND kind = $2 AND value = $3", .text(app),
                .text(identity.kind.rawValue), .text(identity.value)))
        guard let id = rows.first?.first?.text else { return nil }
        return try await survivor(of: id).id
    }

    /// Returns the identities of a customer.
    func identities(of customer: String) async throws(CustomerError) -> [CustomerIdentity] {
        let rows = try await rows(
            SQLStatement(
                "SELECT kind, value FROM identity WHERE customer = $1 ORDER BY kind, value", .text(customer)))
        return rows.compactMap { row in
            guard row.count == 2, let kind = row[0].text.flatMap(CustomerIdentity.Kind.init), let value = row[1].text
            else { return nil }
            return CustomerIdentity(kind: kind, value: value)
        }
    }

    /// Returns the statement that gives an identity to a customer, unless it belongs to one.
    func insertion(of identity: CustomerIdentity, customer: String, app: String) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO identity (app, kind, value, customer, since) VALUES ($1, $2, $3, $4, $5) \
            ON CONFLICT (app, kind, value) DO NOTHING
            """, .text(app), .text(identity.kind.rawValue), .text(identity.value), .text(customer),
            .integer(now.milliseconds))
    }

    /// Returns the statement that makes a customer without facts.
    func insertion(ofCustomer id: String, app: String) -> SQLStatement {
        SQLStatement(
            "INSERT INTO customer (id, app, created, sequence, writer, merged_into) VALUES ($1, $2, $3, 0, '', NULL)",
            .text(id), .text(app), .integer(now.milliseconds))
    }

    func deviceCount(of customer: String) async throws(CustomerError) -> Int {
        let rows = try await rows(
            SQLStatement("SELECT count(*) FROM device WHERE customer = $1 AND ended IS NULL", .text(customer)))
        return Int(rows.first?.first?.integer ?? 0)
    }

    // MARK: Owners of transactions

    /// Returns the customer to whom a transaction belongs, whoever has sent it: the customer that the app has named when
    /// the transaction was made, or that of the store account, or of the first transaction of the purchase.
    ///
    /// - Returns: `nil` if no customer is known.
    func owner(of payload: TransactionPayload, app: String) async throws(CustomerError) -> TransactionOwner? {
        let identities = payload.identities
        if let token = payload.appAccountToken {
            let id = token.uuidString.lowercased()
            let rows = try await rows(SQLStatement("SELECT app FROM customer WHERE id = $1", .text(id)))
            if rows.first?.first?.text == app {
                // Its store account stays its own: whoever learns the identifier of a customer can name it in a purchase,
                // and must not become that customer.
                return TransactionOwner(
                    id: try await survivor(of: id).id, isNamed: true,
                    missing: identities.filter { $0.kind == .purchase })
            }
        }
        let rows = try await rows(
            SQLStatement(
                """
                SELECT identity.kind, identity.customer, customer.merged_into FROM identity \
                JOIN customer ON customer.id = identity.customer WHERE identity.app = $1 \
                AND (identity.kind = $2 AND identity.value = $3 OR identity.kind = $4 AND identity.value = $5)
                """, .text(app), .text(CustomerIdentity.Kind.appTransaction.rawValue),
                .text(payload.appTransactionID ?? ""), .text(CustomerIdentity.Kind.purchase.rawValue),
                .text(payload.originalTransactionID)))
        var known: [CustomerIdentity.Kind: String] = [:]
        for row in rows where row.count == 3 {
            guard let kind = row[0].text.flatMap(CustomerIdentity.Kind.init), let customer = row[1].text else {
                continue
            }
            known[kind] = row[2] == .null ? customer : try await survivor(of: customer).id
        }
        guard let id = identities.lazy.compactMap({ known[$0.kind] }).first else { return nil }
        return TransactionOwner(
            id: id, isNamed: false, missing: identities.filter { known[$0.kind] == nil })
    }

    /// Returns the customer to whom a transaction belongs: a new one, without a device, if no customer is known.
    func ownerOrNew(of payload: TransactionPayload, app: String) async throws(CustomerError) -> TransactionOwner {
        while true {
            if let owner = try await owner(of: payload, app: app) { return owner }
            let id = makeIdentifier()
            let identities = payload.identities.map { SQLStep(insertion(of: $0, customer: id, app: app), changing: 1) }
            if try await transact([SQLStep(insertion(ofCustomer: id, app: app), changing: 1)] + identities) {
                return TransactionOwner(id: id, isNamed: false, missing: [])
            }
        }
    }

    /// Returns the customer of whom a transaction is recorded that a device has sent.
    ///
    /// A transaction that names its customer is that customer's. Otherwise it is the device's, unless the device's
    /// customer is known by another store account, or the transaction's by an account of the app.
    func owner(
        of payload: TransactionPayload, sentBy device: EnrolledDevice
    ) async throws(CustomerError) -> (owner: TransactionOwner, isOfDevice: Bool) {
        let owner = try await owner(of: payload, app: device.app)
        if let owner, owner.id == device.customer { return (owner, true) }
        let own = try await survivor(of: device.customer).id
        if let owner, owner.id == own || owner.isNamed { return (owner, owner.id == own) }
        let ownIdentities = try await identities(of: own)
        let isOfOtherStoreAccount = ownIdentities.contains { identity in
            identity.kind == .appTransaction && payload.appTransactionID != nil
                && identity.value != payload.appTransactionID
        }
        guard let owner else {
            guard !isOfOtherStoreAccount else {
                return (try await ownerOrNew(of: payload, app: device.app), false)
            }
            // Another request may be about the same identities: whoever gives them to a customer first decides.
            let steps = payload.identities.map {
                SQLStep(insertion(of: $0, customer: own, app: device.app), changing: 1)
            }
            guard try await transact(steps) else { return try await self.owner(of: payload, sentBy: device) }
            return (TransactionOwner(id: own, isNamed: false, missing: []), true)
        }
        let isOwnKnown = ownIdentities.contains { [.account, .appTransaction].contains($0.kind) }
        let owners = try await identities(of: owner.id)
        let isOwnerBare = try await deviceCount(of: owner.id) == 0 && !owners.contains { $0.kind == .account }
        let isAnonymous = !isOwnKnown && !owners.contains { $0.kind == .account }
        guard !isOfOtherStoreAccount, isOwnerBare || isAnonymous,
            try await canJoin(own, owner.id, app: device.app)
        else { return (owner, false) }
        let merged = try await merge(own, owner.id, author: "device \(device.id)")
        return (TransactionOwner(id: merged, isNamed: false, missing: owner.missing), true)
    }

    /// Returns `true` if two customers together have no more devices than one without an account may have.
    private func canJoin(_ first: String, _ second: String, app: String) async throws(CustomerError) -> Bool {
        let all = try await identities(of: first) + identities(of: second)
        guard !all.contains(where: { $0.kind == .account }) else { return true }
        let count = try await deviceCount(of: first) + deviceCount(of: second)
        return count <= (try self.app(app)).mostDevicesWithoutAccount
    }
}

/// Customer to whom a transaction belongs.
struct TransactionOwner: Sendable {
    let id: String
    /// `true` if the transaction itself names the customer.
    let isNamed: Bool
    /// Identities of the transaction that belong to no customer yet, as far as is known. They are given to the customer
    /// with the facts.
    let missing: [CustomerIdentity]
}

extension TransactionPayload {
    /// Identities that the transaction has by itself, the more telling first.
    var identities: [CustomerIdentity] {
        [
            appTransactionID.map { CustomerIdentity(kind: .appTransaction, value: $0) },
            CustomerIdentity(kind: .purchase, value: originalTransactionID),
        ].compactMap(\.self).filter { (1...200).contains($0.value.utf8.count) && !$0.value.utf8.contains(0) }
    }
}
