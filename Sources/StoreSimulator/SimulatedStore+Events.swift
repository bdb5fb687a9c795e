internal import FileSystem
internal import Foundation
internal import ProductCatalog
public import Purchasing
internal import Receipts

/// Events that occur without a call of the app. A new or changed transaction is sent as an update to the listeners in
/// this process, and is among the unfinished transactions in all other processes.
extension SimulatedStore {
    /// Buys a product as on another device of the customer. This always creates a new transaction, also for a product
    /// that was bought before.
    ///
    /// - Throws: `StoreError` if the store does not sell the product in this quantity.
    @discardableResult
    public func purchaseElsewhere(_ identifier: String, quantity: Int = 1) async throws(StoreError)
        -> SimulatedTransaction
    {
        let order = try await order(identifier, options: PurchaseOptions(quantity: quantity), at: now())
        do {
            return try await add(order)
        } catch {
            throw StoreError(error)
        }
    }

    // MARK: Ask to Buy

    /// Approves a pending purchase: it becomes a transaction with the same number and the current purchase date.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if the purchase does not wait for approval.
    @discardableResult
    public func approve(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        let date = now()
        return try send(await database.approve(id, at: date), at: date)
    }

    /// Declines a pending purchase: it is removed, and the app is not notified.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if the purchase does not wait for approval.
    @discardableResult
    public func decline(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await database.decline(id)
    }

    // MARK: Refunds

    /// Refunds a transaction. It is sent with its revocation date, and remains unfinished until the app has finished it
    /// again. A transaction that was already revoked is sent again unchanged.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction`, or if the store's state cannot be used.
    @discardableResult
    public func refund(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(id) { $0.takeBack(at: $1, after: $2) }
    }

    /// Reverses a refund: the transaction is valid again. It is sent without a revocation date, with a later signature
    /// than the refund, and remains unfinished until the app has finished it again.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if no revoked transaction has this number.
    @discardableResult
    public func reverseRefund(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(id) { record, _, signature in
            guard record.revocationDate != nil else {
                throw SimulatedStoreError(
                    code: .noSuchTransaction, reason: "transaction \(id) has not been revoked")
            }
            record.revocationDate = nil
            record.beginState(after: signature)
        }
    }

    // MARK: Family Sharing

    /// Shares a product with the customer, as if a member of their family owned it.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchProduct` for a product that is not a non-consumable with Family
    ///   Sharing.
    @discardableResult
    public func share(_ productIdentifier: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        guard let item = item(productIdentifier), item.kind == .nonConsumable, item.isFamilyShareable,
            var shared = try? await order(productIdentifier, options: PurchaseOptions(), at: now())
        else {
            throw SimulatedStoreError(
                code: .noSuchProduct, reason: "the store has no \(productIdentifier) with Family Sharing")
        }
        shared.ownershipType = .familyShared
        return try await add(shared)
    }

    /// Ends Family Sharing of a transaction, which is revoked, as with a refund.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if no transaction with this number is shared by the
    ///   family.
    @discardableResult
    public func revokeFamily(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(id) { record, date, signature in
            guard record.ownershipType == .familyShared else {
                throw SimulatedStoreError(
                    code: .noSuchTransaction, reason: "transaction \(id) is not shared by the family")
            }
            record.takeBack(at: date, after: signature)
        }
    }

    // MARK: Promotions

    /// Adds a promoted purchase: a product that the customer selects in the store itself, outside the app. The first
    /// stream of the app that is read receives it, once, possibly after the next launch.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchProduct` if the store does not sell the product.
    public func promote(_ productIdentifier: String) async throws(SimulatedStoreError) {
        guard item(productIdentifier)?.price != nil else {
            throw SimulatedStoreError(
                code: .noSuchProduct, reason: "the store does not sell \(productIdentifier)")
        }
        try await database.addPromotion(of: productIdentifier)
        promotionSignals.send(())
    }
}

extension SimulatedStore {
    private func add(_ order: SimulatedTransaction) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try send(await database.add(order), at: order.purchaseDate)
    }

    /// Changes a transaction, and sends it to the app again.
    ///
    /// - Parameter body: Receives the record, the date, and the latest date of any signature so far, in milliseconds
    ///   since 1970.
    private func change(
        _ id: String, _ body: @escaping @Sendable (inout PurchaseRecord, Date, Int64) throws -> Void
    ) async throws(SimulatedStoreError) -> SimulatedTransaction {
        let date = now()
        // The clock may have been set back since the last signature.
        let signature = max(date.milliseconds, latestSignature.withLock { $0 })
        guard let changed = try await database.change(id, { try body(&$0, date, signature) }) else {
            throw SimulatedStoreError(code: .noSuchTransaction, reason: "the store has no transaction \(id)")
        }
        return try send(changed, at: date)
    }

    private func send(
        _ transaction: SimulatedTransaction, at date: Date
    ) throws(SimulatedStoreError) -> SimulatedTransaction {
        transactionUpdates.send(try sign(transaction, at: date))
        return transaction
    }
}

extension PurchaseRecord {
    /// Revokes the purchase, unless it is revoked already, and makes the store send its transaction again.
    fileprivate mutating func takeBack(at date: Date, after signature: Int64) {
        isFinished = false
        guard revocationDate == nil else { return }
        revocationDate = date.milliseconds
        beginState(after: signature)
    }
}

/// Channel that sends each value to all listeners of the moment.
final class Broadcast<Value: Sendable>: Sendable {
    private let listeners = Locked<[UUID: AsyncStream<Value>.Continuation]>([:])

    /// Returns a stream of the values sent from now on, until the reader is cancelled.
    func stream() -> AsyncStream<Value> {
        let key = UUID()
        let (stream, continuation) = AsyncStream<Value>.makeStream()
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.removeValue(forKey: key) }
        }
        listeners.withLock { $0[key] = continuation }
        return stream
    }

    func send(_ value: Value) {
        for listener in listeners.withLock({ Array($0.values) }) { listener.yield(value) }
    }
}
