internal import PropertyList

struct SubscriptionRule: ProductRule {
    static let identifier = "subscription"
    static let explanation =
        "How long a non-renewing subscription lasts is said by subscriptionDuration alone; of one that renews itself the "
        + "store says it. What is no subscription has neither a duration nor a group nor a level."

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        let isConcerned =
            declaration.product.kind == .nonRenewingSubscription || declaration.subscriptionGroup != nil
            || declaration.level != nil || declaration.subscriptionDuration != nil
        guard isConcerned else { return [] }
        return unreadableDuration(of: declaration, index) + strangeLevel(of: declaration) + kindFindings(declaration)
    }

    private func unreadableDuration(of declaration: ProductDeclaration, _ index: Int) -> [Finding] {
        guard let duration = declaration.subscriptionDuration, declaration.product.subscriptionDuration == nil else {
            return []
        }
        return [
            finding(
                .error, "subscriptionDuration \(duration.value.quoted) is no duration such as P7D, P1W, P1M or P1Y",
                at: duration.position, leavingOut: [index])
        ]
    }

    private func strangeLevel(of declaration: ProductDeclaration) -> [Finding] {
        guard let level = declaration.level, level.value <= 0 else { return [] }
        return [
            finding(
                .warning, "level is \(level.value), and is ignored: it must be above zero", at: level.position,
                fix: declaration.fixable(.level).flatMap { .removingEntry($0, "remove level") })
        ]
    }

    /// What does not go with the kind of the product.
    private func kindFindings(_ declaration: ProductDeclaration) -> [Finding] {
        switch declaration.product.kind {
        case .unknown: []
        case .consumable, .nonConsumable: ignoredKeys(of: declaration)
        case .autoRenewableSubscription: ignoredDuration(of: declaration)
        case .nonRenewingSubscription: missingDuration(of: declaration)
        }
    }

    private func ignoredKeys(of declaration: ProductDeclaration) -> [Finding] {
        // A type that nobody understands may have meant a subscription.
        let isTypeKnown = declaration.type.map { ProductKind(declared: $0.value) != nil } ?? true
        guard isTypeKnown else { return [] }
        // Of a level that is out of range it is said already.
        let level = declaration.product.level == nil ? nil : declaration.level
        let keys = [
            (CatalogKey.subscriptionGroup, declaration.subscriptionGroup?.place), (.level, level?.place),
            (.subscriptionDuration, declaration.subscriptionDuration?.place),
        ]
        return keys.compactMap { key, place in
            place.map { place in
                finding(
                    .warning, "\(declaration.displayName) is no subscription: \(key.name) is ignored",
                    at: place.position)
            }
        }
    }

    private func ignoredDuration(of declaration: ProductDeclaration) -> [Finding] {
        guard let duration = declaration.subscriptionDuration else { return [] }
        return [
            finding(
                .warning,
                "the store says how long \(declaration.displayName) lasts, and renews it: subscriptionDuration is ignored",
                at: duration.position)
        ]
    }

    private func missingDuration(of declaration: ProductDeclaration) -> [Finding] {
        guard declaration.subscriptionDuration == nil, !declaration.hasValueOfWrongKind(.subscriptionDuration) else {
            return []
        }
        return [
            finding(
                .warning,
                "the non-renewing subscription \(declaration.displayName) has no subscriptionDuration: nobody can tell "
                    + "until when it lasts",
                at: declaration.position)
        ]
    }
}
