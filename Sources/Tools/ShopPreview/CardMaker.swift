internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineHostedContent
internal import VitrinePurchasing
internal import VitrineShopContent

/// Converts listings of products to cards of the shop page.
struct CardMaker {
    let findings: ShopFindings
    /// Identifiers of products whose content the preview replaces.
    let absentContent: Set<String>
    /// Reference names of offer codes by product.
    let codes: [String: [String]]
    /// Active subscriptions of the customer.
    let plans: CurrentPlans
    /// Phrases for customers in the language of the page.
    let phrases: ShopPhrases
    var images: ImageShelf

    /// Maximum number of a bundle's products on a card.
    private static let mostChildren = 50

    /// Returns the card of a product.
    ///
    /// - Parameters:
    ///   - listing: Listing in the language and storefront of the page.
    ///   - position: Index of the product in the catalog.
    mutating func card(_ listing: ProductListing, at position: Int) -> ShopCard {
        let product = listing.product
        let icon = image(.icon, product.productIcon, listing.icon, of: listing.id, position)
        let featured = image(.featured, product.featuredImage, listing.featuredImage, of: listing.id, position)
        let shown = ProductContent(listing, plans: plans, phrases: phrases)
        return ShopCard(
            identifier: listing.id, position: position, title: shown.title.asTitle, text: shown.text.asText,
            price: shown.price, badges: shown.badges, state: Self.state(shown.state), sale: shown.sale,
            maxQuantity: listing.kind.mostUnits, bundle: shown.bundle.map(Self.bundle),
            terms: shown.plan.map(Self.terms), offers: offers(listing.id, listing.subscription, shown.plan),
            credit: shown.credit?.asTitle,
            icon: icon.identifier,
            featuredImage: featured.identifier, content: content(listing, shown.download),
            findings: findings.of(listing.id)
                + [icon.finding, featured.finding, contentNote(listing.id)].compactMap(\.self))
    }

    private func contentNote(_ product: String) -> ShopFinding? {
        guard absentContent.contains(product) else { return nil }
        return ShopFinding(
            severity: .note,
            message: "the content is fetched by the app, and not by the preview, which installs a text file in its "
                + "place; --content names a folder with packages", rule: nil, line: nil, column: nil, product: product)
    }

    /// Returns the identifier of a product's image, or a finding if the image cannot be shown. Returns neither for a
    /// product without an image of the given role.
    private mutating func image(
        _ role: ImageRole, _ name: String?, _ file: URL?, of product: String, _ position: Int
    ) -> (identifier: String?, finding: ShopFinding?) {
        guard let name else { return (nil, nil) }
        let image = "the image \(name.plain(200))"
        let finding = { (severity: ShopFinding.Severity, message: String) in
            ShopFinding(
                severity: severity, message: "\(image) \(message)".asText, rule: nil, line: nil, column: nil,
                product: product)
        }
        guard let file else {
            if name.lowercased().hasPrefix("https://") {
                return (nil, finding(.note, "is fetched by the app, and not by the preview"))
            }
            // A rule reports other addresses.
            return (nil, name.contains("://") ? nil : finding(.warning, "is missing in the folder of the catalog"))
        }
        if let reason = images.failureReason(of: file) { return (nil, finding(.warning, "cannot be shown: \(reason)")) }
        return (role.identifier(position), nil)
    }

    private static func state(_ state: ProductState) -> ShopCard.State {
        switch state {
        case .buyable: .buyable
        case .owned: .owned
        case .unfinished: .pending
        case .notOffered(let reason): .notOffered(reason.description.asText)
        }
    }

    private static func bundle(_ bundle: BundleContent) -> ShopBundle {
        ShopBundle(
            children: bundle.children.prefix(mostChildren).map { child in
                ShopBundle.Child(
                    identifier: child.id, title: child.title.asTitle, price: child.displayPrice, isOwned: child.isOwned)
            },
            count: bundle.children.count, ownedCount: bundle.children.count(where: \.isOwned), saving: bundle.saving)
    }

    private static func terms(_ plan: PlanContent) -> ShopTerms {
        ShopTerms(
            pricePerMonth: plan.pricePerMonth, saving: plan.saving, offer: plan.offer, winBackOffer: plan.winBackOffer)
    }

    /// Maximum number of offers of each kind on a card.
    private static let mostOffers = 20

    /// Returns the offers of a product that the customer does not get by buying it.
    private func offers(
        _ product: String, _ subscription: ListedSubscription?, _ plan: PlanContent?
    ) -> [ShopOffer] {
        func offers(_ listed: [ListedSubscription.Offer]?, _ make: (String) -> PreviewOffer) -> [ShopOffer] {
            (listed ?? []).prefix(Self.mostOffers).compactMap { offer in
                offer.terms.identifier.map { ShopOffer(offer: make($0), text: offer.text.asTitle) }
            }
        }
        let named = (codes[product] ?? []).prefix(Self.mostOffers).map { ShopOffer(offer: .code($0), text: $0.asTitle) }
        return offers(subscription?.promotionalOffers) { .promotional($0) }
            + offers(subscription?.winBackOffers.filter { $0.terms.identifier != plan?.winBackOffer }) { .winBack($0) }
            + named
    }

    private func content(_ listing: ProductListing, _ download: DownloadContent?) -> ShopContent? {
        guard let content = listing.content else { return nil }
        let state = content.state
        return ShopContent(
            text: download?.text,
            state: state == .withheld ? ContentState.withheld.description : content.description,
            fraction: content.fraction,
            count: content.count, installedCount: content.installedCount,
            canDownload: state == .notInstalled || state == .updateAvailable,
            canRemove: state == .installed || state == .updateAvailable || state == .withheld)
    }
}
