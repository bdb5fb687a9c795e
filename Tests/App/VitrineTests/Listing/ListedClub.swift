import Foundation
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Subscriptions of a club, with the store's products and the resulting listing.
struct ListedClub {
    var products: [StoreProduct]
    var languages = ["en-US"]
    var storefront: String? = "USA"
    var storeLanguage: String?
    var facts: [Fact] = []
    /// Date of the listing.
    var date = answered

    static let answered = Date(timeIntervalSince1970: 1_790_000_000)

    func listings() throws -> [String: ListedSubscription] {
        let catalog = Catalog(
            products: products.map {
                CatalogProduct(
                    identifier: $0.identifier, kind: $0.kind, subscriptionGroup: "group of the catalog", level: 7)
            })
        let entries = facts.enumerated().map { index, fact in
            LedgerEntry(sequence: Int64(index + 1), recordedAt: Self.answered, fact: fact)
        }
        let listings = ProductListing.listings(
            for: try EntitlementSnapshot(catalog: catalog, entries: entries, at: date),
            store: StoreSnapshot(
                requested: products.map(\.identifier), products: products, date: Self.answered,
                storefront: storefront, language: storeLanguage),
            languages: languages)
        return Dictionary(
            uniqueKeysWithValues: listings.compactMap { listing in
                listing.subscription.map { (listing.id, $0) }
            })
    }
}

extension RenewalPeriod {
    /// Period in ISO 8601 notation, which is valid.
    static func of(_ text: String) -> RenewalPeriod {
        guard let period = RenewalPeriod(iso8601: text) else { preconditionFailure("no period: \(text)") }
        return period
    }
}

extension StoreProduct {
    /// Subscription of a group.
    static func plan(
        _ identifier: String, _ price: String, _ displayPrice: String, _ period: String, currency: String = "USD",
        group: String = "club", level: Int = 1, intro: Subscription.Offer? = nil, isEligible: Bool? = nil,
        winBack: [Subscription.Offer] = [], eligible: [String] = []
    ) -> StoreProduct {
        StoreProduct(
            identifier: identifier, kind: .autoRenewableSubscription, displayName: identifier, description: "",
            price: Decimal(string: price, locale: Locale(identifier: "en_US_POSIX")) ?? .nan, currencyCode: currency,
            displayPrice: displayPrice,
            subscription: Subscription(
                groupID: group, groupName: "The Club", level: level, period: .of(period), introductoryOffer: intro,
                winBackOffers: winBack, isEligibleForIntroductoryOffer: isEligible, eligibleWinBackOffers: eligible))
    }
}

extension StoreProduct.Subscription.Offer {
    static func intro(
        _ mode: StoreConfiguration.Offer.PaymentMode, _ period: String, count: Int = 1, _ displayPrice: String = ""
    ) -> StoreProduct.Subscription.Offer {
        StoreProduct.Subscription.Offer(
            kind: .introductory, paymentMode: mode, period: .of(period), periodCount: count, price: 1,
            displayPrice: displayPrice)
    }

    static func winBack(_ identifier: String, _ displayPrice: String) -> StoreProduct.Subscription.Offer {
        StoreProduct.Subscription.Offer(
            kind: .winBack, identifier: identifier, paymentMode: .payUpFront, period: .of("P1M"), periodCount: 2,
            price: 1, displayPrice: displayPrice)
    }
}

extension String {
    /// Text with every white space character replaced by a plain space.
    var withPlainSpaces: String { String(map { $0.isWhitespace ? " " : $0 }) }
}
