import Foundation
import ProductCatalog
import Vitrine

/// JSON document of a product listing. Amounts are decimals in the currency of the price.
struct ListingDocument: Encodable {
    struct Bundle: Encodable {
        let separatePrice: String?
        let remainingPrice: String?
        let saving: String?
        let ownedChildren: [String]
    }

    struct Content: Encodable {
        let products: Int
        let installed: Int
        let fraction: Double
    }

    let identifier: String
    let kind: ProductKind
    let title: String
    let description: String
    let price: String?
    let currency: String?
    let displayPrice: String?
    let pricePerUnit: String?
    let offered: Bool
    let reasonNotOffered: String?
    let owned: String
    let because: [OwnedDocument.Reason]
    let purchase: PurchaseState?
    let children: [String]
    let bundle: Bundle?
    let content: Content?

    init(_ listing: ProductListing) {
        identifier = listing.id
        kind = listing.kind
        title = listing.title
        description = listing.description
        price = listing.price?.description
        currency = listing.currencyCode
        displayPrice = listing.displayPrice
        pricePerUnit = listing.displayPricePerUnit
        offered = listing.isOffered
        reasonNotOffered =
            if case .notOffered(let reason) = listing.offer { reason.description } else { nil }
        owned = listing.ownership.word
        because = OwnedDocument(listing.id, listing.ownership).because
        purchase = listing.purchase
        children = listing.product.childProducts
        bundle = listing.bundle.map { bundle in
            Bundle(
                separatePrice: bundle.separatePrice?.description, remainingPrice: bundle.remainingPrice?.description,
                saving: bundle.saving?.description, ownedChildren: bundle.children.filter(\.isOwned).map(\.id))
        }
        content = listing.content.map {
            Content(products: $0.count, installed: $0.installedCount, fraction: $0.fraction)
        }
    }
}
