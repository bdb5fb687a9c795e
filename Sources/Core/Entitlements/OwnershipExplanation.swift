public import Foundation
internal import HashTreeCollections
public import VitrineCatalog

/// Explanation of a product's ownership: the chain of bundles because of which it is owned, and former purchases and
/// grants.
public struct OwnershipExplanation: Sendable {
    /// Ownership of the product, followed by the ownership of each bundle because of which an earlier product of the
    /// chain is owned. Each bundle occurs once.
    public let chain: [(product: String, ownership: Ownership)]
    /// Identifiers of the bundles that directly contain the product.
    public let bundles: [String]
    /// Revoked purchases of the product and of every bundle that contains it. For each product, the latest is first.
    public let revocations: [Fact.Revocation]
    /// Expired purchases and grants of the product and of the bundles that contain it, with the end of each.
    public let ended: [(product: String, reason: Ownership.Reason, end: Date)]
    /// Auto-renewable subscriptions to the product and to bundles that contain it, including subscriptions that are to
    /// change to one of them.
    public let subscriptions: [CustomerSubscription]
    /// Locks of the product and of the bundles that contain it, which have ended earlier grants.
    public let locks: [(lock: Fact.Lock, date: Date)]
    /// The product and the bundles that contain it, if they have a grandfathering rule that may grant them.
    public let grandfathered: [CatalogProduct]
    /// Identifiers of the product and of every bundle that contains it, directly or in another bundle.
    public let related: [String]
}

extension EntitlementSnapshot {
    /// Returns the explanation of a product's ownership.
    public func explanation(of identifier: String) -> OwnershipExplanation {
        var (products, bundles): ([CatalogProduct], [String]) = ([], [])
        if let catalog, let index = catalog.index(of: identifier) {
            products = catalog.bundles.ancestors(of: index).map { catalog.products[$0] }
            bundles = catalog.bundles.parents(of: index).map { catalog.products[$0].identifier }
        }
        let related = products.isEmpty ? [identifier] : products.map(\.identifier)
        return OwnershipExplanation(
            chain: chain(of: identifier), bundles: bundles, revocations: related.flatMap(revocations),
            ended: related.flatMap { product in ended(of: product).map { (product, $0.reason, $0.end) } },
            subscriptions: subscriptions.filter { subscription in
                related.contains { [subscription.productIdentifier, subscription.nextProduct].contains($0) }
            },
            locks: related.flatMap(locks), grandfathered: products.filter(\.isGrandfathered), related: related)
    }

    private func chain(of identifier: String) -> [(product: String, ownership: Ownership)] {
        var chain: [(product: String, ownership: Ownership)] = []
        var next = [identifier]
        while let product = next.popLast() {
            guard !chain.contains(where: { $0.product == product }) else { continue }
            let ownership = ownership(of: product)
            chain.append((product, ownership))
            guard case .owned(let reasons) = ownership else { continue }
            for case .bundle(let bundle) in reasons.reversed() { next.append(bundle) }
        }
        return chain
    }

    /// Returns the expired purchases and grants of a product, with the end of each, the latest first.
    public func ended(of identifier: String) -> [(reason: Ownership.Reason, end: Date)] {
        sources(of: identifier).compactMap { source in
            guard source.bundle == nil, !source.isPlanned, let end = source.end, end <= now, !isTakenAway(source),
                validity(of: source) == .ended
            else { return nil }
            return (reason(of: source, .ended), source.reportedEnd ?? end)
        }.sorted { $0.end > $1.end }
    }

    /// Returns the locks of a product, which end its earlier grants, the latest first.
    public func locks(of identifier: String) -> [(lock: Fact.Lock, date: Date)] {
        (locks[identifier] ?? []).reversed().compactMap { entry in
            guard case .lock(let lock) = entry.fact else { return nil }
            return (lock, entry.recordedAt)
        }
    }
}
