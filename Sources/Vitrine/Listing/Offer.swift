public import ProductCatalog

/// Whether a product can be bought now.
public enum Offer: Sendable, Hashable {
    case offered
    case notOffered(NotOfferedReason)
}

/// Why a product cannot be bought now.
public enum NotOfferedReason: Sendable, Hashable, CustomStringConvertible {
    /// What the store says about it is not known yet.
    case productsNotLoaded
    /// Nothing new is sold from the catalog, because its signature does not hold any more.
    case catalogOutOfDate(String)
    /// The store does not sell it.
    case unknownToStore
    /// The catalog says that it is of one kind, the store of another.
    case kindMismatch(catalog: ProductKind, store: ProductKind)
    /// It is a consumable for which the catalog names no wallet and value.
    case noWallet
    /// It is a subscription for a time that the catalog does not name.
    case noDuration
    /// Nobody says what kind of product it is.
    case unknownKind
    /// The content of this product, itself or one that it contains, cannot be had.
    case noContent(product: String)
    case alreadyOwned
    /// Whether it is owned already cannot be told now.
    case ownershipUnknown
    /// So many of the products in it are owned that it is taken off sale: `maxChildren`.
    case enoughChildrenOwned(owned: Int, children: Int, limit: Int)
    /// It needs a later version of the app: `minimumAppVersion`.
    case appTooOld(minimum: VersionNumber)
    /// Nothing can be bought on this device, for a reason in words.
    case purchasesNotAllowed(String)

    /// Why, as the rest of a sentence.
    public var description: String {
        switch self {
        case .productsNotLoaded: "the store has not said yet what it sells"
        case .catalogOutOfDate(let reason): "nothing new is sold from this catalog: \(reason)"
        case .unknownToStore: "the store does not know it"
        case .kindMismatch(let catalog, let store):
            "the catalog says \(catalog.rawValue) and the store \(store.rawValue)"
        case .noWallet: "the catalog names no wallet and value for it"
        case .noDuration: "the catalog does not say how long the subscription lasts"
        case .unknownKind: "its product type is unknown"
        case .noContent(let product): "the content of \(product) cannot be had"
        case .alreadyOwned: "it is owned already"
        case .ownershipUnknown: "whether it is owned already cannot be told now"
        case .enoughChildrenOwned(let owned, let children, let limit):
            "\(owned) of its \(children) products are owned already, and maxChildren is \(limit)"
        case .appTooOld(let minimum): "it needs version \(minimum) of the app"
        case .purchasesNotAllowed(let reason): "payments are not allowed: \(reason)"
        }
    }
}
