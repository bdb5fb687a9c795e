internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Events of a customer's known history, which happen as recorded and not by the store's own rules.
extension StoreTransactionScope {
    /// Begins a period of a subscription immediately.
    ///
    /// - Returns: The number of the transaction.
    mutating func subscribe(_ request: OrderRequest, _ purchase: CustomerCase.Purchase) throws -> Int64 {
        var order = try order(request)
        guard let plan = order.subscription else {
            throw SimulatedStoreError(
                code: .noSuchProduct, reason: "the store does not sell \(purchase.product) as a subscription")
        }
        order.getsIntroductoryOffer = purchase.offer?.kind == .introductory
        if let offer = purchase.offer {
            order.offer = plan.offers.first { $0.kind == offer.kind && $0.identifier == offer.identifier }
                .map(AppliedOffer.init)
        }
        periodEnd = purchase.end
        defer { periodEnd = nil }
        return try beginSubscription(order, answering: nil).number
    }

    /// Renews a subscription, or buys it again if it has ended.
    ///
    /// - Parameters:
    ///   - first: Number of the subscription's first transaction; `nil` if that transaction was left out.
    ///   - request: Request for a purchase, which is used if a renewal is not possible.
    /// - Returns: The number of the transaction.
    mutating func renew(_ first: Int64?, _ purchase: CustomerCase.Purchase, _ request: OrderRequest) throws -> Int64 {
        guard let plan = core.subscription(purchase.product),
            var subscription = try subscription(beginningWith: first), !subscription.hasEnded
        else { return try subscribe(request, purchase) }
        if subscription.renewalProduct != purchase.product {
            subscription.renewalProduct = purchase.product
            (subscription.price, subscription.consent, subscription.nextOffer) = (try price(of: plan.item), nil, nil)
        }
        subscription.setRenewing(true)
        periodEnd = purchase.end
        defer { periodEnd = nil }
        return try renew(
            subscription, to: plan, from: purchase.date, as: subscription.isRunning ? .renewed : .recovered
        ).number
    }

    /// Applies renewal information to a running subscription: turns its renewal off or on, and changes the plan to
    /// which it renews.
    ///
    /// - Returns: `true` if the subscription has changed.
    mutating func follow(_ statement: CustomerCase.Statement, of first: Int64?) throws -> Bool {
        guard var subscription = try subscription(beginningWith: first), subscription.isRunning else { return false }
        var kind: NotificationKind?
        if let next = statement.nextProduct, next != subscription.renewalProduct, let plan = core.subscription(next) {
            (subscription.renewalProduct, subscription.price) = (next, try price(of: plan.item))
            try log(.planChangeRequested, subscription)
            kind = NotificationKind(
                .didChangeRenewalPreference, next == subscription.productIdentifier ? nil : .downgrade)
        }
        if statement.isRenewing != subscription.isRenewing {
            subscription.setRenewing(statement.isRenewing)
            try log(statement.isRenewing ? .renewalTurnedOn : .renewalTurnedOff, subscription)
            kind = NotificationKind(
                .didChangeRenewalStatus, statement.isRenewing ? .autoRenewEnabled : .autoRenewDisabled)
        }
        guard let kind else { return false }
        try finish(subscription, kind)
        return true
    }

    /// Makes the charge for the next period of a subscription fail.
    mutating func failCharge(of first: Int64?, graceEnd: Date?) throws {
        guard let subscription = try subscription(beginningWith: first), subscription.state == .active else { return }
        let period = core.subscription(subscription.productIdentifier)?.period
        try failCharge(of: subscription, in: period, graceEnd: graceEnd)
    }

    /// Ends a subscription that has not ended yet.
    mutating func end(_ first: Int64?, because reason: ExpirationIntent) throws {
        guard var subscription = try subscription(beginningWith: first), !subscription.hasEnded else { return }
        if reason == .cancelled { subscription.setRenewing(false) }
        try expire(subscription, because: reason)
    }

    /// Refunds a transaction, or ends the family sharing of a shared one.
    ///
    /// - Parameter percentage: Refunded share of the price in thousandths of a percent; `nil` for the whole price.
    mutating func revoke(_ number: Int64, _ percentage: Int?) throws {
        let record = try purchase(number)
        guard !record.isShared else {
            try endSharing(record)
            return
        }
        guard let percentage, percentage < 100_000 else {
            _ = try refund(record, .full)
            return
        }
        _ = try refund(record, .percent(min(max(Int((Double(percentage) / 1_000).rounded()), 1), 100)))
    }

    /// Extends the subscription period that a transaction has paid for.
    mutating func extend(_ number: Int64, to end: Date, request: String) throws {
        let record = try purchase(number)
        guard let subscription = try subscription(endingWith: record), subscription.isRunning else {
            throw SimulatedStoreError(
                code: .noSuchSubscription, reason: "the subscription does not run in this period")
        }
        try extend(subscription, to: end, request: request)
    }

    /// Returns the subscription to which a transaction belongs. Its number is that of its first transaction.
    private func subscription(beginningWith first: Int64?) throws -> SubscriptionRecord? {
        guard let first else { return nil }
        return try SubscriptionRecord.fetch(purchase(first).originalNumber, from: database)
    }
}
