internal import Foundation
internal import VitrinePropertyList
internal import VitrineSupport

struct SubscriptionRule: ProductRule {
    static let identifier = "subscription"
    static let explanation =
        "The duration of a non-renewing subscription is defined only by subscriptionDuration, and that of earlier "
        + "purchases by formerDurations. The period of an "
        + "auto-renewable subscription is defined by the store, and compared with subscriptionDuration by "
        + "'vitrine lint --storekit'. Other products have no duration, group or level."
    static let concerns: ProductTraits = [
        .nonRenewing, .keys(.subscriptionGroup, .level, .subscriptionDuration, .formerDurations),
    ]

    func findings(in declaration: ProductDeclaration, at index: Int) -> [Finding] {
        let isConcerned =
            declaration.product.kind == .nonRenewingSubscription || declaration.subscriptionGroup != nil
            || declaration.integer(.level) != nil || declaration.subscriptionDuration != nil
            || hasFormerDurations(declaration)
        guard isConcerned else { return [] }
        return [unreadableDuration(of: declaration, index), strangeLevel(of: declaration)].compactMap(\.self)
            + formerDurations(of: declaration, index) + kindFindings(declaration)
    }

    private func hasFormerDurations(_ declaration: ProductDeclaration) -> Bool {
        declaration[.formerDurations] != nil || !declaration.product.formerDurations.isEmpty
    }

    /// Returns findings for former durations that cannot be read, and for two that end at the same date.
    private func formerDurations(of declaration: ProductDeclaration, _ index: Int) -> [Finding] {
        if let list = declaration[.formerDurations], list.kind == .array, list.count > CatalogLimits.formerDurations {
            let counts = "\(list.count) entries, and at most \(CatalogLimits.formerDurations) are read"
            return [finding(.error, "formerDurations has \(counts)", at: list.position, leavingOut: [index])]
        }
        let declared = (declaration[.formerDurations]?.elements ?? []).map(FormerDurationDeclaration.init)
        let problems = declared.flatMap(\.problems).map { problem in
            finding(.error, problem.value, at: problem.position, leavingOut: [index])
        }
        let dates = declaration.product.formerDurations.map(\.until)
        guard let repeated = zip(dates, dates.dropFirst()).first(where: { $0 == $1 })?.0 else { return problems }
        return problems + [
            finding(
                .error, "two of the formerDurations end at \(repeated.inSeconds)",
                at: declaration[.formerDurations]?.position ?? declaration.position, leavingOut: [index])
        ]
    }

    private func unreadableDuration(of declaration: ProductDeclaration, _ index: Int) -> Finding? {
        guard let duration = declaration.subscriptionDuration, declaration.product.subscriptionDuration == nil else {
            return nil
        }
        let reason = "not a duration such as P7D, P1W, P1M or P1Y"
        guard declaration.product.kind != .autoRenewableSubscription else {
            return finding(
                .warning, "subscriptionDuration \(duration.value.quoted) is ignored: it is \(reason)",
                at: duration.position)
        }
        return finding(
            .error, "subscriptionDuration \(duration.value.quoted) is \(reason)", at: duration.position,
            leavingOut: [index])
    }

    private func strangeLevel(of declaration: ProductDeclaration) -> Finding? {
        guard let level = declaration.integer(.level), level.value <= 0 else { return nil }
        return finding(
            .warning, "level is \(level.value) and is ignored: it must be greater than zero", at: level.position,
            fix: declaration.fixable(.level).flatMap { .removingEntry($0, "remove level") })
    }

    /// Returns findings for keys that do not match the type of the product.
    private func kindFindings(_ declaration: ProductDeclaration) -> [Finding] {
        switch declaration.product.kind {
        case .unknown: []
        case .autoRenewableSubscription: ignoredFormerDurations(of: declaration)
        case .consumable, .nonConsumable: ignoredKeys(of: declaration)
        case .nonRenewingSubscription: missingDuration(of: declaration)
        }
    }

    private func ignoredKeys(of declaration: ProductDeclaration) -> [Finding] {
        // An unknown type may be a misspelled subscription type.
        let isTypeKnown = declaration.text(.type).map { ProductKind(declared: $0.value) != nil } ?? true
        guard isTypeKnown else { return [] }
        // A level out of range has its own finding.
        let level = declaration.product.level == nil ? nil : declaration.integer(.level)
        let keys = [
            (CatalogKey.subscriptionGroup, declaration.subscriptionGroup?.location), (.level, level?.location),
            (.subscriptionDuration, declaration.subscriptionDuration?.location),
        ]
        return keys.compactMap { key, location in
            location.map { location in
                finding(
                    .warning, "\(declaration.displayName) is not a subscription: \(key.name) is ignored",
                    at: location.position)
            }
        } + ignoredFormerDurations(of: declaration)
    }

    private func ignoredFormerDurations(of declaration: ProductDeclaration) -> [Finding] {
        guard hasFormerDurations(declaration) else { return [] }
        return [
            finding(
                .warning,
                "\(declaration.displayName) is not a non-renewing subscription: formerDurations is ignored",
                at: declaration[.formerDurations]?.position ?? declaration.position)
        ]
    }

    private func missingDuration(of declaration: ProductDeclaration) -> [Finding] {
        guard declaration.subscriptionDuration == nil, !declaration.hasValueOfWrongKind(.subscriptionDuration) else {
            return []
        }
        return [
            finding(
                .warning,
                "\(declaration.displayName(as: "non-renewing subscription")) has no subscriptionDuration: its end "
                    + "is unknown",
                at: declaration.position)
        ]
    }
}
