public import Foundation
public import VitrineCatalog
public import VitrineEntitlements
public import VitrineHostedContent
public import VitrinePropertyList

/// Product as displayed on a screen: catalog data and store data, with ownership, content and a running purchase at one
/// moment.
///
/// Two listings are equal if they display the same data.
public struct ProductListing: Sendable, Equatable, Identifiable {
    let index: ProductIndex
    /// Position of the product in the catalog.
    private let position: Int
    public let offer: Offer
    public let ownership: Ownership
    /// State of an unfinished purchase; `nil` if there is none.
    public let purchase: PurchaseState?
    /// State of the product's hosted content, for a bundle including the content of all products in it; `nil` if there
    /// is no content.
    public let content: ListedContent?
    private let images: ListedImages
    /// Ownership of each product that a bundle contains, in the order of ``ProductIndex/parts(of:)``.
    private let partIsOwned: [Bool]
    /// Indicates that an introductory or win-back offer in the store's data no longer applies, because the customer has
    /// subscribed in the group.
    private let endsOffers: Bool
    /// Customer's subscription to the product; empty if there is none. An array, because most listings have none and
    /// are copied often.
    private let subscriptionOfCustomer: [CustomerSubscription]

    init(
        index: ProductIndex, position: Int, offer: Offer, ownership: Ownership, purchase: PurchaseState?,
        content: ListedContent?, images: ListedImages, partIsOwned: [Bool], endsOffers: Bool = false,
        subscriptionOfCustomer: [CustomerSubscription] = []
    ) {
        self.index = index
        self.position = position
        self.offer = offer
        self.ownership = ownership
        self.purchase = purchase
        self.content = content
        self.images = images
        self.partIsOwned = partIsOwned
        self.endsOffers = endsOffers
        self.subscriptionOfCustomer = subscriptionOfCustomer
    }

    public static func == (left: ProductListing, right: ProductListing) -> Bool {
        left.offer == right.offer && left.ownership == right.ownership && left.purchase == right.purchase
            && left.content == right.content && left.images == right.images
            && left.endsOffers == right.endsOffers
            && left.subscriptionOfCustomer == right.subscriptionOfCustomer
            && left.index.shows(left.position, like: right.index, right.position)
            && left.showsParts(like: right)
    }

    /// Returns `true` if a bundle shows the same of what it contains. Of the products in bundles that it contains, only
    /// a part of ``BundleListing/remainingPrice`` is shown.
    private func showsParts(like other: ProductListing) -> Bool {
        if index === other.index && partIsOwned == other.partIsOwned { return true }
        if partIsOwned.isEmpty && other.partIsOwned.isEmpty { return true }
        return index.childIsOwned(position, partIsOwned: partIsOwned)
            == other.index.childIsOwned(other.position, partIsOwned: other.partIsOwned)
            && index.remainingPrice(position, partIsOwned: partIsOwned)
                == other.index.remainingPrice(other.position, partIsOwned: other.partIsOwned)
    }

    /// Returns the listings for a customer without a manager, for servers and tools. No content is installed, no
    /// purchase is running, and no image is fetched.
    ///
    /// - Parameters:
    ///   - entitlements: Entitlements of the customer. The products of their catalog are listed.
    ///   - store: Response of the store. Products that are not in the catalog are not listed; products of the catalog
    ///     that the store was not queried about are not offered.
    ///   - languages: Languages of the customer as BCP 47 tags, in order of preference.
    ///   - context: Version of the app, available content, and obstacles to selling.
    /// - Returns: All products in catalog order, offered or not; none if the entitlements were computed without a
    ///   catalog.
    public static func listings(
        for entitlements: EntitlementSnapshot, store: StoreSnapshot, languages: [String],
        context: ListingContext = ListingContext()
    ) -> [ProductListing] {
        guard let catalog = entitlements.catalog else { return [] }
        let index = ProductIndex(
            catalog, store: store, languages: languages,
            bundledImages: BundledImages(folder: nil, variants: ImageVariants(scale: 1, idiom: nil)))
        return ListingMerge(index: index, entitlements: entitlements, context: context).all()
    }

    /// Returns the same product with the texts and prices of another response of the store.
    ///
    /// - Parameters:
    ///   - index: Join of the same catalog with the other response.
    ///   - position: Position of the product in that catalog.
    func shown(by index: ProductIndex, at position: Int) -> ProductListing {
        ProductListing(
            index: index, position: position, offer: offer, ownership: ownership, purchase: purchase, content: content,
            images: ListedImages(icon: icon, featuredImage: featuredImage), partIsOwned: partIsOwned,
            endsOffers: endsOffers, subscriptionOfCustomer: subscriptionOfCustomer)
    }

    // MARK: Product

    /// Product of the catalog, with children, wallet, images and the app's own data.
    public var product: CatalogProduct { index.catalog.products[position] }

