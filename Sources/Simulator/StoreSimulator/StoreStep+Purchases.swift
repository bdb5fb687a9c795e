internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// Result of a request to buy a product.
enum PurchaseOutcome {
    /// The customer has the transaction; `isCharged` is `false` if they had it before.
    case bought(PurchaseRecord, isCharged: Bool)
    /// The purchase needs another person's approval or, if it is interrupted, the customer has to resolve an issue
    /// first.
    case pending(isInterrupted: Bool)
    /// The purchase fails with the failure that was set. Only with ``SimulatedFailure/lostAnswer`` is the product
    /// bought nevertheless.
    case failed(SimulatedFailure)
}

/// Purchases of a customer, and pending purchases.
extension StoreStep {
    /// Makes the purchase that a customer orders. If a failure other than a lost answer is set for purchases, nothing
    /// is bought.
    mutating func purchase(_ order: StoreOrder) throws -> PurchaseOutcome {
        let failure = try ArmedFailure.take(for: .purchase, from: database)
        if let failure, failure != .lostAnswer { return .failed(failure) }
        let outcome = try answer(order)
        // A promoted purchase is not made twice, even if the app is killed right now.
        try StoreDatabase.removePromotion(of: order.record.productIdentifier, from: database)
        return failure.map { .failed($0) } ?? outcome
    }

    private mutating func answer(_ order: StoreOrder) throws -> PurchaseOutcome {
        let draft = order.record
        if let held = try heldTransaction(answering: order) {
            try DeviceReceipt.issue(ReceiptRequest(), on: draft.device, in: self)
            return .bought(held, isCharged: false)
        }
        if settings.asksToBuy || order.asksToBuy || settings.interruptsPurchases {
            _ = try wait(order)
            return .pending(isInterrupted: settings.interruptsPurchases)
        }
        let record = try charge(order, answering: draft.device)
        try DeviceReceipt.issue(ReceiptRequest(), on: draft.device, in: self)
        return .bought(record, isCharged: true)
    }

    /// Returns the transaction that the customer already has and that answers an order without a charge; `nil` for an
    /// order that is charged. A change of a subscription's plan that the order requests is made before.
    private mutating func heldTransaction(answering order: StoreOrder) throws -> PurchaseRecord? {
        let draft = order.record
        if draft.kind == .autoRenewableSubscription { return try keepSubscription(order) }
        // A subscription that does not renew is sold each time, as in StoreKit.
        guard draft.kind != .nonRenewingSubscription else { return nil }
        return try draft.kind == .consumable ? unfinished(draft) : valid(draft).fetchOne(database)
    }

    private func valid(_ draft: PurchaseRecord) -> QueryInterfaceRequest<PurchaseRecord> {
        PurchaseRecord.transactions(of: draft.customer).filter { $0.productIdentifier == draft.productIdentifier }
            .filter { $0.revocationDate == nil }.order { $0.id }
    }

    private func unfinished(_ draft: PurchaseRecord) throws -> PurchaseRecord? {
        guard let device = draft.device else { return nil }
        let unfinished = try UnfinishedRecord.purchases(of: device, in: database)
        guard !unfinished.isEmpty else { return nil }
        return try valid(draft).filter { unfinished.contains($0.id) }.fetchOne(database)
    }

    /// Charges the customer for an order, and returns the new transaction.
    mutating func charge(_ order: StoreOrder, answering device: Int64? = nil) throws -> PurchaseRecord {
        if order.record.kind == .autoRenewableSubscription {
            return try beginSubscription(order, answering: device)
        }
        let record = try add(order.record, answering: device)
        try log(.purchased, record)
        try notify(NotificationKind(.oneTimeCharge), record)
        try share(record)
        return record
    }

    // MARK: Purchases that wait

