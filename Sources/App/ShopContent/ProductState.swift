public import Vitrine

/// State of a product in a shop.
public enum ProductState: Sendable, Hashable {
    case buyable
    /// Owned, and not for sale again.
    case owned
    /// A purchase has begun, and the product is not delivered yet.
    case unfinished(PurchaseState)
    case notOffered(NotOfferedReason)

    package init(offer: Offer, isOwned: Bool, purchase: PurchaseState?) {
        self =
            switch (purchase, offer) {
            case (let purchase?, _): .unfinished(purchase)
            case (nil, .offered): .buyable
            case (nil, .notOffered) where isOwned: .owned
            case (nil, .notOffered(let reason)): .notOffered(reason)
            }
    }

    public init(_ listing: ProductListing) {
        self.init(offer: listing.offer, isOwned: listing.ownership.isOwned, purchase: listing.purchase)
    }
}
