internal import Entitlements

/// The listing, and what it is put together from.
struct ListingState: Sendable {
    /// What the store has said.
    private(set) var answer: StoreAnswer?
    private(set) var listings: Listings?
    /// What the listing is put together from next; `nil` while there is no catalog.
    private var shelf: ProductShelf?
    private let languages: [String]
    private let bundledImages: BundledImages

    init(answer: StoreAnswer?, languages: [String], bundledImages: BundledImages) {
        self.answer = answer
        self.languages = languages
        self.bundledImages = bundledImages
    }

    /// The listing is put together from another catalog from now on.
    mutating func stock(_ listed: ListedCatalog) {
        shelf = ProductShelf(listed, answer: answer, languages: languages, bundledImages: bundledImages)
    }

    /// - Parameter answer: What the store says from now on; `nil` where what it said counts no more.
    mutating func set(_ answer: StoreAnswer?) {
        self.answer = answer
        if let shelf { stock(shelf.listed) }
    }

    /// Lists all products.
    ///
    /// - Returns: What is shown otherwise than before.
    mutating func listAnew(
        _ entitlements: EntitlementSnapshot, _ circumstances: ListingCircumstances
    ) -> [ProductListing] {
        guard let merge = merge(entitlements, circumstances) else { return [] }
        guard listings != nil else {
            let listings = Listings(merge)
            self.listings = listings
            return listings.pages.all
        }
        return listings?.update(merge) ?? []
    }

    /// Lists these products, and those that have to do with them.
    ///
    /// - Returns: What is shown otherwise than before.
    mutating func list(
        _ products: Set<String>, _ entitlements: EntitlementSnapshot, _ circumstances: ListingCircumstances
    ) -> [ProductListing] {
        guard !products.isEmpty, let merge = merge(entitlements, circumstances) else { return [] }
        return listings?.update(merge, about: products) ?? []
    }

    private func merge(
        _ entitlements: EntitlementSnapshot, _ circumstances: ListingCircumstances
    ) -> ListingMerge? {
        shelf.map { ListingMerge(shelf: $0, entitlements: entitlements, circumstances: circumstances) }
    }
}
