internal import Foundation
internal import GRDB
internal import VitrineCatalog
internal import VitrineReceipts
internal import VitrineSupport

/// Renewals and ends of subscriptions.
extension StoreTransactionScope {
    /// Processes the due change of a subscription: a renewal, or the end of the subscription, of its grace period or of
    /// its billing retry period.
    mutating func processDue(_ subscription: SubscriptionRecord) throws {
        switch subscription.state {
        case .active: try renewIfPossible(subscription)
        case .grace:
            var subscription = subscription
            subscription.set(.retry)
            try log(.enteredBillingRetry, subscription)
            try finish(subscription, NotificationKind(.gracePeriodExpired))
        case .retry: try expire(subscription, because: .billingError)
        case .expired, .revoked: break
        }
    }

    private mutating func renewIfPossible(_ subscription: SubscriptionRecord) throws {
        let product = subscription.renewalProduct
        guard subscription.isRenewing else { return try expire(subscription, because: subscription.endReason) }
        guard let plan = core.subscription(product), try !isWithdrawn(product) else {
            return try expire(subscription, because: .productNotAvailable)
        }
        if subscription.consent == .pending { return try expire(subscription, because: .priceIncrease) }
        if isCharged(subscription) {
            _ = try renew(subscription, to: plan, from: Date(milliseconds: subscription.expiresDate))
        } else {
            try failCharge(of: subscription, under: plan)
        }
    }

    /// Renews a subscription to a plan before the end of its period, which ends now. As
    /// [Apple documents](https://developer.apple.com/documentation/storekittest/sktestsession/forcerenewalofsubscription(productidentifier:)),
    /// its renewal is turned on, a pending price increase is removed, and a failed renewal is not made up for.
    ///
    /// - Returns: The transaction of the new period; `nil` if the store could not charge for it.
    mutating func renewEarly(_ running: SubscriptionRecord, to plan: StoreConfiguration.Subscription) throws
        -> PurchaseRecord?
    {
        guard running.state == .active else { return nil }
        var subscription = running
        subscription.setRenewing(true)
        subscription.consent = nil
        guard isCharged(subscription) else {
            try shorten(&subscription)
            try failCharge(of: subscription, under: plan)
            return nil
        }
        // Without this condition, a period that has begun at this moment would have no length.
        if try purchase(subscription.purchase).purchaseDate < date.milliseconds { try shorten(&subscription) }
        return try renew(subscription, to: plan, from: date)
    }

    /// Returns `true` if the store can charge for the next period of a subscription.
    private func isCharged(_ subscription: SubscriptionRecord) -> Bool {
        let isFailing = settings.isBillingFailing ?? core.configuration.settings.hasBillingIssuesOnRenewal
        return !isFailing && !subscription.isBillingFailing
    }

    private mutating func failCharge(of subscription: SubscriptionRecord, under plan: StoreConfiguration.Subscription)
        throws
    {
        let hasGracePeriod = settings.hasGracePeriod ?? core.configuration.settings.isGracePeriodEnabled
        let end = Date(milliseconds: subscription.expiresDate)
        let graceEnd = hasGracePeriod ? end + rate.gracePeriod(for: plan.period) : nil
        try failCharge(of: subscription, in: plan.period, graceEnd: graceEnd)
    }

    /// Records that the store could not charge for the next period of a subscription.
    ///
    /// - Parameters:
    ///   - period: Renewal period of the plan; `nil` if the plan is not known.
    ///   - graceEnd: End of the grace period; `nil` for a subscription without one.
    mutating func failCharge(of failed: SubscriptionRecord, in period: RenewalPeriod?, graceEnd: Date?) throws {
        var subscription = failed
        let end = Date(milliseconds: subscription.expiresDate)
        subscription.retryDate = period.map { (end + rate.retryPeriod(for: $0)).milliseconds }
        subscription.graceDate = graceEnd?.milliseconds
        subscription.set(graceEnd == nil ? .retry : .grace)
        try log(graceEnd == nil ? .enteredBillingRetry : .enteredGracePeriod, subscription)
        try finish(subscription, NotificationKind(.didFailToRenew, graceEnd == nil ? nil : .gracePeriod))
    }

