internal import FileSystem
internal import Foundation
internal import ProductCatalog
public import Purchasing
internal import Receipts

/// What happens without a call of the app. A transaction that is new or changed comes as an update to whoever listens in
/// this process, and with the unfinished transactions to every other.
extension SimulatedStore {
    /// Buys something as on another device of the customer's. That is always a new transaction, also of what was bought
    /// before.
    ///
    /// - Throws: `StoreError` where the store does not sell that.
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

    /// Approves a pending purchase: it becomes a transaction of the same number, bought now.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` where it does not wait for approval, or not any more.
    @discardableResult
    public func approve(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        let date = now()
        return try send(await database.approve(id, at: date), at: date)
    }

    /// Declines a pending purchase: it is gone, and the app is not told.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` where it does not wait for approval, or not any more.
    @discardableResult
    public func decline(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await database.decline(id)
    }

    // MARK: Refunds

    /// Gives the customer the money back. The transaction comes with its revocation date, and stays unfinished until
    /// the app has finished it again. One that was taken back before is sent again as it is.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction`, or where the store's state cannot be used.
    @discardableResult
    public func refund(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(id) { $0.takeBack(at: $1, after: $2) }
    }

    /// Takes a refund back: the transaction counts again. It comes without a revocation date, signed later than the
    /// refund, and stays unfinished until the app has finished it again.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` where none was taken back under this number.
    @discardableResult
    public func reverseRefund(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(id) { record, _, signature in
            guard record.revocationDate != nil else {
                throw SimulatedStoreError(
                    code: .noSuchTransaction, reason: "the transaction \(id) has not been taken back")
            }
            record.revocationDate = nil
            record.beginState(after: signature)
        }
    }

    // MARK: The family

    /// Has somebody of the customer's family share a product that they own.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchProduct` for anything but a non-consumable that can be shared.
    @discardableResult
    public func share(_ productIdentifier: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        guard let item = item(productIdentifier), item.kind == .nonConsumable, item.isFamilyShareable,
            var shared = try? await order(productIdentifier, options: PurchaseOptions(), at: now())
        else {
            throw SimulatedStoreError(
                code: .noSuchProduct, reason: "the store has no \(productIdentifier) that a family can share")
        }
        shared.ownershipType = .familyShared
        return try await add(shared)
    }

    /// Has the customer's family stop sharing: the transaction is taken back, as with a refund.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` where none is shared by the family under this number.
    @discardableResult
    public func revokeFamily(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(id) { record, date, signature in
            guard record.ownershipType == .familyShared else {
                throw SimulatedStoreError(
                    code: .noSuchTransaction, reason: "the transaction \(id) is not shared by the family")
            }
            record.takeBack(at: date, after: signature)
        }
    }

    // MARK: Promotions

    /// Asks for a product in the store itself, outside the app. The app is told once, by the first of its streams that
    /// is read, if need be after its next launch.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchProduct` where the store does not sell it.
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

    /// Changes a transaction and sends it.
    ///
    /// - Parameter body: Gets the date, and the latest that anything may have been signed with by now, in milliseconds
    ///   since 1970.
    private func change(
        _ id: String, _ body: @escaping @Sendable (inout PurchaseRecord, Date, Int64) throws -> Void
    ) async throws(SimulatedStoreError) -> SimulatedTransaction {
        let date = now()
        // The clock may have been put back since something was signed.
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
    /// Takes it back, unless it was, and has it sent again.
    fileprivate mutating func takeBack(at date: Date, after signature: Int64) {
        isFinished = false
        guard revocationDate == nil else { return }
        revocationDate = date.milliseconds
        beginState(after: signature)
    }
}
