internal import Foundation
internal import ProductCatalog

/// A catalog as it is listed. The same one, as an object, says the same about its products.
final class ListedCatalog: Sendable {
    let catalog: Catalog
    /// The products with hosted content, by their places.
    let hosted: [Int]

    init(_ catalog: Catalog) {
        self.catalog = catalog
        hosted = catalog.products.indices.filter { catalog.products[$0].hostedContentPath != nil }
    }
}

/// What catalog and store say about products, joined by the products' places in the catalog. It is made once for an answer
/// of the store, and the listings of all products refer to it.
final class ProductShelf: Sendable {
    let listed: ListedCatalog
    let answer: StoreAnswer?
    /// The customer's languages as BCP 47 tags, the best first.
    let languages: [String]
    let priceStyle: PriceStyle
    let bundledImages: BundledImages
    /// What the store has said is in the customer's language, for whatever region: what an earlier launch was told may not
    /// be.
    private let isAnswerInLanguage: Bool
    /// For each product the place of what the store says in its answer.
    private let places: [Int32]

    private static let notAsked: Int32 = -2
    private static let unknown: Int32 = -1

    init(_ listed: ListedCatalog, answer: StoreAnswer?, languages: [String], bundledImages: BundledImages) {
        self.listed = listed
        self.answer = answer
        self.languages = languages
        self.bundledImages = bundledImages
        isAnswerInLanguage =
            if let told = answer?.language, let wanted = languages.first {
                told == wanted || LikelyLanguage(told).reads(LikelyLanguage(wanted))
            } else {
                answer?.language == nil
            }
        priceStyle = PriceStyle(language: languages.first, storefront: answer?.storefront)
        places = Self.places(of: listed.catalog, in: answer)
    }

    private static func places(of catalog: Catalog, in answer: StoreAnswer?) -> [Int32] {
        var places = Array(repeating: notAsked, count: catalog.products.count)
        guard let answer else { return places }
        // The store is asked in the order of the catalog: most often the next one is found without looking for it.
        var next = 0
        for identifier in answer.asked {
            let isNext = next < places.count && catalog.products[next].identifier == identifier
            guard let index = isNext ? next : catalog.index(of: identifier) else { continue }
            places[index] = unknown
            next = index + 1
        }
        for (place, product) in answer.products.enumerated() {
            if let index = catalog.index(of: product.identifier), places[index] == unknown {
                places[index] = Int32(place)
            }
        }
        return places
    }

    var catalog: Catalog { listed.catalog }

    func isAsked(_ index: Int) -> Bool { places[index] != Self.notAsked }

    /// What the store says about a product; `nil` where it does not know it, or was not asked.
    func stored(_ index: Int) -> StoreProduct? {
        let place = places[index]
        return place < 0 ? nil : answer?.products[Int(place)]
    }

    /// What kind of product the store takes it for; `nil` where it does not know it, or was not asked.
    func storedKind(_ index: Int) -> ProductKind? {
        let place = places[index]
        return place < 0 ? nil : answer?.products[Int(place)].kind
    }

    func stored(_ identifier: String) -> StoreProduct? { catalog.index(of: identifier).flatMap { stored($0) } }

    /// In the order of the catalog.
    var storedProducts: [StoreProduct] { places.indices.compactMap { stored($0) } }

    /// The identifiers that the store did not know when it was asked.
    var unknownIdentifiers: [String] {
        places.indices.filter { places[$0] == Self.unknown }.map { catalog.products[$0].identifier }
    }

    // MARK: What is shown

    func kind(_ index: Int) -> ProductKind {
        let kind = catalog.products[index].kind
        return kind == .unknown ? storedKind(index) ?? .unknown : kind
    }

    func title(_ index: Int) -> String {
        let product = catalog.products[index]
        let stored = isAnswerInLanguage ? stored(index)?.displayName : nil
        return [stored, product.productTitle?.text(for: languages)].firstText ?? product.identifier
    }

    func longDescription(_ index: Int) -> String? {
        [catalog.products[index].longDescription?.text(for: languages)].firstText
    }

    func storeDescription(_ index: Int) -> String? {
        isAnswerInLanguage ? [stored(index)?.description].firstText : nil
    }

    func bundle(_ index: Int, childIsOwned: [Bool]) -> BundleListing? {
        let children = catalog.bundles.children(of: index)
        guard !children.isEmpty else { return nil }
        let own = stored(index)
        let sum = { (indexes: [Int]) -> Decimal? in
            var sum = Decimal.zero
            for index in indexes {
                guard let child = self.stored(index), child.currencyCode == own?.currencyCode else { return nil }
                sum += child.price
            }
            return sum
        }
        let text = { (amount: Decimal?) -> String? in
            guard let amount, let own else { return nil }
            return self.priceStyle.text(amount, as: own)
        }
        let separate = sum(children)
        let remaining = sum(zip(children, childIsOwned).filter { !$1 }.map(\.0))
        let saving = remaining.flatMap { remaining in
            own.flatMap { remaining > $0.price ? remaining - $0.price : nil }
        }
        return BundleListing(
            children: zip(children, childIsOwned).map { child, isOwned in
                let stored = self.stored(child)
                return BundleListing.Child(
                    id: catalog.products[child].identifier, title: title(child), isOwned: isOwned,
                    price: stored?.price, displayPrice: stored?.displayPrice)
            },
            separatePrice: separate, displaySeparatePrice: text(separate),
            remainingPrice: remaining, displayRemainingPrice: text(remaining),
            saving: saving, displaySaving: text(saving))
    }

    /// Whether one product is shown as another of another shelf is.
    func shows(_ index: Int, asDoes other: ProductShelf, _ otherIndex: Int) -> Bool {
        if self === other { return index == otherIndex }
        guard languages == other.languages, answer?.storefront == other.answer?.storefront,
            saysTheSame(index, other, otherIndex)
        else { return false }
        let (children, others) = (
            catalog.bundles.children(of: index), other.catalog.bundles.children(of: otherIndex)
        )
        return children.count == others.count
            && zip(children, others).allSatisfy { isSameChild($0, other, $1) }
            && (listed === other.listed || bundles(index) == other.bundles(otherIndex))
    }

    /// The bundles that contain a product, directly or through other bundles.
    func bundles(_ index: Int) -> [String] {
        catalog.bundles.ancestors(of: index).dropFirst().map { catalog.products[$0].identifier }
    }

    /// Whether a bundle shows the same about something that it contains.
    private func isSameChild(_ index: Int, _ other: ProductShelf, _ otherIndex: Int) -> Bool {
        let (stored, otherStored) = (stored(index), other.stored(otherIndex))
        return stored?.price == otherStored?.price && stored?.displayPrice == otherStored?.displayPrice
            && stored?.currencyCode == otherStored?.currencyCode
            && catalog.products[index].identifier == other.catalog.products[otherIndex].identifier
            && title(index) == other.title(otherIndex)
    }

    private func saysTheSame(_ index: Int, _ other: ProductShelf, _ otherIndex: Int) -> Bool {
        guard isAsked(index) == other.isAsked(otherIndex), stored(index) == other.stored(otherIndex),
            isAnswerInLanguage == other.isAnswerInLanguage
        else { return false }
        if listed === other.listed { return index == otherIndex }
        // Where it stands in the file is not shown.
        var (product, otherProduct) = (catalog.products[index], other.catalog.products[otherIndex])
        (product.position, otherProduct.position) = (nil, nil)
        return product == otherProduct
    }
}

extension [String?] {
    /// The first that is there and not empty.
    fileprivate var firstText: String? { lazy.compactMap(\.self).first { !$0.isEmpty } }
}