    /// Renews a subscription to a plan, with a transaction whose period begins at a date.
    ///
    /// - Parameter device: Number of the device that receives the transaction as the answer to its call, not as an
    ///   update.
    mutating func renew(
        _ subscription: SubscriptionRecord, to plan: StoreConfiguration.Subscription, from start: Date,
        answering device: Int64? = nil, as kind: StoreEvent.Kind = .renewed
    ) throws -> PurchaseRecord {
        var renewed = subscription
        let last = try lastTransaction(of: subscription)
        let lastPeriod = subscription.offer?.period ?? core.subscription(subscription.productIdentifier)?.period
        let keepsDay = lastPeriod.map { $0.unit == .month || $0.unit == .year } ?? false
        if !keepsDay || start.milliseconds != subscription.expiresDate { renewed.billingDay = start.billingDay }
        let offer = subscription.renewalOffer
        let end = try end(of: plan, offer, from: start, billingDay: renewed.billingDay)
        var draft = PurchaseRecord(
            customer: subscription.customer, productIdentifier: plan.item.identifier,
            kind: .autoRenewableSubscription, quantity: 1, purchaseDate: start.milliseconds,
            price: offer?.price ?? subscription.price, currency: last.currency, storefront: last.storefront)
        (draft.accountToken, draft.originalID) = (subscription.accountToken ?? last.accountToken, subscription.id)
        draft.groupID = subscription.groupID
        (draft.isRenewal, draft.expiresDate, draft.offer) = (true, end.milliseconds, offer)
        draft.originalDate = last.originalDate
        renewed.productIdentifier = plan.item.identifier
        (renewed.offer, renewed.nextOffer) = (offer, subscription.remainingOffer == nil ? nil : subscription.nextOffer)
        (renewed.expiresDate, renewed.isBillingFailing) = (end.milliseconds, false)
        // After a renewal at the old price, the price increase still waits for consent.
        if renewed.consent == .agreed { renewed.consent = nil }
        renewed.purchase = try nextPurchaseNumber()
        renewed.set(.active)
        try store(renewed)
        let record = try add(draft, of: renewed, answering: device)
        try log(kind, record, offer?.type.description)
        try announce(renewed, record, as: NotificationKind(.didRenew, kind == .recovered ? .billingRecovery : nil))
        return record
    }

