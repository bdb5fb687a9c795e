import ArgumentParser
import Foundation
import Vitrine
import VitrineCatalog
import VitrineCommandSupport
import VitrineEntitlements
import VitrinePurchasing

struct ListingCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "listing",
        abstract: "Print every product as a customer sees it.",
        discussion: """
            Prints for each product its title and price, whether it is offered or why not, why it is owned, what a \
            bundle contains and saves, what a subscription costs and offers to the customer, and the state of its \
            hosted content. The exit status is 1 if the catalog or the \
            store's products could not be loaded, or products are left out because of errors in the catalog.

            EXAMPLE:
              vitrine listing --language de --storefront DEU
            """
    )

    @OptionGroup var customer: CustomerOptions
    @OptionGroup var session: SessionOptions

    func report() async throws -> Report {
        try await OpenHome.open(session, customer: customer).use(awaitsContent: false) { manager, _ in
            let listing = manager.listing
            let isLoaded = manager.status == .productsLoaded
            let isComplete = isLoaded && manager.catalog.current?.hasErrors == false
            let obstacle = isLoaded ? "products with errors in the catalog are left out" : manager.status.description
            return Report(
                lines: listing.flatMap(\.lines).map(\.withoutDirectionMarks),
                json: [
                    "status": manager.status.rawValue, "storefront": manager.catalog.storefront,
                    "products": listing.map(\.document),
                ],
                status: isComplete ? .yes : .no,
                remarks: isComplete ? [] : ["warning: \(obstacle)"])
        }
    }
}

extension ProductListing {
    /// JSON object of a product's listing. Amounts of money are decimal numbers in the currency of the price.
    var document: JSONObject {
        let reasonNotOffered: String? = if case .notOffered(let reason) = offer { reason.description } else { nil }
        return [
            "identifier": id, "kind": kind, "title": title, "description": description, "price": price?.description,
            "currency": currencyCode, "displayPrice": displayPrice, "pricePerUnit": pricePerUnit?.description,
            "displayPricePerUnit": displayPricePerUnit,
            "offered": isOffered, "reasonNotOffered": reasonNotOffered, "owned": ownership.word,
            "because": ownership.reasons.map(\.document), "purchase": purchase, "children": product.childProducts,
            "familyShareable": isFamilyShareable,
            "bundle": bundle.map { bundle -> JSONObject in
                [
                    "separatePrice": bundle.separatePrice?.description,
                    "remainingPrice": bundle.remainingPrice?.description, "saving": bundle.saving?.description,
                    "ownedChildren": bundle.children.filter(\.isOwned).map(\.id),
                ]
            },
            "subscription": subscription?.document,
            "content": content.map { content -> JSONObject in
                ["products": content.count, "installed": content.installedCount, "fraction": content.fraction]
            },
        ]
    }

    /// Text about the product: a line with its title and price, followed by one line for each detail.
    var lines: [String] {
        // A sign in place of a word: the price is in the language of the storefront.
        let units = displayPricePerUnit.flatMap { price in
            product.credit(forQuantity: 1).map { "\($0.amount) × \(price)" }
        }
        let price = [displayPrice ?? "no price", units].compactMap(\.self)
        let remarks =
            [description, offerText, ownershipText, purchase?.description] + (subscription?.descriptions ?? [])
            + [bundle?.description, bundle?.priceText, content?.description]
        return ["\(title) (\(id)): \(price.joined(separator: ", "))"]
            + remarks.compactMap { $0.flatMap { $0.isEmpty ? nil : "  \($0)" } }
    }

    private var offerText: String {
        switch offer {
        case .offered: "offered"
        case .notOffered(let reason): "not offered: \(reason)"
        }
    }

    private var ownershipText: String? {
        switch ownership {
        case .owned: "owned: \(ownership.description(of: id, in: nil))"
        case .notOwned: nil
        case .unknown(let reason): "ownership unknown: \(reason.description)"
        }
    }
}

extension BundleListing {
    fileprivate var description: String {
        "contains " + children.map { $0.isOwned ? "\($0.title) (owned)" : $0.title }.joined(separator: ", ")
    }

    fileprivate var priceText: String? {
        guard let displaySeparatePrice else { return nil }
        let separate = "bought separately \(displaySeparatePrice)"
        guard let displayRemainingPrice, let displaySaving, let displaySavedPercentage else { return separate }
        let remaining =
            remainingPrice == separatePrice ? "" : ", \(displayRemainingPrice) for the products that are not owned"
        return "\(separate)\(remaining): saves \(displaySaving) (\(displaySavedPercentage))"
    }
}

extension ListedSubscription {
    fileprivate var document: JSONObject {
        [
            "group": group, "groupName": groupName, "level": level, "period": period?.description,
            "displayPricePerPeriod": displayPricePerPeriod, "pricePerMonth": pricePerMonth?.description,
            "displayPricePerMonth": displayPricePerMonth, "saving": saving?.description,
            "displaySaving": displaySaving, "introductoryOffer": introductoryOffer?.text,
            "winBackOffers": winBackOffers.map { offer -> JSONObject in
                ["identifier": offer.terms.identifier, "text": offer.text]
            },
            "current": current?.document,
        ]
    }

    fileprivate var descriptions: [String] {
        let saved = displaySavedPercentage.map { " (\($0))" } ?? ""
        let prices = [displayPricePerPeriod, displayPricePerMonth, displaySaving.map { "saves \($0)\(saved)" }]
        return [prices.compactMap(\.self).joined(separator: ", ")]
            + [current?.details, introductoryOffer.map { "introductory offer: \($0.text)" }].compactMap(\.self)
            + winBackOffers.map { "win-back offer \($0.terms.identifier ?? ""): \($0.text)" }
    }
}
