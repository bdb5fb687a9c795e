internal import Foundation
internal import HashTreeCollections

/// Validity of an entitlement source at a point in time.
enum Validity: Equatable {
    case valid
    /// The period of a subscription has ended, and the store has not yet confirmed the expected renewal. The product is
    /// owned until the date `until`.
    case unconfirmed(until: Date)
    /// The validity is unknown, because the store has not confirmed an expected renewal for too long, or because the
    /// device's clock was set back after the end of the period. The date `since` is the end of the period.
    case unknown(since: Date)
    case ended
}

extension EntitlementSnapshot {
    /// Returns `true` if an entitlement source makes its product owned at the date of the snapshot.
    func counts(_ source: EntitlementSource) -> Bool {
        switch validity(of: source) {
        case .valid, .unconfirmed: true
        case .unknown, .ended: false
        }
    }

    func validity(of source: EntitlementSource) -> Validity {
        guard !isTakenAway(source) else { return .ended }
        guard let end = source.end else { return .valid }
        guard let subscription = source.subscription else { return end > now ? .valid : .ended }
        guard end <= now else {
            if source.isPlanned { return .ended }
            return end > check.latestSeenEnd ? .valid : .unknown(since: end)
        }
        guard isContinued(source, in: subscription, after: end) else { return .ended }
        let limit = end.addingTimeInterval(renewalLeeway)
        return limit > now ? .unconfirmed(until: limit) : .unknown(since: end)
    }

    func isTakenAway(_ source: EntitlementSource) -> Bool {
        if let purchaseID = source.purchaseID { return !revocations.isEmpty && revocations[purchaseID] != nil }
        guard let locks = locks[source.product], let token = source.grantToken else { return false }
        let granted = (earliestRecords[FactKey(kind: .grant, key: token)]?.moment ?? source.moment, token)
        return locks.contains { lock in
            let key = FactKey(kind: .lock, key: lock.fact.key)
            return (earliestRecords[key]?.moment ?? lock.moment, lock.fact.key) > granted
        }
    }

    /// Returns `true` if the renewal of a subscription is still unconfirmed: the subscription was to renew with the
    /// product of an entitlement source when the period of the source ended, and the store has since neither provided
    /// renewal data nor omitted the subscription from an answer.
    private func isContinued(_ source: EntitlementSource, in subscription: String, after end: Date) -> Bool {
        guard let history = histories[subscription], history.latest?.purchaseID == source.purchaseID,
            let renewal = history.renewal, renewal.isRenewing, !renewal.terms.isInBillingRetry,
            let period = source.period, !period.isUpgraded, renewal.origin.signedDate < period.expirationDate
        else { return false }
        let product = source.bundle ?? source.product
        guard source.isPlanned || renewal.terms.nextProduct.map({ $0 == product }) ?? true else { return false }
        // An answer without the subscription means that it was not renewed.
        return check.answerDate < end || check.listed.contains(subscription)
    }

    /// Returns the dates at which the reported state of a source changes: its end, the start of its grace period, and
    /// the end of the access without a confirmed renewal.
    func transitionDates(of source: EntitlementSource) -> [Date] {
        guard let subscription = source.subscription, let end = source.end,
            isContinued(source, in: subscription, after: end)
        else { return source.transitions }
        return source.transitions + [end.addingTimeInterval(renewalLeeway)]
    }

    /// Returns the entitlement sources of a product to which subscriptions of other products were to change at the end
    /// of their periods. Such a source is valid only while the renewal is unconfirmed.
    func plannedSources(of product: String) -> [EntitlementSource] {
        guard let originals = planned[product] else { return [] }
        return originals.sorted().compactMap { original in
            guard let history = histories[original], let latest = history.latest, latest.product != product,
                history.renewal?.terms.nextProduct == product
            else { return nil }
            return sources[latest.product]?.first { $0.purchaseID == latest.purchaseID }?.continued(as: product)
        }
    }
}

extension EntitlementSnapshot {
    /// Products whose ownership may depend on auto-renewable subscriptions: the product of a subscription, products
    /// that a subscribed bundle no longer contains, and the product to which a subscription is to change.
    var productsOfSubscriptions: Set<String> {
        var products: [String] = []
        for history in histories.values {
            if let latest = history.latest { addProducts(of: latest.purchaseID, latest.product, to: &products) }
        }
        return Set(products).union(planned.keys)
    }

    /// Returns `true` if the ownership of a product depends on a subscription whose validity is unknown.
    func isUnconfirmed(_ product: String) -> Bool { unconfirmedEnd(of: product) != nil }

    /// Returns the end of the period after which the ownership of a product is unknown; `nil` if the ownership is
    /// known.
    func unconfirmedEnd(of product: String) -> Date? {
        guard !histories.isEmpty else { return nil }
        return sources(of: product).lazy.compactMap { source in
            if case .unknown(let end) = self.validity(of: source) { end } else { nil }
        }.max()
    }

    /// Applies the store's answer about the customer's subscriptions.
    ///
    /// - Parameter listed: Original transactions of the subscriptions in the answer.
    public mutating func applyAnswer(aboutSubscriptions listed: Set<String>) -> Changes {
        check = SubscriptionCheck(answerDate: now, listed: listed, clockLead: check.clockLead)
        collectTransitions()
        var changes = Changes()
        for product in productsOfSubscriptions { look(at: product, &changes) }
        sort(&changes)
        return changes
    }

    /// Applies the lead of the device's clock that the store's answer to a purchase has shown. Ends of periods that the
    /// clock has shown too early are forgotten.
    ///
    /// - Parameter lead: The lead; `nil` if the device's clock is not ahead of the store's.
    public mutating func apply(_ lead: ClockLead?) -> Changes {
        guard lead != check.clockLead else { return Changes() }
        let ending = Set(transitions.map(\.product))
        (check.clockLead, check.latestSeenEnd) = (lead, .distantPast)
        if let lead { date = max(date, lead.deviceDate) }
        collectTransitions()
        var changes = Changes()
        let products = ending.union(transitions.map(\.product)).union(productsOfSubscriptions)
        for product in products { look(at: product, &changes) }
        sort(&changes)
        return changes
    }

    /// Records a past date at which an entitlement source has ended or its reported state has changed. If the period of
    /// a subscription ended at the date, that end is recorded as reached by the device's clock.
    ///
    /// - Parameter sources: Entitlement sources that may have ended at the date.
    mutating func pass(_ date: Date, of sources: [EntitlementSource]) {
        latestPassedTransition = max(latestPassedTransition, date)
        guard date > check.latestSeenEnd, sources.contains(where: { $0.subscription != nil && $0.end == date }) else {
            return
        }
        check.latestSeenEnd = date
    }
}
