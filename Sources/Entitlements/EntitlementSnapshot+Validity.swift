internal import Foundation
internal import HashTreeCollections

/// Validity of an entitlement source at a moment.
enum Validity: Equatable {
    case valid
    /// The period has ended, the subscription was to renew, and the store has not answered since: the product is owned
    /// until the date.
    case unconfirmed(until: Date)
    /// As `unconfirmed`, but for too long; or the device's clock has shown the end of the period and was set back.
    case unknown(since: Date)
    case ended
}

extension EntitlementSnapshot {
    /// Returns `true` if a source makes its product owned.
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
        return locks[source.product]?.last.map { $0.sequence > source.sequence } ?? false
    }

    /// Returns `true` if the subscription was to renew after a period that has ended, with the product of the source,
    /// and the store has said nothing about it since.
    private func isContinued(_ source: EntitlementSource, in subscription: String, after end: Date) -> Bool {
        guard let history = histories[subscription], history.latest?.purchaseID == source.purchaseID,
            let renewal = history.renewal, renewal.isRenewing, !renewal.terms.isInBillingRetry,
            let period = source.period, !period.isUpgraded, renewal.origin.signedDate < period.expirationDate
        else { return false }
        let product = source.bundle ?? source.product
        guard source.isPlanned || renewal.terms.nextProduct.map({ $0 == product }) ?? true else { return false }
        // An answer that does not contain the subscription is the answer that it has not been renewed.
        return check.answerDate < end || check.listed.contains(subscription)
    }

    /// Returns the dates at which the reported state of a source changes: its end, the start of its grace period, and the
    /// end of the time for which a subscription is owned without a confirmation.
    func transitionDates(of source: EntitlementSource) -> [Date] {
        guard let subscription = source.subscription, let end = source.end,
            isContinued(source, in: subscription, after: end)
        else { return source.transitions }
        return source.transitions + [end.addingTimeInterval(renewalLeeway)]
    }

    /// Returns the sources of a product to which subscriptions of other products were to change when their periods
    /// ended: they count only while the renewal is unconfirmed.
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
    /// Products whose ownership follows from auto-renewable subscriptions, directly or as former contents of one.
    var productsOfSubscriptions: Set<String> {
        var products: [String] = []
        for history in histories.values {
            if let latest = history.latest { addProducts(of: latest.purchaseID, latest.product, to: &products) }
        }
        return Set(products).union(planned.keys)
    }

    /// Returns `true` if it is unknown whether a subscription that makes a product owned is valid.
    func isUnconfirmed(_ product: String) -> Bool { unconfirmedEnd(of: product) != nil }

    /// Returns the end of the period after which it is unknown whether a product is owned; `nil` if that is known.
    func unconfirmedEnd(of product: String) -> Date? {
        guard !histories.isEmpty else { return nil }
        return sources(of: product).lazy.compactMap { source in
            if case .unknown(let end) = self.validity(of: source) { end } else { nil }
        }.max()
    }

    /// Takes the store's answer about the customer's subscriptions.
    ///
    /// - Parameter listed: The original transactions of the subscriptions that the answer contained.
    public mutating func take(answerAbout listed: Set<String>) -> Changes {
        check = SubscriptionCheck(answerDate: now, listed: listed)
        collectTransitions()
        var changes = Changes()
        for product in productsOfSubscriptions { look(at: product, &changes) }
        sort(&changes)
        return changes
    }

    /// Notes a date in the past at which the state of a source has changed.
    ///
    /// - Parameter sources: Sources of which the date may be the end.
    mutating func pass(_ date: Date, of sources: [EntitlementSource]) {
        latestPassedTransition = max(latestPassedTransition, date)
        guard date > check.latestSeenEnd, sources.contains(where: { $0.subscription != nil && $0.end == date }) else {
            return
        }
        check.latestSeenEnd = date
    }
}