    /// Returns the values that a renewal copies from the latest transaction of a subscription.
    private func lastTransaction(
        of subscription: SubscriptionRecord
    ) throws -> (currency: String, storefront: String, accountToken: String?, originalDate: Int64) {
        let statement = try database.cachedStatement(
            sql: """
                SELECT currency, storefront, accountToken, IFNULL(originalDate, purchaseDate) FROM purchase WHERE id = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [subscription.purchase]) else {
            throw SimulatedStoreError(
                code: .damaged,
                reason: "the database of the simulated store has no transaction \(subscription.purchase)")
        }
        return (row[0], row[1], row[2], row[3])
    }

    /// Makes up for a renewal that could not be charged. In the grace period, the new period begins at the end of the
    /// last one; after the grace period, it begins now.
    mutating func recover(
        _ subscription: SubscriptionRecord, answering device: Int64? = nil
    ) throws -> PurchaseRecord {
        guard let plan = core.subscription(subscription.renewalProduct) else {
            throw SimulatedStoreError(
                code: .noSuchProduct, reason: "the store no longer has the subscription \(subscription.renewalProduct)")
        }
        let start = subscription.state == .grace ? Date(milliseconds: subscription.expiresDate) : date
        return try renew(subscription, to: plan, from: start, answering: device, as: .recovered)
    }

    mutating func expire(_ subscription: SubscriptionRecord, because reason: ExpirationIntent) throws {
        var subscription = subscription
        subscription.set(.expired, reason)
        try log(.expired, subscription, reason.description)
        try finish(subscription, NotificationKind(.expired, reason.subtype))
    }

    /// Ends the current period of a subscription now, also for the family members who share it, if it has not ended.
    func shorten(_ subscription: inout SubscriptionRecord) throws {
        guard subscription.expiresDate > date.milliseconds else { return }
        let end = date.milliseconds
        for var record in try [purchase(subscription.purchase)] + sharedPeriods(of: subscription) {
            let modification = try PurchaseRecord.nextModification(in: database)
            try record.updateChanges(database) {
                $0.expiresDate = end
                $0.modification = modification
                $0.beginState(after: end)
            }
        }
        (subscription.expiresDate, subscription.billingDay) = (end, date.billingDay)
    }

    /// Stores a changed subscription, and reports the change to the devices and the app's server. A subscription that
    /// waits for a charge ends if its renewal is turned off, also in its grace period
    /// ([Apple's description](https://developer.apple.com/documentation/storekit/testing-failing-subscription-renewals-and-in-app-purchases)).
    ///
    /// - Parameter kind: Notification about the change; `nil` for none.
    mutating func finish(_ subscription: SubscriptionRecord, _ kind: NotificationKind?) throws {
        try store(subscription)
        try sendStatus(of: subscription)
        if let kind { try notify(kind, subscription) }
        if subscription.isWaiting, !subscription.isRenewing {
            try expire(subscription, because: subscription.endReason)
        }
    }

    func log(_ kind: StoreEvent.Kind, _ subscription: SubscriptionRecord, _ detail: String? = nil) throws {
        try log(
            kind, customer: subscription.customer, product: subscription.productIdentifier,
            purchase: subscription.purchase, detail: detail)
    }

    // MARK: Renewal information

    /// Returns the subscription whose latest transaction is the given one; `nil` for any other transaction.
    func subscription(endingWith record: PurchaseRecord) throws -> SubscriptionRecord? {
        guard record.groupID != nil, !record.isPending else { return nil }
        let subscription = try SubscriptionRecord.fetch(record.originalNumber, from: database)
        return subscription?.purchase == record.number ? subscription : nil
    }

    /// Returns the renewal information that is signed together with the latest transaction of a subscription.
    func renewalInformation(of subscription: SubscriptionRecord, _ record: PurchaseRecord) -> RenewalPayload {
        var payload = RenewalPayload(
            originalTransactionID: String(subscription.id), productIdentifier: subscription.productIdentifier,
            gracePeriodExpiresDate: subscription.graceDate.map(Date.init(milliseconds:)), environment: core.environment,
            signedDate: max(date, Date(milliseconds: subscription.signedFrom)))
        let isRenewing = subscription.isRenewing && !subscription.hasEnded
        payload.autoRenewProductIdentifier = subscription.renewalProduct
        payload.autoRenewStatus = isRenewing ? .on : .off
        payload.expirationIntent = subscription.isWaiting ? .billingError : subscription.expirationReason
        payload.isInBillingRetryPeriod =
            payload.expirationIntent == .billingError ? subscription.isWaiting && subscription.isRenewing : nil
        payload.priceIncreaseStatus =
            if subscription.consent == .agreed { .agreed } else if subscription.awaitsConsent { .pending } else { nil }
        payload.renewalDate = Date(milliseconds: subscription.expiresDate)
        if isRenewing {
            let offer = subscription.renewalOffer
            if subscription.sharedFrom == nil {
                (payload.renewalPrice, payload.currency) = (offer?.price ?? subscription.price, record.currency)
            }
            (payload.offerType, payload.offerIdentifier) = (offer?.type, offer?.identifier)
            (payload.offerDiscountType, payload.offerPeriod) = (offer?.discountType, offer?.duration?.description)
        }
        // A member of the family who shared the subscription has not subscribed.
        if subscription.state == .expired, subscription.sharedFrom == nil {
            payload.eligibleWinBackOfferIdentifiers = winBackOffers(of: subscription.productIdentifier)
        }
        payload.recentSubscriptionStartDate = Date(milliseconds: subscription.startDate)
        payload.appAccountToken = (subscription.accountToken ?? record.accountToken).flatMap(UUID.init)
        payload.appTransactionID = core.seed.appTransactionID(of: subscription.customer)
        return payload
    }
}

extension ExpirationIntent {
    /// Reason for the end of a subscription, as part of a sentence.
    var description: String {
        switch self {
        case .cancelled: "renewal was turned off"
        case .billingError: "the customer could not be charged"
        case .priceIncrease: "the customer did not agree to the price increase"
        case .productNotAvailable: "the product was withdrawn"
        default: "for another reason"
        }
    }

    /// Subtype of the notification about the end of a subscription.
    fileprivate var subtype: NotificationSubtype? {
        switch self {
        case .cancelled: .voluntary
        case .billingError: .billingRetry
        case .priceIncrease: .priceIncrease
        case .productNotAvailable: .productNotForSale
        default: nil
        }
    }
}

extension OfferType {
    /// Type of a subscription offer, as part of a sentence.
    var description: String {
        switch self {
        case .introductory: "with the introductory offer"
        case .promotional: "with a promotional offer"
        case .offerCode: "with an offer code"
        case .winBack: "with a win-back offer"
        default: "with an offer"
        }
    }
}
