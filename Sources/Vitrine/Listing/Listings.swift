internal import ProductCatalog

/// The listings of all products of a catalog, kept up to date where something changes.
struct Listings: Sendable {
    let shelf: ProductShelf
    private(set) var pages: ListingPages

    init(_ merge: ListingMerge) {
        shelf = merge.shelf
        pages = merge.all(ListingPages.init(count:_:))
    }

    subscript(identifier: String) -> ProductListing? { shelf.catalog.index(of: identifier).map { pages[$0] } }

    /// Lists everything anew.
    ///
    /// - Returns: What is shown otherwise than before, in the order of the catalog.
    mutating func update(_ merge: ListingMerge) -> [ProductListing] {
        let earlier = self
        self = Listings(merge)
        return (0..<pages.count).compactMap { index in
            let listing = pages[index]
            let before =
                earlier.shelf.listed === shelf.listed ? earlier.pages[index] : earlier[listing.id]
            return before == listing ? nil : listing
        }
    }

    /// Lists some products anew, and what contains them, and with it what they contain.
    ///
    /// - Returns: What is shown otherwise than before, in the order of the catalog.
    mutating func update(_ merge: ListingMerge, about identifiers: some Sequence<String>) -> [ProductListing] {
        let catalog = shelf.catalog
        var affected: Set<Int> = []
        for index in identifiers.lazy.compactMap(catalog.index(of:)) {
            for contained in catalog.bundles.descendants(of: index) {
                affected.formUnion(catalog.bundles.ancestors(of: contained))
            }
        }
        return affected.sorted().compactMap { index in
            let listing = merge.listing(index)
            guard pages[index] != listing else { return nil }
            pages[index] = listing
            return listing
        }
    }
}
