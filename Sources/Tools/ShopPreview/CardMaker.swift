internal import Foundation
internal import Vitrine
internal import VitrineCatalog
internal import VitrineEntitlements
internal import VitrineHostedContent
internal import VitrinePurchasing

/// Converts listings of products to cards of the shop page.
struct CardMaker {
    let findings: ShopFindings
    /// Identifiers of products whose content the preview replaces.
    let absentContent: Set<String>
    /// Reference names of offer codes by product.
    let codes: [String: [String]]
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
        let subscription = listing.subscription
        let state = ProductState(listing)
        let price = subscription?.displayPricePerPeriod ?? listing.displayPrice
        return ShopCard(
            identifier: listing.id, position: position, title: listing.title.asTitle, text: listing.description.asText,
            price: price, badges: badges(listing, subscription), state: Self.state(state),
            sale: CardContent(of: state, kind: listing.kind, price: price, phrases: phrases),
            maxQuantity: listing.kind.mostUnits, bundle: listing.bundle.map(Self.bundle),
            terms: subscription.map(Self.terms), offers: offers(listing.id, subscription), credit: credit(listing),
            icon: icon.identifier,
            featuredImage: featured.identifier, content: content(listing),
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

    private func badges(_ listing: ProductListing, _ subscription: ListedSubscription?) -> [String] {
        let saved = listing.bundle?.savedFraction ?? subscription?.savedFraction
        return [
            subscription.map { _ in phrases[.subscription] },
            listing.ownership.endOfPasses.map { phrases.filled(.until, phrases.day($0)) },
            saved.map { phrases.filled(.saving, phrases.percent($0)) },
            listing.isFamilyShareable == true ? phrases[.familySharing] : nil,
            subscription?.introductoryOffer?.terms.paymentMode == .free ? phrases[.freeTrial] : nil,
        ].compactMap(\.self)
    }

    private static func bundle(_ bundle: BundleListing) -> ShopBundle {
        ShopBundle(
            children: bundle.children.prefix(mostChildren).map { child in
                ShopBundle.Child(
                    identifier: child.id, title: child.title.asTitle, price: child.displayPrice, isOwned: child.isOwned)
            },
            count: bundle.children.count, ownedCount: bundle.children.count(where: \.isOwned),
            saving: bundle.displaySaving)
    }

    private static func terms(_ subscription: ListedSubscription) -> ShopTerms {
        let offers = [subscription.introductoryOffer].compactMap(\.self) + subscription.winBackOffers
        return ShopTerms(
            pricePerMonth: subscription.displayPricePerMonth, saving: subscription.displaySaving,
            offers: offers.map(\.text))
    }

    /// Maximum number of offers of each kind on a card.
    private static let mostOffers = 20

    /// Returns the offers of a product that the customer does not get by buying it.
    private func offers(_ product: String, _ subscription: ListedSubscription?) -> [ShopOffer] {
        func offers(_ listed: [ListedSubscription.Offer]?, _ make: (String) -> PreviewOffer) -> [ShopOffer] {
            (listed ?? []).prefix(Self.mostOffers).compactMap { offer in
                offer.terms.identifier.map { ShopOffer(offer: make($0), text: offer.text.asTitle) }
            }
        }
        let named = (codes[product] ?? []).prefix(Self.mostOffers).map { ShopOffer(offer: .code($0), text: $0.asTitle) }
        return offers(subscription?.promotionalOffers) { .promotional($0) }
            + offers(subscription?.winBackOffers) { .winBack($0) } + named
    }

    /// Returns the units that a purchase credits, such as "50 coins, $0.02 each".
    private func credit(_ listing: ProductListing) -> String? {
        guard listing.product.wallet != nil, let credit = listing.product.credit(forQuantity: 1) else { return nil }
        let units = "\(phrases.number(credit.amount)) \(credit.wallet.asTitle)"
        return listing.roundedPricePerUnit.map { "\(units), \(phrases.filled(.each, $0))" } ?? units
    }

    private func content(_ listing: ProductListing) -> ShopContent? {
        guard let content = listing.content else { return nil }
        let state = content.state
        return ShopContent(
            text: contentPhrase(content).map { phrases[$0] },
            state: state == .withheld ? ContentState.withheld.description : content.description,
            fraction: content.fraction,
            count: content.count, installedCount: content.installedCount,
            canDownload: state == .notInstalled || state == .updateAvailable,
            canRemove: state == .installed || state == .updateAvailable || state == .withheld)
    }
    /// Returns what the customer is told about the content of a product that can be downloaded.
    private func contentPhrase(_ content: ListedContent) -> ShopPhrase? {
        switch content.state {
        case .installed: content.isComplete ? .downloaded : .notDownloaded
        case .updateAvailable: .updateAvailable
        case .notInstalled: .notDownloaded
        case nil: content.isComplete ? .downloaded : content.installedCount > 0 ? .notDownloaded : nil
        case .notOwned, .withheld, .ownershipUnknown: nil
        }
    }
}
