public import Foundation
public import Vitrine
public import VitrineCatalog
internal import VitrineEntitlements

/// Content of a product's card or row in a shop, for customers and in their language.
public struct ProductContent: Sendable, Hashable, Identifiable {
    /// Identifier of the product.
    public let id: String
    public let kind: ProductKind
    public let title: String
    /// Description of the product; empty if there is none.
    public let text: String
    /// File of the icon; `nil` if there is none.
    public let icon: URL?
    /// File of the large image; `nil` if there is none.
    public let featuredImage: URL?
    /// Price from the store, for a subscription with its period, such as "$9.99 a month"; `nil` if it is unknown.
    public let price: String?
    public let state: ProductState
    /// Texts about buying the product.
    public let sale: SaleContent
    /// Short labels, such as "Subscription" or "Family Sharing".
    public let badges: [String]
    /// Units of a wallet that a purchase credits, such as "50 coins, $0.02 each"; `nil` if it credits none.
    public let credit: String?
    /// Products of a bundle; `nil` for other products.
    public let bundle: BundleContent?
    /// Terms of an auto-renewable subscription; `nil` for other products.
    public let plan: PlanContent?
    /// State of the hosted content; `nil` if there is none that the customer can have.
    public let download: DownloadContent?

    /// - Parameters:
    ///   - listing: Listing of the product in the language of the customer.
    ///   - plans: Active subscriptions of the customer.
    ///   - phrases: Phrases in the language of the customer.
    public init(_ listing: ProductListing, plans: CurrentPlans, phrases: ShopPhrases) {
        let subscription = listing.subscription
        let relation = subscription.map { plans.relation(of: listing.id, $0) }
        id = listing.id
        kind = listing.kind
        title = listing.title
        text = listing.description
        icon = listing.icon
        featuredImage = listing.featuredImage
        price = subscription?.displayPricePerPeriod ?? listing.displayPrice
        state = ProductState(listing)
        sale = SaleContent(
            of: state, kind: kind, price: price, ownership: listing.ownership, subscription: subscription?.current,
            relation: relation, phrases: phrases)
        badges = Self.badges(listing, subscription, phrases)
        credit = Self.credit(listing, phrases)
        bundle = listing.bundle.map { BundleContent($0, phrases) }
        plan = subscription.map { PlanContent($0, relation: relation ?? .open, phrases) }
        download = listing.content.flatMap { DownloadContent($0, phrases) }
    }

    /// Text that a screen reader says for the button: the verb with the product and the price.
    public var accessibilityLabel: String {
        guard let button = sale.button, button != sale.verb else { return "\(sale.verb): \(title)" }
        return "\(sale.verb): \(title), \(button)"
    }

    private static func badges(
        _ listing: ProductListing, _ subscription: ListedSubscription?, _ phrases: ShopPhrases
    ) -> [String] {
        let saved = listing.bundle?.displaySavedPercentage ?? subscription?.displaySavedPercentage
        return [
            subscription.map { _ in phrases[.subscription] },
            listing.ownership.endOfPasses.map { phrases.filled(.until, $0) },
            saved.map { phrases.filled(.saving, $0) },
            listing.isFamilyShareable == true ? phrases[.familySharing] : nil,
            subscription?.introductoryOffer?.terms.paymentMode == .free ? phrases[.freeTrial] : nil,
        ].compactMap(\.self)
    }

    private static func credit(_ listing: ProductListing, _ phrases: ShopPhrases) -> String? {
        guard listing.product.wallet(as: listing.kind) != nil, let credit = listing.product.credit(forQuantity: 1)
        else { return nil }
        let units = "\(phrases.number(credit.amount)) \(credit.wallet)"
        return listing.roundedPricePerUnit.map { "\(units), \(phrases.filled(.each, $0))" } ?? units
    }
}

/// Products of a bundle, as a shop shows them.
public struct BundleContent: Sendable, Hashable {
    /// Products that the bundle contains directly, in catalog order.
    public let children: [BundleListing.Child]
    /// Saving compared with buying the products that the customer lacks, such as "Save $5.00"; `nil` if there is none.
    public let saving: String?

    init(_ bundle: BundleListing, _ phrases: ShopPhrases) {
        children = bundle.children
        saving = bundle.displaySaving.map { phrases.filled(.saving, $0) }
    }
}

/// Terms of an auto-renewable subscription, as a shop shows them.
public struct PlanContent: Sendable, Hashable {
    /// Relation to the subscription that the customer has in the group.
    public let relation: PlanRelation
    /// Price of one month of a longer period, such as "$2.50 a month"; `nil` for other periods.
    public let pricePerMonth: String?
    /// Saving compared with the monthly subscription, such as "Save $9.89"; `nil` if there is none.
    public let saving: String?
    /// Offer that the customer gets by buying, such as "1 week free, then $9.99 a month"; `nil` if there is none.
    public let offer: String?
    /// Identifier of the ``offer`` if it is a win-back offer, with which the subscription has to be bought; `nil` for
    /// others.
    public let winBackOffer: String?

    init(_ subscription: ListedSubscription, relation: PlanRelation, _ phrases: ShopPhrases) {
        self.relation = relation
        pricePerMonth = subscription.displayPricePerMonth
        saving = subscription.displaySaving.map { phrases.filled(.saving, $0) }
        // A purchase gets one offer: the store gives the introductory one by itself, and the best win-back offer is first.
        let (introductory, winBack) = (subscription.introductoryOffer, subscription.winBackOffers.first)
        offer = (introductory ?? winBack)?.text
        winBackOffer = introductory == nil ? winBack?.terms.identifier : nil
    }
}
