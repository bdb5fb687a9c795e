internal import Entitlements
internal import ProductCatalog

/// Merges what the catalog, the store and the ledger say about products.
struct ListingMerge {
    let catalog: Catalog
    let storeAnswer: StoreAnswer?
    let entitlements: EntitlementSnapshot
    /// Why nothing new is sold from the catalog; `nil` where it is.
    let sellingObstacle: String?
    /// The customer's languages as BCP 47 tags, the best first.
    let languages: [String]
    private let asked: Set<String>
    /// The products with content that cannot be had, in themselves or in something that they contain: the index of
    /// each, with that of the content's product.
    private let lackingContent: [Int: Int]

    /// - Parameter availableContent: The products whose hosted content can be had.
    init(
        catalog: Catalog, storeAnswer: StoreAnswer?, availableContent: Set<String>,
        entitlements: EntitlementSnapshot, sellingObstacle: String?, languages: [String]
    ) {
        self.catalog = catalog
        self.storeAnswer = storeAnswer
        self.entitlements = entitlements
        self.sellingObstacle = sellingObstacle
        self.languages = languages
        asked = Set(storeAnswer?.asked ?? [])
        lackingContent = catalog.bundles.ancestors(
            ofEach: catalog.products.indices.filter { index in
                let product = catalog.products[index]
                return product.hostedContentPath != nil && !availableContent.contains(product.identifier)
                    && !entitlements.ownership(of: product.identifier).isOwned
            })
    }

    func listing() -> [ProductListing] { catalog.products.enumerated().map(listing) }

    private func listing(at index: Int, of product: CatalogProduct) -> ProductListing {
        let stored = storeAnswer?.products[product.identifier]
        let kind = product.kind == .unknown ? stored?.kind ?? .unknown : product.kind
        let ownership = entitlements.ownership(of: product.identifier)
        return ProductListing(
            id: product.identifier,
            kind: kind,
            title: firstNonEmpty(stored?.displayName, product.productTitle?.text(for: languages))
                ?? product.identifier,
            description: firstNonEmpty(product.longDescription?.text(for: languages), stored?.description) ?? "",
            price: stored?.price,
            currencyCode: stored?.currencyCode,
            displayPrice: stored?.displayPrice,
            offer: reasonNotOffered(product, at: index, kind: kind, stored: stored, ownership: ownership)
                .map(Offer.notOffered) ?? .offered,
            ownership: ownership,
            product: product
        )
    }

    private func firstNonEmpty(_ texts: String?...) -> String? {
        texts.lazy.compactMap(\.self).first { !$0.isEmpty }
    }

    private func reasonNotOffered(
        _ product: CatalogProduct,
        at index: Int,
        kind: ProductKind,
        stored: StoreProduct?,
        ownership: Ownership
    ) -> NotOfferedReason? {
        if let sellingObstacle, !ownership.isOwned { return .catalogOutOfDate(sellingObstacle) }
        guard asked.contains(product.identifier) else { return .productsNotLoaded }
        guard let stored else { return .unknownToStore }
        guard stored.kind == kind else { return .kindMismatch(catalog: kind, store: stored.kind) }
        switch kind {
        case .consumable: return product.credit(forQuantity: 1) == nil ? .noWallet : nil
        case .nonConsumable, .autoRenewableSubscription: break
        case .nonRenewingSubscription where product.subscriptionDuration == nil: return .noDuration
        case .nonRenewingSubscription: break
        case .unknown: return .unknownKind
        }
        switch ownership {
        case .owned: return .alreadyOwned
        case .unknown: return .ownershipUnknown
        case .notOwned: break
        }
        if let lacking = lackingContent[index] { return .noContent(product: catalog.products[lacking].identifier) }
        let owned = entitlements.ownedChildren(of: product).count
        guard let limit = product.maxChildren, owned >= limit else { return nil }
        return .enoughChildrenOwned(owned: owned, children: Set(product.childProducts).count, limit: limit)
    }
}
