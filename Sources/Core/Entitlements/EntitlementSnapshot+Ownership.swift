package import Foundation
internal import HashTreeCollections
public import VitrineCatalog

extension EntitlementSnapshot {
    /// Returns the ownership of a product, with its reasons. The catalog need not contain the product.
    public func ownership(of identifier: String) -> Ownership {
        let index = bundles.index(of: identifier)
        guard isOwned(identifier, index) else {
            return unknownReason(of: identifier).map(Ownership.unknown) ?? .notOwned
        }
        return .owned(because: reasons(for: identifier, index))
    }

    /// Returns the ownership of the product at an index of the catalog.
    ///
    /// - Parameter general: ``generalUnknownReason``, which is the same for all products.
    package func ownership(at index: Int, of catalog: Catalog, general: Ownership.UnknownReason?) -> Ownership {
        if bundles.isOwned(index) { return .owned(because: reasons(for: catalog.products[index].identifier, index)) }
        if let general { return .unknown(general) }
        return bundles.undecided(at: index).map { .unknown(reason(undecided: $0)) } ?? .notOwned
    }

    /// Returns the ownership of each product of the catalog, in the order of the catalog.
    package func ownerships(of catalog: Catalog) -> [Ownership] {
        let general = generalUnknownReason
        return catalog.products.indices.map { ownership(at: $0, of: catalog, general: general) }
    }

    /// Returns `true` if the product at an index of the catalog is known to be owned.
    package func isOwned(at index: Int) -> Bool { bundles.isOwned(index) }

    /// Returns the reason for which an entitlement source gives its product.
    func reason(of source: EntitlementSource, _ validity: Validity) -> Ownership.Reason {
        source.reason(at: now, validity, firstInstallation: appPurchase?.original.date)
    }

    private func reasons(for identifier: String, _ index: Int?) -> [Ownership.Reason] {
        var reasons: [Ownership.Reason] = []
        for source in sources(of: identifier).withPassesInOrder where counts(source) {
            reasons.append(reason(of: source, validity(of: source)))
        }
        if let index { bundles.forEachOwnedParent(of: index) { reasons.append(.bundle(identifier: $0)) } }
        return reasons
    }

    /// Returns `true` if a product is known to be owned.
    public func isOwned(_ identifier: String) -> Bool { isOwned(identifier, bundles.index(of: identifier)) }

    private func isOwned(_ identifier: String, _ index: Int?) -> Bool {
        if let index { bundles.isOwned(index) } else { bundles.isOwnedOutside(identifier) }
    }

    /// Reason why the ownership of at least one product cannot be determined; `nil` if it can be determined for all.
    public var unknownReason: Ownership.UnknownReason? {
        if let reason = generalUnknownReason { return reason }
        return bundles.undecidedProduct.map(reason(undecided:))
    }

    /// Returns the reason why the ownership of a product, and of the products that it contains, is undetermined.
    private func reason(undecided product: String) -> Ownership.UnknownReason {
        guard let end = unconfirmedEnd(of: product) else { return .grandfathering(product: product) }
        return end > now
            ? .clockSetBack(product: product, end: end) : .unconfirmedRenewal(product: product, end: end)
    }

    /// Reason why the ownership of all products that are not known to be owned is undetermined; `nil` if there is no
    /// such general reason.
    package var generalUnknownReason: Ownership.UnknownReason? {
        if isIncomplete, let loss { return .ledgerLost(reason: loss.reason) }
        guard let catalog else { return .noCatalog }
        if isIncomplete { return .purchasesNotRead }
        guard catalog.hasErrors, let missing = ownedOutsideTheCatalog.first else { return nil }
        return .incompleteCatalog(owned: missing)
    }

    /// Identifiers of all owned products: first those of the catalog in its order, then the others in the order of the
    /// ledger.
    public var owned: [String] { bundles.ownedIdentifiers + ownedOutsideTheCatalog }

    private var ownedOutsideTheCatalog: [String] {
        bundles.outside.map { ($0, sources(of: $0).first?.place ?? (0, 0)) }
            .sorted { ($0.1.0, $0.1.1, $0.0) < ($1.1.0, $1.1.1, $1.0) }.map(\.0)
    }

