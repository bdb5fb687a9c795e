internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineHostedContent

/// Merge of catalog and store data with ownership, content and running purchases.
///
/// A class, because its closures would copy the values of a structure for each product.
final class ListingMerge {
    let index: ProductIndex
    let entitlements: EntitlementSnapshot
    let context: ListingContext
    /// Customer's subscription to each product: the current one, or else the one that began last.
    ///
    /// An array of one element is cheaper to copy than a subscription, and most listings have none.
    private let subscriptions: [String: [CustomerSubscription]]

    init(index: ProductIndex, entitlements: EntitlementSnapshot, context: ListingContext) {
        self.index = index
        self.entitlements = entitlements
        self.context = context
        subscriptions = Dictionary(entitlements.subscriptions.map { ($0.productIdentifier, [$0]) }) {
            $0[0].isActive && !$1[0].isActive ? $0 : $1
        }
    }

    private var catalog: Catalog { index.catalog }

    /// Returns the listings of all products in catalog order.
    func all() -> [ProductListing] {
        let (lacking, ownerships) = (lackingContent(among: catalog.withContent), entitlements.ownerships(of: catalog))
        return ownerships.indices.map { position in
            listing(position, ownerships[position], lacking: lacking[position]) { ownerships[$0].isOwned }
        }
    }

    /// Returns the listings of some products, in catalog order.
    ///
    /// - Parameter positions: Positions of the products in the catalog, sorted.
    func listings(at positions: [Int]) -> [(position: Int, listing: ProductListing)] {
        let contained = catalog.withContent.isEmpty ? [] : catalog.bundles.descendants(ofEach: positions).keys.sorted()
        let (lacking, reason) = (lackingContent(among: contained), entitlements.generalUnknownReason)
        return positions.map { position in
            let ownership = entitlements.ownership(at: position, of: catalog, general: reason)
            return (
                position,
                listing(position, ownership, lacking: lacking[position]) { entitlements.isOwned(at: $0) }
            )
        }
    }

    /// Returns the listing of the product at a position of the catalog.
    ///
    /// - Parameter lacking: Position of a product whose content is not available: the product itself or one that it
    ///   contains; `nil` if there is none.
    private func listing(
        _ position: Int, _ ownership: Ownership, lacking: Int?, isOwned: (Int) -> Bool
    ) -> ProductListing {
        ProductListing(
            index: index, position: position,
            offer: reasonNotOffered(position, ownership, lacking: lacking, isOwned).map(Offer.notOffered) ?? .offered,
            ownership: ownership, purchase: context.purchases[catalog.products[position].identifier],
            content: content(position, ownership), images: images(position),
            partIsOwned: index.parts(of: position).map(isOwned),
            endsOffers: endsOffers(position, isOwned),
            subscriptionOfCustomer: subscriptions.isEmpty
                ? [] : subscriptions[catalog.products[position].identifier] ?? [])
    }

    /// Returns `true` if an introductory or win-back offer in the store's data no longer applies to the customer: the
    /// customer owns a subscription of the same group, or bought one after the store's response.
    private func endsOffers(_ position: Int, _ isOwned: (Int) -> Bool) -> Bool {
        // Most products are in no group, and most customers have no subscription: both are looked at first.
        guard !subscriptions.isEmpty else { return false }
        let date = index.store?.date ?? .distantPast
        return index.groups.containsMember(with: position) {
            let identifier = catalog.products[$0].identifier
            return isOwned($0) && entitlements.hasOwnTransaction(of: identifier)
                || entitlements.hasOwnPurchase(of: identifier, after: date)
        } && index.storeProduct(position)?.subscription?.offersLowerPrice == true
    }

    private func images(_ position: Int) -> ListedImages {
        context.fetchedImages.isEmpty ? ListedImages() : context.images(of: catalog.products[position])
    }

    private func reasonNotOffered(
        _ position: Int, _ ownership: Ownership, lacking: Int?, _ isOwned: (Int) -> Bool
    ) -> NotOfferedReason? {
        // A non-renewing subscription is sold while it runs: what is bought adds up.
        let isExtended = ownership.isExtendable && index.kind(position) == .nonRenewingSubscription
        if let obstacle = context.sellingObstacle, !ownership.isOwned || isExtended {
            return .catalogOutOfDate(obstacle)
        }
        guard index.isRequested(position) else {
            return context.unreturned.contains(catalog.products[position].identifier)
                ? .notReturnedByStore : .productsNotLoaded
        }
        guard let storedKind = index.storeKind(position) else { return .unknownToStore }
        let kind = index.kind(position)
        guard storedKind == kind else { return .kindMismatch(catalog: kind, store: storedKind) }
        switch kind {
        case .consumable:
            let product = catalog.products[position]
            let isLeftToApp = context.isAppDelivering && product.mayBeLeftToApp
            if product.credit(forQuantity: 1) == nil, !isLeftToApp { return .noWallet }
        case .nonConsumable, .autoRenewableSubscription: break
        case .nonRenewingSubscription:
            if catalog.products[position].subscriptionDuration == nil { return .noDuration }
        case .unknown: return .unknownKind
        }
        if kind != .consumable {
            // Most products have no value; reading one field does not copy the product.
            if kind != .autoRenewableSubscription, catalog.products[position].productValue != nil,
                catalog.products[position].credit(forQuantity: 1) != nil
            {
                return .uncreditedValue
            }
            switch ownership {
            case .owned where isExtended: break
            case .owned: return .alreadyOwned
            case .unknown(.purchasesNotRead), .unknown(.ledgerLost): return .purchasesNotRead
            case .unknown: return .ownershipUnknown
            case .notOwned: break
            }
            if let lacking {
                let product = catalog.products[lacking].identifier
                return context.contentWithoutSource.contains(product)
                    ? .noContentURL(product: product) : .noContent(product: product)
            }
        }
        // A running subscription makes its own children owned.
        if !isExtended, let reason = enoughChildrenOwned(position, isOwned) { return reason }
        if let version = context.appVersion, let minimum = catalog.products[position].minimumAppVersion,
            version < minimum
        {
            return .appTooOld(minimum: minimum)
        }
        return context.paymentRestriction.map(NotOfferedReason.purchasesNotAllowed)
    }

