import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineShopContent

@testable import VitrineEntitlements

/// Texts about buying a product, in each state of the product.
struct SaleContentTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let state: ProductState
        /// Label of the button, status, price beside the status, and explanation; "-" for none.
        let content: [String]

        init(_ state: ProductState, _ content: String...) { (self.state, self.content) = (state, content) }

        var testDescription: String { "\(state)" }
    }

    private static let retry = "The store cannot be reached at the moment. Try again later."
    private static let version = VersionNumber("2.10").map { NotOfferedReason.appTooOld(minimum: $0) }

    static let rows: [Row] =
        [
            Row(.buyable, "$2.99", "-", "-", "-"),
            Row(.owned, "-", "Purchased", "-", "-"),
            Row(.unfinished(.inProgress), "-", "Buying…", "$2.99", "-"),
            Row(.unfinished(.waitingForApproval), "-", "Waiting for approval", "$2.99", "-"),
            Row(.unfinished(.delivering), "-", "Preparing…", "$2.99", "-"),
            Row(
                .notOffered(.enoughChildrenOwned(owned: 2, children: 3, limit: 2)), "-", "Not available", "$2.99",
                "You already own most of what is included."),
            Row(
                .notOffered(.purchasesNotAllowed("a restriction")), "-", "Not available", "$2.99",
                "Purchases are not allowed on this device."),
        ]
        + (version.map {
            [
                Row(
                    .notOffered($0), "-", "Not available", "$2.99",
                    "Update the app to version 2.10 to buy this.")
            ]
        } ?? [])
        + [.productsNotLoaded, .notReturnedByStore, .purchasesNotRead].map {
            Row(.notOffered($0), "-", "Not available", "$2.99", retry)
        }
        + [Row(.notOffered(.ownershipUnknown), "-", "Not available", "$2.99", "Restore Purchases")]
        + [
            .catalogOutOfDate("it is old"), .unknownToStore,
            .kindMismatch(catalog: .consumable, store: .nonConsumable), .noWallet, .uncreditedValue, .noDuration,
            .unknownKind, .noContent(product: "a"), .noContentURL(product: "a"), .alreadyOwned,
        ].map { Row(.notOffered($0), "-", "Not available", "$2.99", "-") }

    private func texts(_ content: SaleContent) -> [String] {
        [content.button, content.status, content.price, content.explanation].map { $0 ?? "-" }
    }

    @Test(arguments: rows) func `the texts about buying a product follow from its state`(_ row: Row) {
        let english = ShopPhrases(languages: ["en-US"])
        let content = SaleContent(of: row.state, kind: .nonConsumable, price: "$2.99", phrases: english)
        #expect(texts(content) == row.content)
        #expect(content.verb == "Buy")
    }

    @Test func `a subscription has phrases of its own, and a button without a price has a verb`() {
        let phrases = ShopPhrases(languages: ["de-AT"])
        func content(_ state: ProductState, _ kind: ProductKind, _ price: String?) -> [String] {
            texts(SaleContent(of: state, kind: kind, price: price, phrases: phrases))
        }
        let monthly = "9,99 € pro Monat"
        #expect(content(.buyable, .autoRenewableSubscription, monthly) == [monthly, "-", "-", "-"])
        #expect(content(.buyable, .autoRenewableSubscription, nil) == ["Abonnieren", "-", "-", "-"])
        #expect(content(.owned, .autoRenewableSubscription, monthly) == ["-", "Abonniert", "-", "-"])
        #expect(content(.buyable, .consumable, nil) == ["Kaufen", "-", "-", "-"])
    }

    @Test(
        arguments: [
            (Offer.offered, false, nil, ProductState.buyable), (.offered, true, nil, .buyable),
            (.notOffered(.alreadyOwned), true, nil, .owned), (.notOffered(.unknownToStore), true, nil, .owned),
            (.notOffered(.unknownToStore), false, nil, .notOffered(.unknownToStore)),
            (.offered, false, .waitingForApproval, .unfinished(.waitingForApproval)),
            (.notOffered(.alreadyOwned), true, .delivering, .unfinished(.delivering)),
        ] as [(Offer, Bool, PurchaseState?, ProductState)])
    func `the state of a product follows from its offer, its ownership and its purchase`(
        offer: Offer, isOwned: Bool, purchase: PurchaseState?, state: ProductState
    ) {
        #expect(ProductState(offer: offer, isOwned: isOwned, purchase: purchase) == state)
    }

    @Test func `a product that only the family shares is not called purchased`() {
        func status(isFamilyShared: Bool...) -> String? {
            let reasons = isFamilyShared.map {
                Ownership.Reason.transaction(
                    Ownership.OwnTransaction(id: "1", purchaseDate: .distantPast, isFamilyShared: $0))
            }
            return SaleContent(
                of: .owned, kind: .nonConsumable, price: nil, ownership: .owned(because: reasons),
                phrases: ShopPhrases(languages: ["en"])
            ).status
        }
        #expect(status(isFamilyShared: true) == "Shared by your family")
        #expect(status(isFamilyShared: true, false) == "Purchased")
        #expect(status() == "Purchased")
    }

    @Test(
        arguments: [
            (
                .inGracePeriod, nil,
                ["Subscribed", "There is a problem with your payment. Update your payment method."],
                ["Shared by your family", "-"]
            ),
            (
                .inBillingRetry, nil,
                ["Expired on Jan 15, 2030", "There is a problem with your payment. Update your payment method."],
                ["Expired on Jan 15, 2030", "-"]
            ),
            (.revoked, nil, ["Refunded", "-"], ["-", "-"]),
            (
                .subscribed, .pending,
                ["Subscribed", "A higher price applies from Jan 15, 2030. Confirm it to keep your subscription."],
                ["Shared by your family", "Renews on Jan 15, 2030"]
            ),
        ] as [(CustomerSubscription.State, PriceIncreaseConsent?, [String], [String])])
    func `a shared subscription does not ask other members of the family to pay for it`(
        state: CustomerSubscription.State, consent: PriceIncreaseConsent?, own: [String], shared: [String]
    ) {
        func texts(isFamilyShared: Bool) -> [String] {
            let subscription = CustomerSubscription.sample(
                "club", state, isFamilyShared: isFamilyShared, priceIncrease: consent)
            let content = SaleContent(
                of: subscription.isActive ? .owned : .buyable, kind: .autoRenewableSubscription, price: "$4.99",
                subscription: subscription, relation: .open,
                phrases: ShopPhrases(languages: ["en-US"], timeZone: .gmt))
            return [content.status ?? "-", content.explanation ?? "-"]
        }
        #expect(texts(isFamilyShared: false) == own)
        #expect(texts(isFamilyShared: true) == shared)
    }
}

extension CustomerSubscription {
    /// Subscription whose latest period ends on 2030-01-15.
    static func sample(
        _ product: String, _ state: State, isFamilyShared: Bool, priceIncrease: PriceIncreaseConsent? = nil
    ) -> CustomerSubscription {
        let end = Date(timeIntervalSince1970: 1_894_665_600)
        return CustomerSubscription(
            id: "1", productIdentifier: product, transactionID: "1", state: state, originalPurchaseDate: .distantPast,
            purchaseDate: .distantPast, expirationDate: end, isRenewing: true, nextProduct: product, endReason: nil,
            gracePeriodExpirationDate: nil, unconfirmedUntil: nil, priceIncrease: priceIncrease, nextPrice: nil,
            nextCurrency: nil, offer: nil, nextOffer: nil, isFamilyShared: isFamilyShared, statementDate: nil)
    }
}
