struct SubscriptionLevelRule: CrossProductRule {
    static let identifier = "subscription-level"
    static let explanation =
        "A level ranks the subscriptions of one group: without the group, or next to subscriptions of the group that "
        + "have no level, it ranks nothing. Subscriptions with equal levels are equivalent."

    func findings(in draft: CatalogDraft) -> [Finding] {
        let subscriptions = draft.list.subscriptions.map { draft.declarations[$0] }
        guard !subscriptions.isEmpty else { return [] }
        var ranked: [String: ProductDeclaration] = [:]
        for subscription in subscriptions where subscription.product.level != nil {
            guard let group = subscription.product.subscriptionGroup, ranked[group] == nil else { continue }
            ranked[group] = subscription
        }
        return subscriptions.compactMap { subscription in
            guard let group = subscription.product.subscriptionGroup else { return levelWithoutGroup(subscription) }
            return ranked[group].flatMap { missingLevel(subscription, of: group, ranked: $0) }
        }
    }

    private func levelWithoutGroup(_ declaration: ProductDeclaration) -> Finding? {
        guard declaration.product.level != nil, let level = declaration.integer(.level),
            !declaration.hasValueOfWrongKind(.subscriptionGroup)
        else { return nil }
        return finding(
            .warning, "\(declaration.displayName) has level \(level.value) and no subscriptionGroup to be ranked in",
            at: level.position)
    }

    /// Returns a finding for a subscription without a level.
    ///
    /// - Parameter other: First subscription of the same group that has a level.
    private func missingLevel(
        _ declaration: ProductDeclaration, of group: String, ranked other: ProductDeclaration
    ) -> Finding? {
        // A level that cannot be used has its own finding.
        guard declaration.integer(.level) == nil, !declaration.hasValueOfWrongKind(.level) else { return nil }
        return finding(
            .warning,
            "\(declaration.displayName) has no level, unlike another subscription of the group \(group.quoted)",
            at: declaration.position,
            notes: [
                Diagnostic.Note(
                    message: "the other subscription has its level here", position: other.integer(.level)?.position)
            ])
    }
}
