internal import Foundation
internal import VitrineCatalog
internal import VitrineEntitlements

/// Listings of all products, with the store's response and the catalog that they are merged from.
struct ListingState: Sendable {
    private(set) var storeSnapshot: StoreSnapshot?
    /// Join of catalog and store response; `nil` while there is no catalog.
    private(set) var index: ProductIndex?
    private var pages = ListingPages([])
    private let languages: [String]
    private let bundledImages: BundledImages

    init(storeSnapshot: StoreSnapshot?, languages: [String], bundledImages: BundledImages) {
        self.storeSnapshot = storeSnapshot
        self.languages = languages
        self.bundledImages = bundledImages
    }

    /// Listings in catalog order.
    var listings: [ProductListing] { pages.all }

    subscript(identifier: String) -> ProductListing? { index?.catalog.index(of: identifier).map { pages[$0] } }

    /// Joins a catalog with the store's response. The caller must call ``listAll(_:_:)`` afterwards.
    mutating func rebuild(with catalog: Catalog) {
        index = ProductIndex(catalog, store: storeSnapshot, languages: languages, bundledImages: bundledImages)
    }

    /// Replaces the store's response; `nil` if the earlier one no longer applies. The caller must call
    /// ``listAll(_:_:)`` afterwards.
    mutating func set(_ storeSnapshot: StoreSnapshot?) {
        self.storeSnapshot = storeSnapshot
        if let index { rebuild(with: index.catalog) }
    }

    /// Returns the listing of a product with store data that differs from the current response.
    ///
    /// - Returns: `nil` for a product that the catalog does not contain.
    func listing(
        of product: StoreProduct, _ entitlements: EntitlementSnapshot, _ context: ListingContext
    ) -> ProductListing? {
        guard let catalog = index?.catalog, let position = catalog.index(of: product.identifier) else { return nil }
        let store = StoreSnapshot(
            requested: [product.identifier], products: [product], date: storeSnapshot?.date ?? .distantPast,
            storefront: storeSnapshot?.storefront)
        let index = ProductIndex(catalog, store: store, languages: languages, bundledImages: bundledImages)
        return ListingMerge(index: index, entitlements: entitlements, context: context)
            .listings(at: [position]).first?.listing
    }

    /// Merges the listings of all products.
    ///
    /// - Returns: Changed listings, in catalog order.
    mutating func listAll(_ entitlements: EntitlementSnapshot, _ context: ListingContext) -> [ProductListing] {
        guard let index else { return [] }
        let earlier = listings
        let earlierCatalog = earlier.first?.index.catalog
        let listings = ListingMerge(index: index, entitlements: entitlements, context: context).all()
        pages = ListingPages(listings)
        return listings.filter { listing in earlierCatalog?.index(of: listing.id).map { earlier[$0] } != listing }
    }

    /// Merges the listings of some products, of the products that they contain, of the bundles that contain any of
    /// them, and of the subscriptions in the groups of the products.
    ///
    /// - Returns: Changed listings, in catalog order.
    mutating func list(
        _ products: Set<String>, _ entitlements: EntitlementSnapshot, _ context: ListingContext
    ) -> [ProductListing] {
        guard !products.isEmpty, let index else { return [] }
        let (bundles, positions) = (index.catalog.bundles, products.compactMap(index.catalog.index(of:)))
        let contained = bundles.descendants(ofEach: positions).keys
        let inGroups = positions.flatMap(index.groups.members)
        let affected = Set(bundles.ancestors(ofEach: Array(contained)).keys).union(inGroups).sorted()
        let merge = ListingMerge(index: index, entitlements: entitlements, context: context)
        return merge.listings(at: affected).compactMap { position, listing in
            guard pages[position] != listing else { return nil }
            pages[position] = listing
            return listing
        }
    }
}

/// Listings in pages: a change copies one page, and not the whole array, while a reader holds an earlier state.
private struct ListingPages: Sendable {
    private var pages: [[ProductListing]]

    private static let pageSize = 128

    init(_ listings: [ProductListing]) {
        pages = stride(from: 0, to: listings.count, by: Self.pageSize).map { start in
            Array(listings[start..<min(start + Self.pageSize, listings.count)])
        }
    }

    subscript(index: Int) -> ProductListing {
        get { pages[index / Self.pageSize][index % Self.pageSize] }
        set { pages[index / Self.pageSize][index % Self.pageSize] = newValue }
    }

    var all: [ProductListing] { Array(pages.joined()) }
}
