public import ProductCatalog

extension CatalogProduct {
    /// `true` if some customers own the product because of the date or version at which they first installed the app.
    public var isGrandfathered: Bool { kind != .consumable && !grandfathered.isEmpty }

    /// Token under which the grant of the product's grandfathering rules is recorded.
    var grandfatheringToken: String { Fact.Grant.grandfatheringPrefix + identifier }

    /// Returns the grant that is recorded for a customer who owns the product by one of its grandfathering rules. The
    /// grant is recorded once, so that a later catalog cannot revoke it.
    ///
    /// - Returns: `nil` if no rule grants the product.
    public func grandfatheringGrant(for original: OriginalPurchase) -> Fact.Grant? {
        guard isGrandfathered, let rule = grandfathered.first(where: { $0.answer(for: original) == .yes }) else {
            return nil
        }
        return Fact.Grant(
            token: grandfatheringToken, productIdentifier: identifier,
            reason: "the app was first installed \(original.words), and the rule requires \(rule.conditions)")
    }
}

extension Fact.Grant {
    fileprivate static let grandfatheringPrefix = "grandfathered:"

    /// `true` if the grant was created by a grandfathering rule.
    var isGrandfathering: Bool { token.hasPrefix(Self.grandfatheringPrefix) }
}
