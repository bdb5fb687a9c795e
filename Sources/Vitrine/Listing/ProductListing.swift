public import Entitlements
public import Foundation
public import ProductCatalog
public import PropertyList

/// A product as a screen shows it: what the catalog declares, what the store says, what the customer owns, and what is
/// going on with it at a moment.
///
/// Two are equal where they show the same.
public struct ProductListing: Sendable, Equatable, Identifiable {
    private let shelf: ProductShelf
    private let index: Int
    /// Whether it can be bought now, or why not.
    public let offer: Offer
    public let ownership: Ownership
    /// How far a purchase is that has not come to its end; `nil` where there is none.
    public let purchase: PurchaseState?
    /// How far its hosted content is, for a bundle with that of everything in it; `nil` where there is none.
    public let content: ListedContent?
    private let images: ListedImages
    /// Whether each product is owned that it contains directly.
    private let childIsOwned: [Bool]

    init(
        shelf: ProductShelf, index: Int, offer: Offer, ownership: Ownership, purchase: PurchaseState?,
        content: ListedContent?, images: ListedImages, childIsOwned: [Bool]
    ) {
        self.shelf = shelf
        self.index = index
        self.offer = offer
        self.ownership = ownership
        self.purchase = purchase
        self.content = content
        self.images = images
        self.childIsOwned = childIsOwned
    }

    public static func == (left: ProductListing, right: ProductListing) -> Bool {
        left.offer == right.offer && left.ownership == right.ownership && left.purchase == right.purchase
            && left.content == right.content && left.images == right.images && left.childIsOwned == right.childIsOwned
            && left.shelf.shows(left.index, asDoes: right.shelf, right.index)
    }

    // MARK: What it is

    /// What the catalog declares, with children, wallet, images and the app's own information.
    public var product: CatalogProduct { shelf.catalog.products[index] }

    /// The product's identifier.
    public var id: String { shelf.catalog.products[index].identifier }

    /// What the catalog says, or else the store.
    public var kind: ProductKind { shelf.kind(index) }

    /// What the app keeps in the catalog for itself, as it stands there.
    public var userInfo: PropertyListValue? { shelf.catalog.products[index].userInfo }

    /// The identifiers of the bundles that contain it, directly or through other bundles.
    public var bundles: [String] { shelf.bundles(index) }

    /// It can be bought now.
    public var isOffered: Bool { offer == .offered }

    // MARK: Texts

    /// The store's name for it, of now or of the last time in the customer's language, or else the catalog's
    /// `productTitle`, or else the identifier.
    public var title: String { shelf.title(index) }

    /// The catalog's `longDescription` in the customer's best language, or else the store's description. Empty where there
    /// is neither.
    public var description: String { longDescription ?? storeDescription ?? "" }

    /// The catalog's `longDescription` in the best of the customer's languages that it has.
    public var longDescription: String? { shelf.longDescription(index) }

    /// The store's description, in the customer's language.
    public var storeDescription: String? { shelf.storeDescription(index) }

    // MARK: Prices

    /// `nil` until the store has answered, and for what it does not know.
    public var price: Decimal? { shelf.stored(index)?.price }

    /// The currency of the price, as ISO 4217 names it.
    public var currencyCode: String? { shelf.stored(index)?.currencyCode }

    /// The price as the customer's storefront writes it.
    public var displayPrice: String? { shelf.stored(index)?.displayPrice }

    /// What one unit costs of those that a consumable credits; `nil` for what credits none, or has no price.
    public var pricePerUnit: Decimal? {
        guard let price, let credit = product.credit(forQuantity: 1) else { return nil }
        return price / Decimal(credit.amount)
    }

    /// ``pricePerUnit``, written as ``displayPrice`` is; with three digits that count where the currency has not so many.
    public var displayPricePerUnit: String? {
        guard let pricePerUnit, let stored = shelf.stored(index) else { return nil }
        return shelf.priceStyle.unitText(pricePerUnit, as: stored)
    }

    /// What a bundle contains, and what that would cost one by one; `nil` for what contains nothing.
    public var bundle: BundleListing? { shelf.bundle(index, childIsOwned: childIsOwned) }

    // MARK: Images

    /// The file with the image that the catalog calls `productIcon`: one of the app, which is looked for at each access, or
    /// one from the web; `nil` where there is none, or it has not been fetched yet.
    public var icon: URL? { images.icon ?? product.productIcon.flatMap(shelf.bundledImages.file) }

    /// The file with the image that the catalog calls `featuredImage`, as with ``icon``.
    public var featuredImage: URL? { images.featuredImage ?? product.featuredImage.flatMap(shelf.bundledImages.file) }
}

/// The files with a product's images.
struct ListedImages: Sendable, Hashable {
    var icon: URL?
    var featuredImage: URL?
}
