internal import Foundation
internal import GRDB
internal import ProductCatalog
internal import Purchasing

/// Result of a purchase.
enum PurchaseOutcome {
    case bought(SimulatedTransaction)
    /// The purchase needs another person's approval.
    case pending
    /// The purchase fails with the failure that was set. With a lost answer only, the product is bought nevertheless.
    case failed(SimulatedFailure)
}

extension StoreDatabase {
    /// Returns the transaction of a new purchase, or the existing one that answers it without a charge, unless the
    /// purchase is set to fail.
    func purchase(_ order: SimulatedTransaction) async throws(SimulatedStoreError) -> PurchaseOutcome {
        try await write { database in
            let failure = try ArmedFailure.take(for: .purchase, from: database)
            if let failure, failure != .lostAnswer { return .failed(failure) }
            let outcome = try order.answered(in: database)
            return failure.map { .failed($0) } ?? outcome
        }
    }

    /// Adds a new transaction, regardless of earlier purchases.
    func add(_ order: SimulatedTransaction) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await write { try order.inserted(into: $0) }
    }

    /// Returns the valid and the revoked transactions, oldest first.
    func transactions() async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await purchases(arePending: false)
    }

    /// Returns the purchases that wait for approval, oldest first.
    func pendingPurchases() async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await purchases(arePending: true)
    }

    private func purchases(arePending: Bool) async throws(SimulatedStoreError) -> [SimulatedTransaction] {
        try await read {
            try PurchaseRecord.filter { $0.isPending == arePending }.order { $0.id }.fetchAll($0).map(\.transaction)
        }
    }

    /// Marks a transaction as finished, unless its state has changed since the app received it.
    ///
    /// - Parameters:
    ///   - revocationDate: The revocation date that the app received, in milliseconds since 1970.
    ///   - signedDate: The date of the signature that the app received, in milliseconds since 1970.
    func finish(
        _ id: String, revocationDate: Int64?, signedDate: Int64
    ) async throws(SimulatedStoreError) {
        try await change(id) { record in
            guard record.revocationDate == revocationDate, record.signedFrom <= signedDate else { return }
            record.isFinished = true
            record.signedFrom = signedDate
        }
    }

    /// Changes a transaction. If it is revoked, the app receipt on the device is reissued.
    ///
    /// - Returns: `nil` if there is no such transaction, or only a pending one.
    @discardableResult
    func change(
        _ id: String, _ body: @escaping @Sendable (inout PurchaseRecord) throws -> Void
    ) async throws(SimulatedStoreError) -> SimulatedTransaction? {
        try await write { database in
            guard var record = try PurchaseRecord.fetchOne(database, key: Int64(id)), !record.isPending else {
                return nil
            }
            let wasRevoked = record.revocationDate != nil
            try record.updateChanges(database, modify: body)
            if !wasRevoked, let date = record.revocationDate {
                try DeviceReceipt.reissue(at: Date(milliseconds: date), in: database)
            }
            return record.transaction
        }
    }

    /// Converts a pending purchase into a transaction. A product that was bought meanwhile is not charged for again: the
    /// purchase is removed, and the existing transaction returned.
    func approve(_ id: String, at date: Date) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await write { database in
            var record = try Self.pendingPurchase(id, in: database)
            if let earlier = try record.transaction.answering(in: database), record.transaction.kind != .consumable {
                try record.delete(database)
                return earlier.transaction
            }
            try record.updateChanges(database) {
                $0.isPending = false
                $0.purchaseDate = date.milliseconds
            }
            try DeviceReceipt.issue(ReceiptRequest(), at: date, in: database)
            return record.transaction
        }
    }

    /// Removes a pending purchase.
    func decline(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await write { database in
            let record = try Self.pendingPurchase(id, in: database)
            try record.delete(database)
            return record.transaction
        }
    }

    private static func pendingPurchase(_ id: String, in database: Database) throws -> PurchaseRecord {
        guard let record = try PurchaseRecord.fetchOne(database, key: Int64(id)) else {
            throw SimulatedStoreError(
                code: .noSuchTransaction,
                reason: "no purchase \(id) waits for approval: it was declined before, or never requested")
        }
        guard record.isPending else {
            throw SimulatedStoreError(
                code: .noSuchTransaction,
                reason: "the purchase \(id) does not wait for approval: it is a transaction already")
        }
        return record
    }
}

extension SimulatedTransaction {
    fileprivate func answered(in database: Database) throws -> PurchaseOutcome {
        if let record = try answering(in: database) {
            try DeviceReceipt.issue(ReceiptRequest(), at: purchaseDate, in: database)
            return .bought(record.transaction)
        }
        guard try StoreSettings.fetch(from: database).asksToBuy else {
            let transaction = try inserted(into: database)
            try DeviceReceipt.issue(ReceiptRequest(), at: purchaseDate, in: database)
            return .bought(transaction)
        }
        // A repeated request for a product that is bought once is merged with the one before, and valid from now on.
        if kind != .consumable, var earlier = try pendingRecord(in: database) {
            try earlier.updateChanges(database) { $0.purchaseDate = purchaseDate.milliseconds }
            return .pending
        }
        var pending = self
        pending.isPending = true
        _ = try pending.inserted(into: database)
        return .pending
    }

    /// Returns the valid transaction that answers a purchase without a charge.
    fileprivate func answering(in database: Database) throws -> PurchaseRecord? {
        let earlier = PurchaseRecord.order { $0.id }
            .filter { $0.productIdentifier == productIdentifier && !$0.isPending && $0.revocationDate == nil }
        return try (kind == .consumable ? earlier.filter { !$0.isFinished } : earlier).fetchOne(database)
    }

    private func pendingRecord(in database: Database) throws -> PurchaseRecord? {
        try PurchaseRecord.filter { $0.productIdentifier == productIdentifier && $0.isPending }.fetchOne(database)
    }

    fileprivate func inserted(into database: Database) throws -> SimulatedTransaction {
        var record = PurchaseRecord(self)
        try record.insert(database)
        return record.transaction
    }
}
