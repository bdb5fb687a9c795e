internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrinePurchasing
internal import VitrineReceipts
internal import VitrineSupport

/// Result of a request to buy a product.
enum PurchaseOutcome {
    /// The customer has the transaction. `isCharged` is `false` if the transaction existed before the purchase.
    case bought(PurchaseRecord, isCharged: Bool)
    /// The purchase needs another person's approval or, if it is interrupted, the customer has to resolve an issue
    /// first.
    case pending(isInterrupted: Bool)
    /// The purchase fails with a simulated failure. The product is bought only if the failure is
    /// ``SimulatedFailure/lostAnswer``.
    case failed(SimulatedFailure)
}

/// Purchases of a customer, and pending purchases.
extension StoreTransactionScope {
    /// Performs the purchase that a customer orders. With a simulated failure other than a lost answer, nothing is
    /// bought.
    mutating func purchase(_ order: StoreOrder) throws -> PurchaseOutcome {
        let failure = try ArmedFailure.consume(for: .purchase, from: database)
        if let failure, failure != .lostAnswer { return .failed(failure) }
        let outcome = try answer(order)
        // A promoted purchase is removed in the same database transaction: it is not made twice if the app is killed.
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

    /// Returns the customer's existing transaction if the order needs no charge; `nil` for an order that is charged. If
    /// the order requests a change of a subscription's plan, the change is made first.
    private mutating func heldTransaction(answering order: StoreOrder) throws -> PurchaseRecord? {
        let draft = order.record
        if draft.kind == .autoRenewableSubscription { return try continueSubscription(order) }
        // A non-renewing subscription is sold each time, as in StoreKit.
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
        try log(.purchased, record, record.offer?.type.description)
        try notify(NotificationKind(.oneTimeCharge), record)
        try share(record)
        return record
    }

    // MARK: Purchases that wait

    /// Stores an order as a pending purchase, which waits for approval or until the customer resolves an issue.
    ///
    /// - Returns: The pending purchase.
    mutating func wait(_ order: StoreOrder) throws -> PurchaseRecord {
        var draft = order.record
        draft.isInterrupted = settings.interruptsPurchases
        draft.isPending = true
        draft.offer = order.offer
        // A repeated request, except for a consumable, only renews the date of the earlier one.
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

    /// Completes a pending purchase: it becomes a transaction with the same number. If the product was bought in the
    /// meantime, the customer is not charged again: the pending purchase is removed, and the existing transaction is
    /// sent.
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

/// Order of a customer, with the row for its purchase. The row has a number only if the purchase was pending.
struct StoreOrder: Sendable {
    var record: PurchaseRecord
    /// Subscription offer that the customer requested; `nil` for no offer, and for an introductory offer.
    var offer: AppliedOffer?
    /// Subscription that the customer orders; `nil` for any other product.
    var subscription: StoreConfiguration.Subscription?
    /// `true` if the purchase requires approval, regardless of the store's settings.
    var asksToBuy = false
    /// Decision of the app's server whether the customer is eligible for the introductory offer; `nil` leaves the
    /// decision to the store, as always after an approval.
    var getsIntroductoryOffer: Bool?
}
