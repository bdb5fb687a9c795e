internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineFileSystem
public import VitrinePurchasing
internal import VitrineReceipts
public import VitrineSupport

/// Events that occur without a call of the app. A new or changed transaction is sent as an update to the listeners in
/// this process; other processes find it among the unfinished transactions.
extension SimulatedStore {
    /// Buys a product as if the customer bought it on another device. This always creates a new transaction, even for a
    /// product that was bought before.
    ///
    /// - Throws: `StoreError` if the store does not sell the product in this quantity.
    @discardableResult
    public func purchaseElsewhere(_ identifier: String, quantity: Int = 1) async throws(StoreError)
        -> SimulatedTransaction
    {
        let request = try await order(identifier, options: PurchaseOptions(quantity: quantity), on: nil)
        return try await StoreError.converting { () async throws(SimulatedStoreError) in
            try await change(recording: { .purchaseElsewhere(order: try $0.order(request)) }) {
                try $0.charge($0.order(request))
            }
        }
    }

    // MARK: Ask to Buy

    /// Approves a pending purchase: it becomes a transaction with the same number and the current purchase date.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if the purchase does not wait for approval.
    @discardableResult
    public func approve(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(recording: { .approve(transaction: try $0.number(id)) }) {
            try $0.approve(id, isInterrupted: false)
        }
    }

    /// Declines a pending purchase: it is removed, and the app is not notified.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if the purchase does not wait for approval.
    @discardableResult
    public func decline(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(recording: { .decline(transaction: try $0.number(id)) }) { try $0.decline(id) }
    }

    /// Sets whether purchases are interrupted: the customer has to resolve an issue outside the app first, such as a
    /// missing payment method.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setInterruptsPurchases(_ interruptsPurchases: Bool) async throws(SimulatedStoreError) {
        try await changeSettings(.interruptsPurchases(isOn: interruptsPurchases)) {
            $0.interruptsPurchases = interruptsPurchases
        }
    }

    /// Resolves the issue of an interrupted purchase: it becomes a transaction with the same number.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if no interrupted purchase has this number.
    @discardableResult
    public func resolve(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(recording: { .resolve(transaction: try $0.number(id)) }) {
            try $0.approve(id, isInterrupted: true)
        }
    }

    // MARK: Refunds

    /// Share of the price that a refund returns.
    public enum RefundExtent: Sendable, Hashable {
        case full
        /// Share of the price for the rest of the subscription's period after the date of the refund.
        case prorated
        /// Share of the price in percent, from 1 to 100.
        case percent(Int)
    }

    /// Refunds a transaction. The store sends it to the app with a revocation date, and the app has to finish it again.
    /// A transaction that was already revoked is sent again unchanged. A subscription ends if its latest period is
    /// refunded, and continues if an earlier one is.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if the customer has not bought the transaction;
    ///   `invalidAmount` for a percentage outside 1 to 100, and for a prorated refund if the transaction has no running
    ///   subscription period.
    @discardableResult
    public func refund(
        _ id: String, _ extent: RefundExtent = .full
    ) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(recording: { try .refund($0.number(id), extent) }) { [identity] in
            try $0.refund($0.transaction(id, of: identity.customer), extent)
        }
    }

    /// Reverses a refund: the transaction is valid again. The store sends it to the app without a revocation date,
    /// signed with a later date than the refund, and the app has to finish it again. A subscription remains ended if
    /// its period is over by now.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if no revoked transaction has this number.
    @discardableResult
    public func reverseRefund(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(recording: { .reverseRefund(transaction: try $0.number(id)) }) { [identity] in
            try $0.reverseRefund($0.transaction(id, of: identity.customer))
        }
    }

    // MARK: Family Sharing

    /// Shares a product with the customer, as if a family member who is not a customer of this store owned it.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchProduct` for a product that is not a non-consumable with Family
    ///   Sharing.
    @discardableResult
    public func share(_ productIdentifier: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        guard let item = core.item(productIdentifier), item.kind == .nonConsumable, item.isFamilyShareable,
            let request = try? await order(productIdentifier, options: PurchaseOptions(), on: nil)
        else {
            throw SimulatedStoreError(
                code: .noSuchProduct, reason: "the store has no non-consumable \(productIdentifier) with Family Sharing"
            )
        }
        return try await change(recording: { .share(order: try $0.order(request)) }) { scope in
            var draft = try scope.order(request).record
            (draft.ownershipType, draft.price) = (.familyShared, 0)
            let record = try scope.add(draft)
            try scope.log(.shared, record)
            try scope.notify(NotificationKind(.oneTimeCharge), record)
            return record
        }
    }

    /// Ends Family Sharing of a transaction, which revokes it like a refund.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchTransaction` if the family shares no transaction with this number.
    @discardableResult
    public func revokeFamily(_ id: String) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await change(recording: { .revokeFamily(transaction: try $0.number(id)) }) { [identity] scope in
            let record = try scope.transaction(id, of: identity.customer)
            guard record.isShared else {
                throw SimulatedStoreError(
                    code: .noSuchTransaction, reason: "transaction \(id) is not shared by the family")
            }
            return try scope.endSharing(record)
        }
    }

    /// Adds the customer to a family of up to six members. The members share their earlier and later purchases with
    /// each other, if the product has Family Sharing.
    ///
    /// - Throws: ``SimulatedStoreError``: `invalidFamily` if the customer is in another family, or the family is full.
    public func joinFamily(_ family: String) async throws(SimulatedStoreError) {
        try await core.perform { [identity] scope in
            try scope.join(family, identity.customer)
            try scope.record { .joinFamily(customer: identity.customer, family: $0.text(family)) }
        }
    }

    /// Removes the customer from their family. Purchases that the customer and the other members share with each other
    /// are revoked.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func leaveFamily() async throws(SimulatedStoreError) {
        try await core.perform { [identity] scope in
            try scope.leaveFamily(identity.customer)
            try scope.record { _ in .leaveFamily(customer: identity.customer) }
        }
    }

    // MARK: Promotions

    /// Adds a promoted purchase: the customer selects a product in the store itself, outside the app. The app
    /// receives it from the first stream of promoted purchases that it reads, possibly after the next launch. If the
    /// app was killed before it bought or refused the product, it receives the promoted purchase again after a later
    /// launch, a minute later at the earliest.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchProduct` if the store does not sell the product.
    public func promote(_ productIdentifier: String) async throws(SimulatedStoreError) {
        guard core.item(productIdentifier)?.price != nil else {
            throw SimulatedStoreError(
                code: .noSuchProduct,
                reason: "the store does not sell \(productIdentifier)\(core.question(for: productIdentifier))")
        }
        try await core.database.addPromotion(of: productIdentifier)
        core.promotionSignals.send(())
    }
}

extension SimulatedStore {
    /// Changes the store, and returns the resulting transaction.
    ///
    /// - Parameter action: Function that returns the action for the recording of the store.
    func change(
        recording action: @escaping @Sendable (Pseudonyms) throws -> StoreAction,
        _ body: @escaping @Sendable (inout StoreTransactionScope) throws -> PurchaseRecord
    ) async throws(SimulatedStoreError) -> SimulatedTransaction {
        try await core.perform { [identity] scope in
            let record = try body(&scope)
            try scope.record(action)
            let unfinished = try UnfinishedRecord.purchases(of: identity.device, in: scope.database)
            return record.transaction(isFinished: !unfinished.contains(record.number))
        }
    }
}
