public import Foundation
internal import HashTreeCollections
public import ProductCatalog

extension EntitlementSnapshot {
    /// Whether a product is owned, and why. A product that is neither in the catalog nor owned is not owned.
    public func ownership(of identifier: String) -> Ownership {
        let index = bundles.index(of: identifier)
        guard isOwned(identifier, index) else {
            return unknownReason(of: identifier).map(Ownership.unknown) ?? .notOwned
        }
        return .owned(because: reasons(for: identifier, index))
    }

    /// The ownership of a product of the catalog, by its place there.
    ///
    /// - Parameter general: ``generalUnknownReason``, which is the same for all products.
    package func ownership(at index: Int, of catalog: Catalog, general: Ownership.UnknownReason?) -> Ownership {
        if bundles.isOwned(index) { return .owned(because: reasons(for: catalog.products[index].identifier, index)) }
        if let general { return .unknown(general) }
        return bundles.undecidedRule(at: index).map { .unknown(.grandfathering(product: $0)) } ?? .notOwned
    }

    /// The ownership of each product of the catalog, by its place there.
    package func ownerships(of catalog: Catalog) -> [Ownership] {
        let general = generalUnknownReason
        return catalog.products.indices.map { ownership(at: $0, of: catalog, general: general) }
    }

    /// Whether a product of the catalog is known to be owned, by its place there.
    package func isOwned(at index: Int) -> Bool { bundles.isOwned(index) }

    private func reasons(for identifier: String, _ index: Int?) -> [Ownership.Reason] {
        var reasons: [Ownership.Reason] = []
        for support in supports(of: identifier) where counts(support) { reasons.append(support.reason(at: now)) }
        if let index { bundles.forEachOwnedParent(of: index) { reasons.append(.bundle(identifier: $0)) } }
        return reasons
    }

    /// Whether a product is known to be owned.
    public func isOwned(_ identifier: String) -> Bool { isOwned(identifier, bundles.index(of: identifier)) }

    private func isOwned(_ identifier: String, _ index: Int?) -> Bool {
        if let index { bundles.isOwned(index) } else { bundles.isOwnedOutside(identifier) }
    }

    /// Why it cannot be told of some product whether it is owned; `nil` where it can be told of all.
    public var unknownReason: Ownership.UnknownReason? {
        if let reason = generalUnknownReason { return reason }
        return bundles.undecidedRule.map { .grandfathering(product: $0) }
    }

    /// Why it cannot be told of anything that is not owned whether it is.
    package var generalUnknownReason: Ownership.UnknownReason? {
        if isIncomplete, let loss { return .ledgerLost(reason: loss.reason) }
        guard let catalog else { return .noCatalog }
        guard catalog.hasErrors, let missing = ownedOutsideTheCatalog.first else { return nil }
        return .incompleteCatalog(owned: missing)
    }

    /// The identifiers of all owned products: those of the catalog in its order, then the others as they came.
    public var owned: [String] { bundles.ownedIdentifiers + ownedOutsideTheCatalog }

    private var ownedOutsideTheCatalog: [String] {
        bundles.outside.map { ($0, supports(of: $0).first?.place ?? (0, 0)) }
            .sorted { ($0.1.0, $0.1.1, $0.0) < ($1.1.0, $1.1.1, $1.0) }.map(\.0)
    }

    /// The direct children of a bundle that are owned.
    public func ownedChildren(of product: CatalogProduct) -> [String] {
        product.childProducts.withoutDuplicates.filter(isOwned)
    }

    /// The units in a wallet; 0 in one that nothing was ever put into.
    public func balance(of wallet: String) -> WalletBalance {
        let units = balances[wallet, default: 0]
        return loss == nil ? .known(units) : .unknown(atLeast: units)
    }

    /// Something was bought, and has not been taken back; it may have ended by itself.
    public func counts(_ purchaseID: String, of identifier: String) -> Bool {
        supports[identifier]?.contains { $0.purchaseID == purchaseID && !isTakenAway($0) } ?? false
    }

    /// A period of this product that began before a date is recorded of a subscription, and was not taken back.
    ///
    /// - Parameter original: The subscription's original transaction.
    package func hasPeriod(of identifier: String, before date: Date, in original: String) -> Bool {
        subscriptions[original]?.contains {
            $0.product == identifier && $0.start < date && revocations[$0.purchaseID] == nil
        } ?? false
    }

    /// The store has taken back at least one purchase.
    public var hasRevocations: Bool { !revocations.isEmpty }

    /// The purchases of a product that the store has taken back, the latest first.
    public func revocations(of identifier: String) -> [Fact.Revocation] {
        revocations.values.filter { $0.productIdentifier == identifier }
            .sorted {
                ($0.revocationDate, $0.origin.purchaseID) > ($1.revocationDate, $1.origin.purchaseID)
            }
    }

    /// The purchases and grants of a product that have ended by themselves, with their end, the latest first.
    public func ended(of identifier: String) -> [(reason: Ownership.Reason, end: Date)] {
        supports(of: identifier).compactMap { support in
            guard support.bundle == nil, let end = support.end, end <= now, !isTakenAway(support) else { return nil }
            return (support.reason(at: now), support.toldEnd ?? end)
        }.sorted { $0.end > $1.end }
    }

    /// What has taken the grants of a product away, the latest first.
    public func locks(of identifier: String) -> [(lock: Fact.Lock, date: Date)] {
        (locks[identifier] ?? []).reversed().compactMap { entry in
            guard case .lock(let lock) = entry.fact else { return nil }
            return (lock, entry.recordedAt)
        }
    }

    /// A grant of a product that counts.
    public func hasGrant(of identifier: String) -> Bool {
        supports[identifier]?.contains { $0.purchaseID == nil && counts($0) } ?? false
    }

    /// A grant with this token was recorded, whether it counts or not.
    public func hasGrant(token: String) -> Bool { grants.contains(token) }

    /// The grants that the catalog's rules give for how the customer first got the app, and that are not recorded yet.
    public var missingGrandfatheringGrants: [Fact.Grant] {
        guard let catalog, let appPurchase else { return [] }
        return catalog.products.compactMap { $0.grandfatheringGrant(for: appPurchase.original) }
            .filter { !grants.contains($0.token) }
    }

    /// What makes a product owned by itself, in the order of the ledger.
    func supports(of identifier: String) -> [Support] {
        let own = supports[identifier] ?? []
        guard let former = formerContents[identifier] else { return own }
        return (own + former).sorted { $0.sequence < $1.sequence }
    }

    /// Why it cannot be told whether a product is owned; asked of those that nothing makes owned.
    private func unknownReason(of identifier: String) -> Ownership.UnknownReason? {
        if let generalUnknownReason { return generalUnknownReason }
        return bundles.undecidedRule(of: identifier).map { .grandfathering(product: $0) }
    }
}
