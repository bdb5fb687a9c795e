internal import Foundation
internal import VitrineCatalog
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
    func insertion(of identity: CustomerIdentity, customer: String, app: String) -> SQLStatement {
        SQLStatement(
            """
            INSERT INTO identity (app, kind, value, customer, since) VALUES ($1, $2, $3, $4, $5) \
            ON CONFLICT (app, kind, value) DO NOTHING
            """, .text(app), .text(identity.kind.rawValue), .text(identity.value), .text(customer),
            .integer(now.milliseconds))
    }

    /// Returns a statement that creates a customer without facts.
    func insertion(ofCustomer id: String, app: String) -> SQLStatement {
        SQLStatement(
            "INSERT INTO customer (id, app, created, sequence, writer, merged_into) VALUES ($1, $2, $3, 0, '', NULL)",
            .text(id), .text(app), .integer(now.milliseconds))
    }

    func deviceCount(of customer: String) async throws(CustomerError) -> Int {
        let rows = try await rows("SELECT count(*) FROM device WHERE customer = $1 AND ended IS NULL", .text(customer))
        return Int(rows.first?.first?.integer ?? 0)
    }

    // MARK: Owners of transactions

    /// Returns the customer that owns a transaction, independent of its sender: the customer that the app named in the
    /// purchase, otherwise the one with the transaction's store account, otherwise the one with the purchase's first
    /// transaction.
    ///
    /// - Returns: `nil` if there is no such customer.
    func owner(of payload: TransactionPayload, app: String) async throws(CustomerError) -> TransactionOwner? {
        let identities = payload.identities
        if let token = payload.appAccountToken {
            let id = token.uuidString.lowercased()
            let rows = try await rows("SELECT app FROM customer WHERE id = $1", .text(id))
            if rows.first?.first?.text == app {
                // The named customer does not get the transaction's store account: anyone who learns a customer's
                // identifier can name it in a purchase, and must not become that customer.
                return TransactionOwner(
                    id: try await resolveMerged(of: id).id, isNamed: true,
                    missing: identities.filter { $0.kind == .purchase })
            }
        }
        let rows = try await rows(
            """
            SELECT identity.kind, identity.customer, customer.merged_into FROM identity \
            JOIN customer ON customer.id = identity.customer WHERE identity.app = $1 \
            AND (identity.kind = $2 AND identity.value = $3 OR identity.kind = $4 AND identity.value = $5)
            """, .text(app), .text(CustomerIdentity.Kind.appTransaction.rawValue),
            .text(payload.appTransactionID ?? ""), .text(CustomerIdentity.Kind.purchase.rawValue),
            .text(payload.originalTransactionID))
        var known: [CustomerIdentity.Kind: String] = [:]
        for row in rows where row.count == 3 {
            guard let kind = row[0].text.flatMap(CustomerIdentity.Kind.init), let customer = row[1].text else {
                continue
            }
            known[kind] = row[2] == .null ? customer : try await resolveMerged(of: customer).id
        }
        guard let id = identities.lazy.compactMap({ known[$0.kind] }).first else { return nil }
        return TransactionOwner(
            id: id, isNamed: false, missing: identities.filter { known[$0.kind] == nil })
    }

    /// Returns the customer that owns a transaction. Creates a customer without devices if there is none.
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

    /// Returns the customer that receives a transaction sent by a device.
    ///
    /// A customer that the transaction names receives it. Otherwise the device's customer receives it, unless this
    /// customer has another store account, or the transaction's current owner has an account of the app's own login.
    func owner(
        of payload: TransactionPayload, sentBy device: EnrolledDevice
    ) async throws(CustomerError) -> (owner: TransactionOwner, isOfDevice: Bool) {
        let owner = try await owner(of: payload, app: device.app)
        if let owner, owner.id == device.customer { return (owner, true) }
        let own = try await resolveMerged(of: device.customer).id
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
            // Another request may add the same identities at the same time; the first one decides.
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

    /// Indicates that two customers can be merged: one of them has an account, or together they have no more devices
    /// than a customer without an account may have.
    private func canJoin(_ first: String, _ second: String, app: String) async throws(CustomerError) -> Bool {
        let all = try await identities(of: first) + identities(of: second)
        guard !all.contains(where: { $0.kind == .account }) else { return true }
        let count = try await deviceCount(of: first) + deviceCount(of: second)
        return count <= (try self.app(app)).mostDevicesWithoutAccount
    }
}

/// Customer that owns a transaction.
struct TransactionOwner: Sendable {
    let id: String
    /// `true` if the transaction itself names the customer, by its `appAccountToken`.
    let isNamed: Bool
    /// Identities of the transaction that no known customer has. This customer receives them together with the facts.
    let missing: [CustomerIdentity]
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
