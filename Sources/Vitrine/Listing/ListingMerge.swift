internal import Entitlements
internal import Foundation
internal import HostedContent
internal import ProductCatalog

/// Merges what the catalog and the store say about products with what the ledger, the content directory and the purchase
/// queue know of them.
struct ListingMerge {
    let shelf: ProductShelf
    let entitlements: EntitlementSnapshot
    var circumstances: ListingCircumstances

    private var catalog: Catalog { shelf.catalog }

    /// The listings of all products, given one after the other.
    ///
    /// - Parameter collect: Is given their number and what lists each by its place, and asks for each once.
    func all<Listings>(_ collect: (_ count: Int, _ listing: (Int) -> ProductListing) -> Listings) -> Listings {
        let (lacking, ownerships) = (lackingContent, entitlements.ownerships(of: catalog))
        return collect(ownerships.count) { index in
            listing(index, ownerships[index], lacking: lacking[index]) { ownerships[$0].isOwned }
        }
    }

    /// The listing of one product, by its place in the catalog.
    func listing(_ index: Int) -> ProductListing {
        listing(
            index, entitlements.ownership(at: index, of: catalog, general: entitlements.generalUnknownReason),
            lacking: lackingContent(in: index)
        ) { entitlements.isOwned(at: $0) }
    }

    /// - Parameter lacking: A product with content that cannot be had: itself, or something that it contains.
    private func listing(
        _ index: Int, _ ownership: Ownership, lacking: Int?, isOwned: (Int) -> Bool
    ) -> ProductListing {
        ProductListing(
            shelf: shelf, index: index,
            offer: reasonNotOffered(index, ownership, lacking: lacking, isOwned).map(Offer.notOffered) ?? .offered,
            ownership: ownership, purchase: circumstances.purchases[catalog.products[index].identifier],
            content: content(index, ownership), images: images(index),
            childIsOwned: catalog.bundles.children(of: index).map(isOwned))
    }

    private func images(_ index: Int) -> ListedImages {
        circumstances.fetchedImages.isEmpty ? ListedImages() : circumstances.images(of: catalog.products[index])
    }

    private func reasonNotOffered(
        _ index: Int, _ ownership: Ownership, lacking: Int?, _ isOwned: (Int) -> Bool
    ) -> NotOfferedReason? {
        if let obstacle = circumstances.sellingObstacle, !ownership.isOwned { return .catalogOutOfDate(obstacle) }
        guard shelf.isAsked(index) else { return .productsNotLoaded }
        guard let storedKind = shelf.storedKind(index) else { return .unknownToStore }
        let kind = shelf.kind(index)
        guard storedKind == kind else { return .kindMismatch(catalog: kind, store: storedKind) }
        switch kind {
        case .consumable: if catalog.products[index].credit(forQuantity: 1) == nil { return .noWallet }
        case .nonConsumable, .autoRenewableSubscription: break
        case .nonRenewingSubscription:
            if catalog.products[index].subscriptionDuration == nil { return .noDuration }
        case .unknown: return .unknownKind
        }
        if kind != .consumable {
            switch ownership {
            case .owned: return .alreadyOwned
            case .unknown: return .ownershipUnknown
            case .notOwned: break
            }
            if let lacking { return .noContent(product: catalog.products[lacking].identifier) }
        }
        if let reason = enoughChildrenOwned(index, isOwned) { return reason }
        if let minimum = catalog.products[index].minimumAppVersion, let version = circumstances.appVersion,
            version < minimum
        {
            return .appTooOld(minimum: minimum)
        }
        return circumstances.paymentRestriction.map(NotOfferedReason.purchasesNotAllowed)
    }

    private func enoughChildrenOwned(_ index: Int, _ isOwned: (Int) -> Bool) -> NotOfferedReason? {
        guard let limit = catalog.products[index].maxChildren else { return nil }
        let children = catalog.bundles.children(of: index)
        let owned = children.count(where: isOwned)
        return owned < limit ? nil : .enoughChildrenOwned(owned: owned, children: children.count, limit: limit)
    }

    // MARK: Content

    /// The products with content that cannot be had, in themselves or in something that they contain: the place of each,
    /// with that of the content's product.
    private var lackingContent: [Int: Int] {
        let lacking = shelf.listed.hosted.filter(lacksContent)
        return lacking.isEmpty ? [:] : catalog.bundles.ancestors(ofEach: lacking)
    }

    private func lackingContent(in index: Int) -> Int? {
        guard !shelf.listed.hosted.isEmpty else { return nil }
        // The first in the catalog's order, as where all products are merged at once.
        return catalog.bundles.descendants(of: index).filter(lacksContent).min()
    }

    private func lacksContent(_ index: Int) -> Bool {
        let product = catalog.products[index]
        return product.hostedContentPath != nil && !circumstances.availableContent.contains(product.identifier)
            && !entitlements.isOwned(at: index)
    }

    private func content(_ index: Int, _ ownership: Ownership) -> ListedContent? {
        guard !shelf.listed.hosted.isEmpty else { return nil }
        let parts = catalog.bundles.descendants(of: index).map { catalog.products[$0] }
            .filter { $0.hostedContentPath != nil }
        guard !parts.isEmpty else { return nil }
        let identifier = catalog.products[index].identifier
        let installed = circumstances.installedContent
        let fractions = parts.map { part in
            installed[part.identifier] == nil ? circumstances.downloads[part.identifier]?.fraction ?? 0 : 1
        }
        return ListedContent(
            state: parts.first { $0.identifier == identifier }.map { state(of: $0, ownership) },
            download: circumstances.downloads[identifier],
            count: parts.count, installedCount: parts.count { installed[$0.identifier] != nil },
            fraction: fractions.reduce(0, +) / Double(parts.count))
    }

    private func state(of product: CatalogProduct, _ ownership: Ownership) -> ContentState {
        let installed = circumstances.installedContent[product.identifier]
        return ContentState(
            isInstalled: installed != nil,
            isCurrent: installed.map { ContentRequest(product).isMet(by: $0) ?? true } ?? true,
            ownership: ownership, mayGiveOut: !entitlements.hasRevocations)
    }
}
