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
        return ShopCard(
            identifier: listing.id, position: position, title: listing.title.asTitle, text: listing.description.asText,
            price: subscription?.displayPricePerPeriod ?? listing.displayPrice, kind: listing.kind.description,
            badges: Self.badges(listing, subscription), state: Self.state(listing),
            maxQuantity: listing.kind.mostUnits, bundle: listing.bundle.map(Self.bundle),
            terms: subscription.map(Self.terms), credit: Self.credit(listing), icon: icon.identifier,
            featuredImage: featured.identifier, content: Self.content(listing),
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

    private static func state(_ listing: ProductListing) -> ShopCard.State {
        if listing.purchase == .waitingForApproval || listing.purchase == .delivering { return .pending }
        if listing.ownership.isOwned, !listing.isOffered { return .owned }
        return switch listing.offer {
        case .offered: .buyable
        case .notOffered(let reason): .notOffered(reason.description.asText)
        }
    }

    private static func badges(_ listing: ProductListing, _ subscription: ListedSubscription?) -> [String] {
        let bundle = listing.bundle
        return [
            listing.ownership.endOfPasses.map { "Owned until \($0.day)" },
            bundle.map { "Bundle of \($0.children.count)" },
            bundle?.savedFraction.map { "Saves \(Int(($0 * 100).rounded())) %" },
            listing.isFamilyShareable == true ? "Family Sharing" : nil,
            subscription?.introductoryOffer?.terms.paymentMode == .free ? "Free trial" : nil,
            subscription?.savedFraction.map { "Saves \(Int(($0 * 100).rounded())) %" },
            listing.product.isGrandfathered ? "Grandfathered" : nil,
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
            group: (subscription.groupName ?? subscription.group)?.asTitle,
            pricePerMonth: subscription.displayPricePerMonth, saving: subscription.displaySaving,
            offers: offers.map(\.text), current: subscription.current?.details)
    }

    private static func credit(_ listing: ProductListing) -> ShopCredit? {
        guard listing.product.wallet != nil, let credit = listing.product.credit(forQuantity: 1) else { return nil }
        return ShopCredit(
            wallet: credit.wallet.asTitle, units: credit.amount, pricePerUnit: listing.displayPricePerUnit)
    }

    private static func content(_ listing: ProductListing) -> ShopContent? {
        guard let content = listing.content else { return nil }
        let state = content.state
        return ShopContent(
            state: state == .withheld ? ContentState.withheld.description : content.description,
            fraction: content.fraction,
            count: content.count, installedCount: content.installedCount,
            canDownload: state == .notInstalled || state == .updateAvailable,
            canRemove: state == .installed || state == .updateAvailable || state == .withheld)
    }
}
