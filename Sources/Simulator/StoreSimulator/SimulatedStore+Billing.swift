public import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
public import VitrineSupport

/// Payments for subscriptions, and prices of products.
extension SimulatedStore {
    /// Sets whether the store fails to charge any customer for the renewal of a subscription.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setBillingFailing(_ isFailing: Bool) async throws(SimulatedStoreError) {
        try await changeSettings(.billingFailing(isOn: isFailing)) { $0.isBillingFailing = isFailing }
    }

    /// Makes the store fail to charge the customer for renewals of a subscription, until ``recoverBilling(_:)``.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchSubscription` if the customer has no running subscription in the
    ///   product's group.
    public func failBilling(_ product: String) async throws(SimulatedStoreError) {
        try await core.perform { [identity] scope in
            var subscription = try scope.running(product, of: identity.customer)
            subscription.isBillingFailing = true
            try scope.store(subscription)
            try scope.record { _ in .failBilling(customer: identity.customer, product: product) }
        }
    }

    /// Lets the store charge the customer for a subscription again, and makes up for a failed renewal. In the grace
    /// period, the new period begins at the end of the last one; in the billing retry period, it begins now.
    ///
    /// - Returns: The new transaction; `nil` if the store makes none.
    /// - Throws: ``SimulatedStoreError``: `noSuchSubscription` if the customer has no subscription in the product's
    ///   group, or its billing retry period is over.
    @discardableResult
    public func recoverBilling(_ product: String) async throws(SimulatedStoreError) -> SimulatedTransaction? {
        try await core.perform { [identity] scope in
            let customer = identity.customer
            var subscription = try scope.subscription(to: product, of: customer)
            guard !subscription.hasEnded else {
                throw SimulatedStoreError(
                    code: .noSuchSubscription, reason: "the subscription to \(product) has ended")
            }
            var transaction: SimulatedTransaction?
            if subscription.isWaiting {
                transaction = try scope.recover(subscription).transaction(isFinished: false)
            } else {
                subscription.isBillingFailing = false
                try scope.store(subscription)
            }
            try scope.record { _ in .recoverBilling(customer: customer, product: product) }
            return transaction
        }
    }

    /// Sets whether subscriptions have a grace period after a renewal that the store cannot charge.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setGracePeriod(_ hasGracePeriod: Bool) async throws(SimulatedStoreError) {
        try await changeSettings(.gracePeriod(isOn: hasGracePeriod)) { $0.hasGracePeriod = hasGracePeriod }
    }

    /// Sets the rate at which the periods of subscriptions pass, for all periods that begin from now on.
    ///
    /// - Throws: ``SimulatedStoreError`` if the store's state cannot be written.
    public func setTimeRate(_ rate: TimeRate) async throws(SimulatedStoreError) {
        try await changeSettings(.timeRate(rate: rate)) { $0.timeRate = rate }
    }

    // MARK: Prices

    /// Changes the price of a product. New customers pay it from now on, subscribers from their next renewal.
    ///
    /// - Parameters:
    ///   - price: The price in the currency of the storefront.
    ///   - product: The product's identifier.
    ///   - consentRequired: `true` if subscribers have to consent to a higher price. The store does not charge it
    ///     before, and their subscription ends if they do not respond.
    /// - Throws: ``SimulatedStoreError``: `noSuchProduct`; `invalidAmount` for a price that is not above zero and below
    ///   a billion.
    public func setPrice(
        _ price: Decimal, of product: String, consentRequired: Bool = false
    ) async throws(SimulatedStoreError) {
        guard core.item(product) != nil else { throw unknown(product) }
        guard price > 0, price < 1_000_000_000 else {
            throw SimulatedStoreError(
                code: .invalidAmount, reason: "a price must be above zero and below a billion, not \(price)")
        }
        try await core.perform { scope in
            try scope.setPrice(price.thousandths, of: product, consentRequired: consentRequired)
            try scope.record { _ in
                .price(product: product, price: price.thousandths, consentRequired: consentRequired)
            }
        }
    }

    /// Consents to a price increase on behalf of the customer, or declines it. Declining also turns the renewal of the
    /// subscription off.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchSubscription` if no price increase waits for consent.
    public func consentToPriceIncrease(_ consents: Bool, of product: String) async throws(SimulatedStoreError) {
        try await changeSubscription(to: product) { scope, subscription in
            guard subscription.consent == .pending, !subscription.hasEnded else {
                throw SimulatedStoreError(
                    code: .noSuchSubscription, reason: "no price increase of \(product) waits for consent")
            }
            subscription.consent = consents ? .agreed : .declined
            if consents, let item = scope.core.item(subscription.renewalProduct) {
                subscription.price = try scope.price(of: item)
            }
            if !consents { subscription.setRenewing(false) }
            try scope.log(consents ? .consented : .consentDeclined, subscription)
            let customer = subscription.customer
            try scope.record { _ in .consent(customer: customer, product: product, agrees: consents) }
            return consents
                ? NotificationKind(.priceIncrease, .accepted)
                : NotificationKind(.didChangeRenewalStatus, .autoRenewDisabled)
        }
    }

    /// Withdraws a product: it is no longer sold, and subscriptions to it do not renew.
    ///
    /// - Throws: ``SimulatedStoreError``: `noSuchProduct` if the store does not know the product.
    public func withdraw(_ product: String) async throws(SimulatedStoreError) {
        guard core.item(product) != nil else { throw unknown(product) }
        try await core.perform { scope in
            var change =
                try ProductChange.fetchOne(scope.database, key: product) ?? ProductChange(productIdentifier: product)
            change.isWithdrawn = true
            try change.upsert(scope.database)
            try scope.log(.withdrawn, customer: nil, product: product)
            try scope.record { _ in .withdraw(product: product) }
        }
    }

    func unknown(_ product: String) -> SimulatedStoreError {
        SimulatedStoreError(
            code: .noSuchProduct, reason: "the store has no product \(product)\(core.question(for: product))")
    }
}

extension StoreTransactionScope {
    fileprivate mutating func setPrice(_ price: Int, of product: String, consentRequired: Bool) throws {
        var change =
            try ProductChange.fetchOne(database, key: product) ?? ProductChange(productIdentifier: product)
        change.price = price
        try change.upsert(database)
        try log(.priceChanged, customer: nil, product: product, detail: "to \(Decimal(price) / 1_000)")
        let affected = try SubscriptionRecord.filter { $0.renewalProduct == product && $0.sharedFrom == nil }
            .order { $0.id }.fetchAll(database)
        for var subscription in affected where subscription.nextDate != nil {
            if price > subscription.price {
                subscription.consent = consentRequired ? .pending : .agreed
                if consentRequired { try log(.consentRequested, subscription) }
            } else {
                subscription.consent = nil
            }
            if subscription.consent != .pending { subscription.price = price }
            // A subscription whose renewal is turned off has no renewal at another price.
            let consent = subscription.isRenewing ? subscription.consent : nil
            try finish(
                subscription, consent.map { NotificationKind(.priceIncrease, $0 == .pending ? .pending : .accepted) })
        }
    }
}
