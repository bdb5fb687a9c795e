internal import Foundation
internal import VitrineCatalog

/// Join of a catalog with the store's response, which the listings of all products share.
final class ProductIndex: Sendable {
    /// Answer of the store about a product of the catalog.
    private enum Entry {
        case notRequested
        case unknownToStore
        /// The store knows the product. The associated value is its position in the response, which is cheaper to copy
        /// than the product.
        case known(Int)
    }

    let catalog: Catalog
    let store: StoreSnapshot?
    /// Languages of the customer as BCP 47 tags, in order of preference.
    let languages: [String]
    let priceStyle: PriceStyle
    let subscriptionTexts: SubscriptionTexts
    let groups: SubscriptionGroups
    let bundledImages: BundledImages
    let isAnyContentHosted: Bool
    /// `true` if the store's texts are in the customer's language, regardless of the region. The texts of a response
    /// from an earlier launch may be in another language.
    private let isStoreInLanguage: Bool
    /// Answer of the store about each product, by the product's position in the catalog.
    private let entries: [Entry]

    init(_ catalog: Catalog, store: StoreSnapshot?, languages: [String], bundledImages: BundledImages) {
        self.catalog = catalog
        self.store = store
        self.languages = languages
        self.bundledImages = bundledImages
        isAnyContentHosted = catalog.withContent.contains { catalog.products[$0].hostedContentPath != nil }
        isStoreInLanguage =
            if let language = store?.language, let wanted = languages.first {
                language == wanted || LikelyLanguage(language).reads(LikelyLanguage(wanted))
            } else {
                store?.language == nil
            }
        priceStyle = PriceStyle(language: languages.first, storefront: store?.storefront)
        subscriptionTexts = SubscriptionTexts(languages: languages)
        (entries, groups) = Self.entries(of: catalog, in: store)
    }

    private static func entries(of catalog: Catalog, in store: StoreSnapshot?) -> ([Entry], SubscriptionGroups) {
        var entries = Array(repeating: Entry.notRequested, count: catalog.products.count)
        var groups = SubscriptionGroups()
        guard let store else { return (entries, groups) }
        for place in store.requested.indices {
            if let index = catalog.index(of: store.requested[place], near: place) { entries[index] = .unknownToStore }
        }
        for place in store.products.indices {
            if let index = catalog.index(of: store.products[place].identifier, near: place),
                case .unknownToStore = entries[index]
            {
                entries[index] = .known(place)
                if let group = store.products[place].subscriptionGroupID {
                    groups.add(index, to: group, of: entries.count)
                }
            }
        }
        return (entries, groups)
    }

    // MARK: Store data

    func isRequested(_ index: Int) -> Bool {
        if case .notRequested = entries[index] { false } else { true }
    }

    /// Returns the store's data of a product; `nil` if the store does not know the product, or was not queried about
    /// it.
    func storeProduct(_ index: Int) -> StoreProduct? {
        if case .known(let place) = entries[index] { store?.products[place] } else { nil }
    }

    /// Returns the type of a product according to the store, without copying the store's data.
    func storeKind(_ index: Int) -> ProductKind? {
        if case .known(let place) = entries[index] { store?.products[place].kind } else { nil }
    }

    func storeProduct(for identifier: String) -> StoreProduct? {
        catalog.index(of: identifier).flatMap { storeProduct($0) }
    }

    /// Store data of the products that the store knows, in catalog order.
    var storeProducts: [StoreProduct] { entries.indices.compactMap { storeProduct($0) } }

    /// Identifiers that the store was queried about and did not recognize.
    var unknownIdentifiers: [String] {
        zip(catalog.products, entries).compactMap { product, entry in
            if case .unknownToStore = entry { product.identifier } else { nil }
        }
    }

    // MARK: Displayed data

    func kind(_ index: Int) -> ProductKind {
        let kind = catalog.products[index].kind
        return kind == .unknown ? storeKind(index) ?? .unknown : kind
    }

    func title(_ index: Int) -> String {
        let product = catalog.products[index]
        let stored = isStoreInLanguage ? storeProduct(index)?.displayName : nil
        // The catalog's title is read from its file, and seldom needed.
        return [stored].firstText ?? [product.productTitle?.text(for: languages)].firstText ?? product.identifier
    }

    func longDescription(_ index: Int) -> String? {
        [catalog.products[index].longDescription?.text(for: languages)].firstText
    }

    func storeDescription(_ index: Int) -> String? {
        isStoreInLanguage ? [storeProduct(index)?.description].firstText : nil
    }

    func groupName(_ index: Int) -> String? {
        isStoreInLanguage ? [storeProduct(index)?.subscription?.groupName].firstText : nil
    }

    /// Returns the identifiers of the bundles that contain a product, directly or through other bundles.
    func bundles(_ index: Int) -> [String] {
        catalog.bundles.ancestors(of: index).dropFirst().map { catalog.products[$0].identifier }
    }

    // MARK: Comparison

    /// Returns `true` if a product is displayed in the same way as the product at a position of another index.
    func shows(_ index: Int, like other: ProductIndex, _ otherIndex: Int) -> Bool {
        if self === other { return index == otherIndex }
        guard languages == other.languages, store?.storefront == other.store?.storefront,
            isStoreInLanguage == other.isStoreInLanguage, isRequested(index) == other.isRequested(otherIndex),
            storeProduct(index) == other.storeProduct(otherIndex),
            monthlyPlan(for: index)?.price == other.monthlyPlan(for: otherIndex)?.price
        else { return false }
        // The position in the file is not displayed.
        var (product, otherProduct) = (catalog.products[index], other.catalog.products[otherIndex])
        (product.position, otherProduct.position) = (nil, nil)
        let (children, others) = (
            catalog.bundles.children(of: index), other.catalog.bundles.children(of: otherIndex)
        )
        return product == otherProduct && children.count == others.count
            && zip(children, others).allSatisfy { isSameChild($0, other, $1) }
            && bundles(index) == other.bundles(otherIndex)
    }

    private func isSameChild(_ index: Int, _ other: ProductIndex, _ otherIndex: Int) -> Bool {
        let (stored, otherStored) = (storeProduct(index), other.storeProduct(otherIndex))
        return stored?.price == otherStored?.price && stored?.displayPrice == otherStored?.displayPrice
            && stored?.currencyCode == otherStored?.currencyCode
            && catalog.products[index].identifier == other.catalog.products[otherIndex].identifier
            && title(index) == other.title(otherIndex)
    }
}

extension Catalog {
    /// Returns the index of the product with an identifier. The store is asked about the products in the order of the
    /// catalog, and its answers mostly have the same order: to compare with the product at the same place is faster than
    /// to look the identifier up.
    fileprivate func index(of identifier: String, near place: Int) -> Int? {
        products.indices.contains(place) && products[place].identifier == identifier ? place : index(of: identifier)
    }
}

extension [String?] {
    /// First text that is neither `nil` nor empty.
    fileprivate var firstText: String? { lazy.compactMap(\.self).first { !$0.isEmpty } }
}
