public import Entitlements
internal import Foundation
public import ProductCatalog

extension ProductListing {
    /// The listings of a catalog without a manager, as a server or a tool wants them: what the catalog declares, merged with
    /// what a store says and what a customer owns. No content counts as installed, no purchase as under way, and no image as
    /// fetched.
    ///
    /// - Parameters:
    ///   - catalog: What is listed.
    ///   - storeProducts: What the store says. What is not in the catalog is not listed.
    ///   - asked: The identifiers that the store was asked about: of the catalog's others, nothing is known, and they are not
    ///     offered.
    ///   - entitlements: What the customer owns; it is looked at under this catalog, whatever its own is.
    ///   - conditions: For whom, where, and by what app they are listed.
    /// - Returns: Every product of the catalog in its order, offered or not.
    public static func listings(
        of catalog: Catalog, storeProducts: [StoreProduct], asked: [String], entitlements: EntitlementSnapshot,
        conditions: ListingConditions
    ) -> [ProductListing] {
        let answer = StoreAnswer(
            asked: asked, products: storeProducts, date: entitlements.date, storefront: conditions.storefront,
            language: conditions.storeLanguage)
        let listed = ListedCatalog(catalog)
        var circumstances = ListingCircumstances()
        circumstances.sellingObstacle = conditions.sellingObstacle
        circumstances.paymentRestriction = conditions.paymentRestriction
        circumstances.appVersion = conditions.appVersion.flatMap { VersionNumber($0) }
        circumstances.availableContent =
            conditions.availableContent ?? Set(listed.hosted.map { catalog.products[$0].identifier })
        let merge = ListingMerge(
            shelf: ProductShelf(
                listed, answer: answer, languages: conditions.languages,
                bundledImages: BundledImages(folder: nil, variants: ImageVariants(scale: 1, idiom: nil))),
            entitlements: entitlements.with(catalog: catalog), circumstances: circumstances)
        return merge.all { count, listing in (0..<count).map(listing) }
    }
}
