public import VitrineCatalog

/// Availability of a product for purchase.
public enum Offer: Sendable, Hashable {
    case offered
    case notOffered(NotOfferedReason)
}

/// Reason why a product cannot be bought now.
public enum NotOfferedReason: Sendable, Hashable, CustomStringConvertible {
    /// The store has not yet answered about the product.
    case productsNotLoaded
    /// The store answered a request for several products without returning any: the store does not know this product,
    /// or the request failed.
    case notReturnedByStore
    /// Nothing new is sold from the catalog, because its signature is no longer valid.
    case catalogOutOfDate(String)
    /// The store does not sell the product.
    case unknownToStore
    /// Catalog and store disagree on the product type.
    case kindMismatch(catalog: ProductKind, store: ProductKind)
    /// The catalog names no wallet or no value for the consumable, and the app does not deliver purchases itself.
    case noWallet
    /// The product is not a consumable, but the catalog declares units for it, which a purchase would not credit.
    case uncreditedValue
    /// The catalog names no duration for the non-renewing subscription.
    case noDuration
    /// Neither the catalog nor the store states the type of the product.
    case unknownKind
    /// The content of the product itself, or of a product that it contains, is not available: the content has no
    /// source, cannot be used, or is missing in the app. The associated value identifies the product with the content.
    case noContent(product: String)
    /// The hosted content of the product itself, or of a product that it contains, has neither an address in the catalog
    /// nor a package in the app. StoreKit 2 downloads no content. The associated value identifies the product with the content.
    case noContentURL(product: String)
    case alreadyOwned
    /// The purchases that the store knows on this device have not been read yet, and the product may be one of them.
    case purchasesNotRead
    /// Ownership is not known now.
    case ownershipUnknown
    /// The number of owned products in the bundle has reached `maxChildren`.
    case enoughChildrenOwned(owned: Int, children: Int, limit: Int)
    /// The product requires a later version of the app: `minimumAppVersion`.
    case appTooOld(minimum: VersionNumber)
    /// Nothing can be bought on this device, for the given reason.
    case purchasesNotAllowed(String)

    /// Description of the reason, in lower case and without a period.
    public var description: String {
        switch self {
        case .productsNotLoaded: "the store has not answered yet which products it sells"
        case .notReturnedByStore: "the store has returned none of the requested products"
        case .catalogOutOfDate(let reason): "nothing new is sold from this catalog: \(reason)"
        case .unknownToStore: "the store does not know the product"
        case .kindMismatch(let catalog, let store):
            "the product's type is \(catalog.rawValue) in the catalog and \(store.rawValue) in the store"
        case .noWallet: "the catalog has no storageKey or productValue for the product"
        case .uncreditedValue:
            "the catalog has a productValue for the product, which only a consumable or an auto-renewable "
                + "subscription credits"
        case .noDuration: "the catalog does not say how long the subscription lasts"
        case .unknownKind: "the product's type is unknown"
        case .noContent(let product): "the content of \(product) is not available"
        case .noContentURL(let product):
            "the catalog has no contentURL for the hosted content of \(product), and StoreKit 2 downloads none"
        case .alreadyOwned: "the product is owned already"
        case .purchasesNotRead:
            "the product may be owned already: the purchases that the store knows could not be read on this device yet"
        case .ownershipUnknown: "whether the product is owned already cannot be determined now"
        case .enoughChildrenOwned(let owned, let children, let limit):
            "\(owned) of the bundle's \(children) products are owned already, and maxChildren is \(limit)"
        case .appTooOld(let minimum): "the product needs version \(minimum) of the app"
        case .purchasesNotAllowed(let reason): "payments are not allowed: \(reason)"
        }
    }
}