    private func enoughChildrenOwned(_ position: Int, _ isOwned: (Int) -> Bool) -> NotOfferedReason? {
        guard let limit = catalog.products[position].maxChildren else { return nil }
        let children = catalog.bundles.children(of: position)
        let owned = children.count(where: isOwned)
        return owned < limit ? nil : .enoughChildrenOwned(owned: owned, children: children.count, limit: limit)
    }

    // MARK: Content

    /// Returns the products whose content is not available, and the bundles that contain such a product: the position
    /// of each in the catalog, with the position of the first product whose content is not available.
    ///
    /// - Parameter positions: Positions of the products to check, sorted.
    private func lackingContent(among positions: [Int]) -> [Int: Int] {
        let lacking = positions.filter(lacksContent)
        return lacking.isEmpty ? [:] : catalog.bundles.ancestors(ofEach: lacking)
    }

    private func lacksContent(_ position: Int) -> Bool {
        let product = catalog.products[position]
        return product.hasContent && context.availableContent?.contains(product.identifier) == false
            && !entitlements.isOwned(at: position)
    }

    private func content(_ position: Int, _ ownership: Ownership) -> ListedContent? {
        guard index.isAnyContentHosted else { return nil }
        let parts = catalog.bundles.descendants(of: position).map { catalog.products[$0] }
            .filter { $0.hostedContentPath != nil }
        guard !parts.isEmpty else { return contentOfBundle(around: position) }
        let identifier = catalog.products[position].identifier
        let installed = Set(parts.filter(isInstalled).map(\.identifier))
        let fractions = parts.map { part in
            installed.contains(part.identifier) ? 1 : context.downloads[part.identifier]?.fractionInProgress ?? 0
        }
        return ListedContent(
            state: parts.first { $0.identifier == identifier }.map { state(of: $0, ownership) },
            download: context.downloads[identifier],
            count: parts.count, installedCount: installed.count,
            fraction: fractions.reduce(0, +) / Double(parts.count))
    }

    /// Returns the content of the nearest bundle that contains a product without content, if a download of the bundle's
    /// content was requested.
    private func contentOfBundle(around position: Int) -> ListedContent? {
        guard !context.downloads.isEmpty else { return nil }
        for ancestor in catalog.bundles.ancestors(of: position) {
            let bundle = catalog.products[ancestor]
            guard bundle.hostedContentPath != nil, let download = context.downloads[bundle.identifier] else { continue }
            let isInstalled = isInstalled(bundle)
            return ListedContent(
                state: nil, download: download, count: 1, installedCount: isInstalled ? 1 : 0,
                fraction: isInstalled ? 1 : download.fractionInProgress ?? 0)
        }
        return nil
    }

    /// Returns `true` if the content of a product is installed and provided to the app, which content of products that
    /// are no longer owned is not.
    private func isInstalled(_ product: CatalogProduct) -> Bool {
        guard context.installedContent[product.identifier] != nil else { return false }
        let state = state(of: product, entitlements.ownership(of: product.identifier))
        return state == .installed || state == .updateAvailable
    }

    private func state(of product: CatalogProduct, _ ownership: Ownership) -> ContentState {
        let installed = context.installedContent[product.identifier]
        return ContentState(
            isInstalled: installed != nil,
            isCurrent: installed.map { ContentRequest(product).isMet(by: $0) ?? true } ?? true,
            ownership: ownership, mayGiveOut: !entitlements.hasRevocations)
    }
}

extension DownloadStatus {
    /// Fraction of a download that has not ended with an installation; `nil` if unknown.
    fileprivate var fractionInProgress: Double? { state == .finished ? nil : fraction }
}

extension EntitlementSnapshot {
    /// Returns `true` if the customer, not a member of the family, has a valid purchase of a product.
    fileprivate func hasOwnTransaction(of identifier: String) -> Bool {
        guard case .owned(let reasons) = ownership(of: identifier) else { return false }
        return reasons.contains { if case .transaction(let own) = $0 { !own.isFamilyShared } else { false } }
    }
}

extension StoreProduct.Subscription {
    /// Indicates that the customer is eligible for an introductory or win-back offer.
    fileprivate var offersLowerPrice: Bool {
        introductoryOffer != nil && isEligibleForIntroductoryOffer == true || !eligibleWinBackOffers.isEmpty
    }
}