    /// Returns the identifiers of the direct children of a bundle that are owned.
    public func ownedChildren(of product: CatalogProduct) -> [String] {
        product.childProducts.withoutDuplicates.filter(isOwned)
    }

    /// Returns the balance of a wallet; 0 for a wallet that never received units.
    public func balance(of wallet: String) -> WalletBalance {
        let units = balances[wallet, default: 0]
        return loss == nil ? .known(units) : .unknown(atLeast: units)
    }

    /// Returns `true` if a purchase of a product is recorded and was not revoked. The purchase may have expired.
    public func counts(_ purchaseID: String, of identifier: String) -> Bool {
        sources[identifier]?.contains { $0.purchaseID == purchaseID && !isTakenAway($0) } ?? false
    }

    /// Returns `true` if a period of a product is recorded for a subscription, began before a date, and was not
    /// revoked.
    ///
    /// - Parameter original: The subscription's original transaction.
    package func hasPeriod(of identifier: String, before date: Date, in original: String) -> Bool {
        histories[original]?.periods.contains {
            $0.product == identifier && $0.start < date && revocations[$0.purchaseID] == nil
        } ?? false
    }

    /// Returns `true` if the customer (not a family member) bought a product after a date, and the purchase was not revoked.
    /// The purchase may have expired since.
    package func hasOwnPurchase(of identifier: String, after date: Date) -> Bool {
        sources[identifier]?.contains { source in
            source.isOwnPurchase(after: date) && source.purchaseID.map { revocations[$0] == nil } ?? true
        } ?? false
    }

    /// `true` if at least one purchase of any product is currently revoked.
    public var hasRevocations: Bool { !revocations.isEmpty }

    /// Returns the revoked purchases of a product, the latest first.
    public func revocations(of identifier: String) -> [Fact.Revocation] {
        revocations.values.filter { $0.productIdentifier == identifier }
            .sorted {
                ($0.revocationDate, $0.origin.purchaseID) > ($1.revocationDate, $1.origin.purchaseID)
            }
    }

    /// Returns `true` if a product has a valid grant.
    public func hasGrant(of identifier: String) -> Bool { hasGrant(of: identifier) { _ in true } }

    /// Returns `true` if a product has a valid grant whose token meets a condition.
    package func hasGrant(of identifier: String, where isMeant: (_ token: String) -> Bool) -> Bool {
        sources[identifier]?.contains { source in source.grantToken.map(isMeant) ?? false && counts(source) } ?? false
    }

    /// Grants that result from the catalog's grandfathering rules and the original purchase of the app, and are not
    /// recorded yet.
    public var missingGrandfatheringGrants: [Fact.Grant] {
        guard let catalog, let appPurchase else { return [] }
        return catalog.products.compactMap { $0.grandfatheringGrant(for: appPurchase.original) }
            .filter { !grants.contains($0.token) }
    }

    /// Returns the entitlement sources of a product, in the order of the ledger.
    func sources(of identifier: String) -> [EntitlementSource] {
        let own = sources[identifier] ?? []
        let others = (purchasedContents[identifier] ?? []) + plannedSources(of: identifier)
        return others.isEmpty ? own : (own + others).sorted { $0.sequence < $1.sequence }
    }

    /// Returns the reason why the ownership of a product is undetermined, if the product is not known to be owned.
    private func unknownReason(of identifier: String) -> Ownership.UnknownReason? {
        if let generalUnknownReason { return generalUnknownReason }
        if unconfirmed.contains(identifier) { return reason(undecided: identifier) }
        return bundles.undecided(of: identifier).map(reason(undecided:))
    }
}

extension [EntitlementSource] {
    /// Sources with passes in the order in which they give access, after the others.
    fileprivate var withPassesInOrder: [EntitlementSource] {
        guard contains(where: { $0.pass != nil }) else { return self }
        let passes = filter { $0.pass != nil }.sorted { left, right in
            guard let left = left.pass, let right = right.pass else { return false }
            return left.start == right.start ? left.precedes(right) : left.start < right.start
        }
        return filter { $0.pass == nil } + passes
    }
}
