extension CatalogComparison {
    /// Compares the group, level and duration that two catalogs declare for a product. For an auto-renewable
    /// subscription, these values are only used until the store has sent its own.
    mutating func compareSubscriptions(_ old: CatalogProduct, _ new: CatalogProduct) {
        let name = old.identifier
        let isRenewed = [old.kind, new.kind].contains(.autoRenewableSubscription)
        if old.subscriptionGroup != new.subscriptionGroup {
            add(
                .offer, name,
                "has subscriptionGroup \(new.subscriptionGroup.shown) instead of \(old.subscriptionGroup.shown)"
                    + (isRenewed
                        ? ": this applies only until the store has answered, and subscribers keep their subscriptions; the "
                            + "store's group decides which of them a customer can have at once"
                        : ""))
        }
        if old.level != new.level {
            add(
                .offer, name,
                "has level \(new.level.shown) instead of \(old.level.shown)"
                    + (isRenewed
                        ? ": this applies only until the store has answered; the store's level decides whether a change "
                            + "of plan is an upgrade"
                        : ""))
        }
        if old.subscriptionDuration != new.subscriptionDuration { compareDurations(old, new) }
    }

    private mutating func compareDurations(_ old: CatalogProduct, _ new: CatalogProduct) {
        let (name, kinds) = (old.identifier, [old.kind, new.kind])
        let change =
            "has subscriptionDuration \(new.subscriptionDuration.shown) instead of \(old.subscriptionDuration.shown)"
        // A product without type may be a non-renewing subscription in the store.
        guard kinds.contains(.nonRenewingSubscription) || kinds.contains(.unknown) else {
            let isRenewed = kinds.contains(.autoRenewableSubscription)
            return add(
                .safe, name,
                isRenewed
                    ? "\(change): subscribers are not affected, because the store defines the period"
                    : "has a different subscriptionDuration, which is ignored")
        }
        switch (old.subscriptionDuration, new.subscriptionDuration) {
        case (nil, _):
            add(.offer, name, "\(change): it can be sold, and purchases that wait for a duration are delivered")
        case (_?, nil):
            add(
                .takesAway, name,
                "\(change): it is no longer sold, and purchases that are not recorded yet wait; recorded ones keep their "
                    + "end")
        case (let before?, let after?):
            let isShorter = after.mayBeShorter(than: before)
            add(
                isShorter ? .takesAway : .offer, name,
                "\(change): new purchases, and earlier ones that are restored on another device, may end "
                    + "\(isShorter ? "earlier" : "later"); recorded ones keep their end")
        }
    }

    /// Records that an auto-renewable subscription was removed from the catalog.
    ///
    /// - Parameter contents: Products that the subscription contained.
    mutating func addRemoval(ofSubscription name: String, with contents: [String]) {
        let lost = contents.isEmpty ? "it" : "it and \(contents.shown)"
        add(
            .takesAway, name,
            "is removed: it is no longer sold, and \(Self.undeliveredRenewals(of: lost, until: "a catalog contains it"))"
        )
    }

    /// Returns a message that renewals are not delivered, so that subscribers lose products.
    ///
    /// - Parameters:
    ///   - lost: Products that subscribers lose.
    ///   - condition: Condition under which the renewals are delivered again.
    static func undeliveredRenewals(of lost: String = "it", until condition: String) -> String {
        "renewals are not delivered until \(condition), so that subscribers lose \(lost) when their period ends"
    }
}

extension SubscriptionDuration? {
    fileprivate var shown: String { map(\.description) ?? "none" }
}