    /// Stores an order that waits for approval or until the customer resolves an issue.
    ///
    /// - Returns: The pending purchase.
    mutating func wait(_ order: StoreOrder) throws -> PurchaseRecord {
        var draft = order.record
        draft.isInterrupted = settings.interruptsPurchases
        draft.isPending = true
        draft.offer = order.offer
        // A repeated request for a product that is bought once is merged with the one before, and valid from now on.
        if draft.kind != .consumable, var earlier = try pending(like: draft) {
            let date = draft.purchaseDate
            try earlier.updateChanges(database) { $0.purchaseDate = date }
            return earlier
        }
        try draft.store(in: database)
        try log(draft.isInterrupted ? .interrupted : .approvalRequested, draft)
        return draft
    }

    private func pending(like draft: PurchaseRecord) throws -> PurchaseRecord? {
        try PurchaseRecord.filter { $0.customer == draft.customer && $0.isPending }
            .filter { $0.productIdentifier == draft.productIdentifier }
            .filter { $0.isInterrupted == draft.isInterrupted }.fetchOne(database)
    }

    /// Completes a pending purchase: its transaction has the same number. If the product was bought meanwhile, the
    /// customer is not charged again: the pending purchase is removed, and the existing transaction sent.
    mutating func approve(_ id: String, isInterrupted: Bool) throws -> PurchaseRecord {
        let pending = try pendingPurchase(id, isInterrupted: isInterrupted)
        try pending.delete(database)
        let order = StoreOrder(
            record: pending.approved(at: date), offer: pending.offer,
            subscription: core.subscription(pending.productIdentifier))
        let kind: StoreEvent.Kind = isInterrupted ? .resolved : .approved
        if pending.kind != .consumable, let held = try heldTransaction(answering: order) {
            try log(kind, held)
            try send(held, to: DeviceIdentity.devices(of: held.customer, in: database))
            return held
        }
        try log(kind, pending)
        let record = try charge(order)
        try DeviceReceipt.issue(ReceiptRequest(), on: pending.device, in: self)
        return record
    }

    mutating func decline(_ id: String) throws -> PurchaseRecord {
        let record = try pendingPurchase(id, isInterrupted: false)
        try record.delete(database)
        try log(.declined, record)
        return record
    }

    mutating func expireRequest(_ record: PurchaseRecord) throws {
        try record.delete(database)
        try log(.approvalExpired, record)
    }

    private func pendingPurchase(_ id: String, isInterrupted: Bool) throws -> PurchaseRecord {
        let record = try Int64(id).flatMap { try PurchaseRecord.fetchOne(database, key: $0) }
        if let record, record.isPending, record.isInterrupted == isInterrupted { return record }
        let reason =
            switch (record?.isPending, isInterrupted) {
            case (nil, false):
                "no purchase \(id) waits for approval: it was declined, has expired, or was never requested"
            case (nil, true): "the store has no interrupted purchase \(id)"
            case (false, false): "the purchase \(id) does not wait for approval: it has already become a transaction"
            case (false, true): "the purchase \(id) is not interrupted: it has already become a transaction"
            case (true, false): "the purchase \(id) needs no approval: it waits until the customer resolves an issue"
            case (true, true): "the purchase \(id) is not interrupted: it waits for approval"
            }
        throw SimulatedStoreError(code: .noSuchTransaction, reason: reason)
    }
}

/// Order of a customer, with the row of the purchase to which it leads. The row has a number only if the purchase was
/// pending.
struct StoreOrder: Sendable {
    var record: PurchaseRecord
    /// Subscription offer that the customer asked for; `nil` for none, and for an introductory offer.
    var offer: AppliedOffer?
    /// Subscription that the customer orders; `nil` for any other product.
    var subscription: StoreConfiguration.Subscription?
    /// `true` if the purchase requires approval, whatever the store is set to.
    var asksToBuy = false
    /// Decision of the app's server about whether the customer gets the introductory offer; `nil` leaves the decision to
    /// the store, as does a purchase that waits for an approval.
    var getsIntroductoryOffer: Bool?
}
