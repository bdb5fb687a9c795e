public import ProductCatalog

extension CatalogProduct {
    /// Some customers own it because of when they first got the app.
    public var isGrandfathered: Bool { kind != .consumable && !grandfathered.isEmpty }

    /// Under which token the grant of its rules is recorded.
    var grandfatheringToken: String { Fact.Grant.grandfatheringPrefix + identifier }

    /// What is recorded for a customer who owns the product by one of its rules: once, so that a later catalog cannot
    /// take it away.
    ///
    /// - Returns: `nil` where no rule says yes.
    public func grandfatheringGrant(for original: OriginalPurchase) -> Fact.Grant? {
        guard isGrandfathered, let rule = grandfathered.first(where: { $0.answer(for: original) == .yes }) else {
            return nil
        }
        return Fact.Grant(
            token: grandfatheringToken, productIdentifier: identifier,
            reason: "the app was first got \(original.words), and the rule asks for \(rule.conditions)")
    }
}

extension Fact.Grant {
    fileprivate static let grandfatheringPrefix = "grandfathered:"

    /// A grandfathering rule has given it.
    var isGrandfathering: Bool { token.hasPrefix(Self.grandfatheringPrefix) }
}
