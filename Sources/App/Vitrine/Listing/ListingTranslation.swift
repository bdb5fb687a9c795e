package import VitrineCatalog

/// Texts and prices of another language or storefront, for listings of a manager.
///
/// Ownership and offers stay as the manager lists them.
package struct ListingTranslation: Sendable {
    private let index: ProductIndex

    /// Creates the translation from a catalog and a response of the store.
    ///
    /// - Parameters:
    ///   - catalog: Catalog of the listings.
    ///   - store: Response of the store in the other language or storefront.
    ///   - languages: Languages of the customer as BCP 47 tags, in order of preference.
    package init(_ catalog: Catalog, store: StoreSnapshot, languages: [String]) {
        index = ProductIndex(
            catalog, store: store, languages: languages,
            bundledImages: BundledImages(folder: nil, variants: ImageVariants(scale: 1, idiom: nil)))
    }

    /// Returns a listing with the translation's texts and prices.
    ///
    /// - Returns: The listing itself if the catalog does not contain its product.
    package func callAsFunction(_ listing: ProductListing) -> ProductListing {
        index.catalog.index(of: listing.id).map { listing.shown(by: index, at: $0) } ?? listing
    }
}
