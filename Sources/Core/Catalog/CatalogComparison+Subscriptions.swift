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
        if old.formerDurations != new.formerDurations { compareFormerDurations(old, new) }
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
            let direction = isShorter ? "earlier" : "later"
            guard !new.formerDurations.contains(where: { $0.duration == before }) else {
                return add(.offer, name, "\(change): new purchases may end \(direction)")
            }
            add(
                isShorter ? .takesAway : .offer, name,
                "\(change): new purchases, and earlier ones that are restored on another device, may end "
                    + "\(direction); recorded ones keep their end. With \(before.description) in formerDurations, "
                    + "earlier ones keep their duration on every device")
        }
    }

    private mutating func compareFormerDurations(_ old: CatalogProduct, _ new: CatalogProduct) {
        let name = old.identifier
        guard [old.kind, new.kind].contains(where: { $0 == .nonRenewingSubscription || $0 == .unknown }) else {
            return add(.safe, name, "has different formerDurations, which are ignored")
        }
        let lost = old.formerDurations.filter { !new.formerDurations.contains($0) }.map(\.description)
        guard lost.isEmpty else {
            return add(
                .takesAway, name,
                "no longer has \(lost.joined(separator: ", ")) in formerDurations: earlier purchases may end earlier on "
                    + "devices that have not recorded them")
        }
        let won = new.formerDurations.filter { !old.formerDurations.contains($0) }.map(\.description)
        add(
            .offer, name,
            "has \(won.joined(separator: ", ")) in formerDurations: earlier purchases last at least that long on every "
                + "device")
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
