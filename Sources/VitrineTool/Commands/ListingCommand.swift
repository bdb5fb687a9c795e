import ArgumentParser
import Entitlements
import Foundation
import ProductCatalog
import Vitrine

struct ListingCommand: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "listing",
        abstract: "Print every product as a customer sees it.",
        discussion: """
            Prints for each product its title and price, whether it is offered or why not, why it is owned, what a \
            bundle contains and saves, and the state of its hosted content. The exit status is 1 if the list or the \
            products could not be loaded, or errors in the catalog excluded some products.

            EXAMPLE:
              vitrine listing --language de --storefront DEU
            """
    )

    @OptionGroup var customer: CustomerOptions
    @OptionGroup var home: HomeOptions
    @OptionGroup var output: OutputOptions
    @OptionGroup var verbose: VerboseOptions

    func report() async throws -> Report {
        try await OpenHome.open(home, verbose: verbose, customer: customer).use(awaitsContent: false) { manager, _ in
            let listing = manager.listing
            let isLoaded = manager.status == .productsLoaded
            let isComplete = isLoaded && manager.catalog.current?.hasErrors == false
            let obstacle = isLoaded ? "errors in the catalog exclude products" : manager.status.words
            return Report(
                lines: listing.flatMap(\.lines),
                json: Document(
                    status: manager.status.rawValue, storefront: manager.catalog.storefront,
                    products: listing.map(ListingDocument.init)),
                status: isComplete ? .yes : .no,
                remarks: isComplete ? [] : ["warning: \(obstacle)"])
        }
    }

    private struct Document: Encodable {
        let status: Int
        let storefront: String?
        let products: [ListingDocument]
    }
}

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

extension ProductListing {
    /// Text output of the product: a line with title and price, then a line for each further detail.
    var lines: [String] {
        let price = [displayPrice ?? "no price", displayPricePerUnit.map { "\($0) each" }].compactMap(\.self)
        let remarks = [
            description, offerWords, ownershipWords, purchase?.words, bundle?.words, bundle?.priceWords, content?.words,
        ]
        return ["\(title) (\(id)): \(price.joined(separator: ", "))"]
            + remarks.compactMap { $0.flatMap { $0.isEmpty ? nil : "  \($0)" } }
    }

    private var offerWords: String {
        switch offer {
        case .offered: "offered"
        case .notOffered(let reason): "not offered: \(reason)"
        }
    }

    private var ownershipWords: String? {
        switch ownership {
        case .owned(let reasons): "owned: \(reasons.map(\.words).joined(separator: "; "))"
        case .notOwned: nil
        case .unknown(let reason): "ownership unknown: \(reason.words)"
        }
    }
}

extension PurchaseState {
    fileprivate var words: String {
        switch self {
        case .inProgress: "purchase in progress"
        case .waitingForApproval: "purchase waiting for approval"
        case .delivering: "purchase being delivered"
        }
    }
}

extension BundleListing {
    fileprivate var words: String {
        "contains " + children.map { $0.isOwned ? "\($0.title) (owned)" : $0.title }.joined(separator: ", ")
    }

    fileprivate var priceWords: String? {
        guard let displaySeparatePrice else { return nil }
        let separate = "separately \(displaySeparatePrice)"
        guard let displayRemainingPrice, let displaySaving, let savedFraction else { return separate }
        let remaining = remainingPrice == separatePrice ? "" : ", \(displayRemainingPrice) without owned products"
        return "\(separate)\(remaining): saves \(displaySaving) (\(Int((savedFraction * 100).rounded())) %)"
    }
}

extension ListedContent {
    fileprivate var words: String {
        guard !isComplete else { return "content installed" }
        if let download { return "content: \(download.words)" }
        return count == 1 ? "content not installed" : "content installed for \(installedCount) of \(count) products"
    }
}