    /// Identifier of the product.
    public var id: String { index.catalog.products[position].identifier }

    /// Type according to the catalog, or else the store.
    public var kind: ProductKind { index.kind(position) }

    /// The app's own data about the product in the catalog, unchanged.
    public var userInfo: PropertyListValue? { index.catalog.products[position].userInfo }

    /// Identifiers of the bundles that contain the product, directly or through other bundles.
    public var bundles: [String] { index.bundles(position) }

    /// `true` if the product can be bought now. Of the owned products, only a non-renewing subscription can be: another
    /// purchase extends it.
    public var isOffered: Bool { offer == .offered }

    // MARK: Texts

    /// Name of the product in the store's current or last response in the customer's language, or else the catalog's
    /// `productTitle`, or else the identifier.
    public var title: String { index.title(position) }

    /// Catalog's `longDescription` in the customer's best language, or else the store's description. Empty if there is
    /// neither.
    public var description: String { longDescription ?? storeDescription ?? "" }

    /// Catalog's `longDescription` in the best available language of the customer.
    public var longDescription: String? { index.longDescription(position) }

    /// The store's description of the product, in the customer's language.
    public var storeDescription: String? { index.storeDescription(position) }

    // MARK: Prices

    /// Price in the store's response; `nil` if the store has not answered or does not know the product.
    public var price: Decimal? { index.storeProduct(position)?.price }

    /// Currency of the price as an ISO 4217 code.
    public var currencyCode: String? { index.storeProduct(position)?.currencyCode }

    /// Price, formatted for the customer's storefront.
    public var displayPrice: String? { index.storeProduct(position)?.displayPrice }

    /// Price of one of the units that a consumable credits; `nil` for a product that credits none or has no price.
    public var pricePerUnit: Decimal? {
        guard kind == .consumable, let price, let credit = product.credit(forQuantity: 1) else { return nil }
        return price / Decimal(credit.amount)
    }

    /// ``pricePerUnit``, formatted like ``displayPrice``; with three significant digits if the currency has fewer
    /// decimals. `nil` also if the format of the price is not known.
    public var displayPricePerUnit: String? {
        guard let pricePerUnit, let stored = index.storeProduct(position) else { return nil }
        return index.priceStyle.unitText(pricePerUnit, as: stored)
    }

    /// ``pricePerUnit``, rounded to the currency's decimals and formatted like ``displayPrice``; `nil` if that is nothing.
    package var roundedPricePerUnit: String? {
        guard let pricePerUnit, let stored = index.storeProduct(position) else { return nil }
        let amount = index.priceStyle.rounded(pricePerUnit, as: stored)
        return amount > 0 ? index.priceStyle.text(amount, as: stored) : nil
    }

    /// Contents of a bundle with their separate prices; `nil` for a product that contains nothing.
    public var bundle: BundleListing? { index.bundle(position, partIsOwned: partIsOwned) }

    /// Subscription with its prices and offers, computed on access; `nil` for a product that is not an auto-renewable
    /// subscription.
    public var subscription: ListedSubscription? {
        index.subscription(position, endsOffers: endsOffers, of: subscriptionOfCustomer.first)
    }

    /// Indicates that the product can be shared with the customer's family; `nil` if the store has not answered or does
    /// not know the product.
    public var isFamilyShareable: Bool? { index.storeProduct(position)?.isFamilyShareable }

    // MARK: Images

    /// File of the catalog's `productIcon`: an image of the app, looked up at each access, or a fetched image; `nil` if
    /// there is none, or it has not been fetched yet.
    public var icon: URL? { images.icon ?? product.productIcon.flatMap(index.bundledImages.file) }

    /// File of the catalog's `featuredImage`, found like ``icon``.
    public var featuredImage: URL? { images.featuredImage ?? product.featuredImage.flatMap(index.bundledImages.file) }
}

/// Files of a product's fetched images.
struct ListedImages: Sendable, Hashable {
    var icon: URL?
    var featuredImage: URL?
}

/// State of a product's hosted content, for a bundle including the content of all products in it. A product without
/// content has the state of the content of a bundle that contains it, if that content was requested.
public struct ListedContent: Sendable, Hashable {
    /// State of the product's own content; `nil` for a product that has none itself.
    public let state: ContentState?
    /// Download of the product's own content, or of the content of a bundle that contains a product without content;
    /// `nil` if none was requested.
    public let download: DownloadStatus?
    /// Number of products with content: the product itself and the products that it contains, or 1 for the bundle that
    /// contains a product without content.
    public let count: Int
    /// Number of the products counted in ``count`` whose content is installed and provided to the app. The content of a
    /// product that is no longer owned is not counted, even if it is still on the device.
    public let installedCount: Int
    /// Fraction of the content that is installed or downloaded, from 0 to 1, with equal weight for each product.
    public let fraction: Double

    /// `true` if all of the content is installed.
    public var isComplete: Bool { installedCount == count }
}
