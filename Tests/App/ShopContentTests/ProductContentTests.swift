import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineShopContent
import VitrineTestSupport

@testable import VitrineShopPreview

/// Content of a product in each state, over the simulated store. The preview's card has the same content.
@Suite(.hangLimit) struct ProductContentTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let state: String
        let product: String
        let actions: [PreviewAction]
        /// Label of the button, its verb, status, price beside the status, and explanation; "-" for none.
        let sale: [String]
        /// Badges, and offers of a subscription.
        var texts: [String] = []
        var hasGracePeriod = false

        var testDescription: String { state }
    }

    private static let monthly = "$4.99 a month"
    private static let plan = ["Subscription", "Family Sharing"]
    private static let silver = PreviewAction.buy(product: "club.silver", quantity: 1)
    private static let lapsed = [silver, .renewal(product: "club.silver", isOn: false), .advance(seconds: 40 * 86_400)]
    private static let unpaid = [silver, .billing(isOn: false), .advance(seconds: 32 * 86_400)]

    static let rows: [Row] = [
        Row(
            state: "not owned", product: "map", actions: [], sale: ["$4.99", "Buy", "-", "-", "-"],
            texts: ["Family Sharing"]),
        Row(state: "consumable", product: "coins", actions: [], sale: ["$0.99", "Buy", "-", "-", "-"]),
        Row(
            state: "owned", product: "map", actions: [.buy(product: "map", quantity: 1)],
            sale: ["-", "Buy", "Purchased", "-", "-"], texts: ["Family Sharing"]),
        Row(
            state: "deferred", product: "map",
            actions: [.askToBuy(isOn: true), .buy(product: "map", quantity: 1)],
            sale: ["-", "Buy", "Waiting for approval", "$4.99", "-"], texts: ["Family Sharing"]),
        Row(
            state: "refunded", product: "map",
            actions: [.buy(product: "map", quantity: 1), .refund(transaction: "")],
            sale: ["$4.99", "Buy", "-", "-", "-"], texts: ["Family Sharing"]),
        Row(
            state: "not for sale", product: "ghost", actions: [], sale: ["-", "Buy", "Not available", "-", "-"]),
        Row(
            state: "extendable pass", product: "pass", actions: [.buy(product: "pass", quantity: 1)],
            sale: ["$9.99", "Extend", "-", "-", "-"], texts: ["Until Feb 15, 2030"]),
        Row(
            state: "introductory offer", product: "club.gold", actions: [],
            sale: ["$9.99 a month", "Subscribe", "-", "-", "-"],
            texts: plan + ["Free trial", "1 week free, then $9.99 a month"]),
        Row(
            state: "no offer", product: "club.silver", actions: [], sale: [monthly, "Subscribe", "-", "-", "-"],
            texts: plan),
        Row(
            state: "subscribed", product: "club.silver", actions: [silver],
            sale: ["-", "Subscribe", "Subscribed", "-", "Renews on Feb 15, 2030"], texts: plan),
        Row(
            state: "higher price without consent", product: "club.silver",
            actions: [silver, .price(product: "club.silver", amount: 7, needsConsent: true)],
            sale: [
                "-", "Subscribe", "Subscribed", "-",
                "A higher price applies from Feb 15, 2030. Confirm it to keep your subscription.",
            ], texts: plan),
        Row(
            state: "renewal turned off", product: "club.silver",
            actions: [silver, .renewal(product: "club.silver", isOn: false)],
            sale: ["-", "Subscribe", "Subscribed", "-", "Until Feb 15, 2030"], texts: plan),
        Row(
            state: "in grace", product: "club.silver", actions: unpaid,
            sale: [
                "-", "Subscribe", "Subscribed", "-",
                "There is a problem with your payment. Update your payment method.",
            ], texts: plan, hasGracePeriod: true),
        Row(
            state: "in billing retry", product: "club.silver", actions: unpaid,
            sale: [
                monthly, "Subscribe", "Expired on Feb 15, 2030", "-",
                "There is a problem with your payment. Update your payment method.",
            ], texts: plan),
        Row(
            state: "expired with a win-back offer", product: "club.silver", actions: lapsed,
            sale: [monthly, "Subscribe", "Expired on Feb 15, 2030", "-", "-"],
            texts: plan + ["$0.99 a month for 2 months, then $4.99 a month"]),
        Row(
            state: "refunded subscription", product: "club.silver", actions: [silver, .refund(transaction: "")],
            sale: [monthly, "Subscribe", "Refunded", "-", "-"], texts: plan),
        Row(
            state: "upgrade", product: "club.gold", actions: [silver],
            sale: ["$9.99 a month", "Upgrade", "-", "-", "-"], texts: plan),
        Row(
            state: "downgrade", product: "club.bronze", actions: [silver],
            sale: ["$2.99 a month", "Change Plan", "-", "-", "Starts on Feb 15, 2030"], texts: plan),
        Row(
            state: "other period", product: "club.silver.year", actions: [silver],
            sale: ["$49.99 a year", "Change Plan", "-", "-", "Starts on Feb 15, 2030"],
            texts: ["Subscription", "Save 17%", "Family Sharing"]),
        Row(
            state: "chosen downgrade", product: "club.bronze",
            actions: [silver, .buy(product: "club.bronze", quantity: 1)],
            sale: ["-", "Change Plan", "Starts on Feb 15, 2030", "$2.99 a month", "-"], texts: plan),
        Row(
            state: "replaced by a downgrade", product: "club.silver",
            actions: [silver, .buy(product: "club.bronze", quantity: 1)],
            sale: ["-", "Subscribe", "Subscribed", "-", "Until Feb 15, 2030"], texts: plan),
    ]

    @Test(arguments: rows)
    func `the content of a product follows from its state, in an app as in the preview`(row: Row) async throws {
        let sample = try await SampleShop.open(hasGracePeriod: row.hasGracePeriod)
        try await sample.perform(row.actions)

        let content = try #require(await sample.display().content(of: row.product))
        let sale = content.sale
        #expect(
            [sale.button, sale.verb, sale.status, sale.price, sale.explanation].map { $0 ?? "-" } == row.sale)
        let offers = [content.plan?.offer].compactMap(\.self)
        #expect(content.badges + offers == row.texts)

        let card = try #require(await sample.shop.card(row.product, in: PreviewView()))
        #expect(card.sale == sale && card.badges == content.badges && card.price == content.price)
        #expect(card.terms?.offer == content.plan?.offer && card.terms?.saving == content.plan?.saving)
        #expect(card.credit == content.credit && card.content?.text == content.download?.text)
        await sample.shop.close()
    }

    @Test func `the first win-back offer of a lapsed subscription is the one that it shows and its button buys`()
        async throws
    {
        let sample = try await SampleShop.open {
            $0.replacing(#""isEligible": false"#, with: #""isEligible": true"#)
        }
        #expect(await sample.display().content(of: "club.silver")?.plan?.winBackOffer == nil)
        try await sample.perform(Self.lapsed)
        let plan = try #require(await sample.display().content(of: "club.silver")?.plan)
        #expect(plan.winBackOffer == "again" && plan.offer == "$0.99 a month for 2 months, then $4.99 a month")
        let listing = await sample.shop.session.manager.listing.first { $0.id == "club.silver" }
        #expect(listing?.subscription?.winBackOffers.count == 2)
        #expect(await sample.display().content(of: "club.gold")?.plan?.winBackOffer == nil)
        await sample.shop.close()
    }

    @Test(arguments: [(false, PlanRelation.upgrade), (true, .open)])
    func `a plan beside one that the family shares begins at once, as the first of a customer`(
        isFamilyShared: Bool, relation: PlanRelation
    ) async throws {
        let sample = try await SampleShop.open()
        let listings = await sample.shop.session.manager.listing
        let plans = CurrentPlans(
            listings, subscriptions: [.sample("club.silver", .subscribed, isFamilyShared: isFamilyShared)])
        let gold = try #require(listings.first { $0.id == "club.gold" })
        #expect(plans.relation(of: gold) == relation)
        await sample.shop.close()
    }

    @Test func `a shop shows the plans of a group from the highest level down, and every other product by itself`()
        async throws
    {
        let sample = try await SampleShop.open()
        try await sample.perform([.buy(product: "coins", quantity: 1)])
        let display = await sample.display()
        #expect(display.condition == .ready && display.notice == nil && display.hasSubscriptions)
        #expect(display.products.map(\.id) == ["coins", "map", "pass", "ghost"])
        #expect(display.planGroups.map(\.id) == ["club"])
        #expect(
            display.planGroups.first?.plans.map(\.id)
                == ["club.gold", "club.silver", "club.silver.year", "club.bronze"])
        #expect(display.wallets.map(\.text) == ["50 coins"])
        #expect(display.content(of: "coins")?.credit == "50 coins, $0.02 each")
        #expect(display.content(of: "map")?.accessibilityLabel == "Buy: Map, $4.99")
        #expect(display.content(of: "unknown") == nil)
        await sample.shop.close()
    }

    @Test(
        arguments: [
            (.consumable, "50 coins, $0.02 each"), (.nonConsumable, nil), (.nonRenewingSubscription, nil),
        ] as [(ProductKind, String?)])
    func `a product whose type only the store knows shows units only if the type credits them`(
        kind: ProductKind, credit: String?
    ) throws {
        let catalog = Catalog(products: [CatalogProduct(identifier: "pack", storageKey: "coins", productValue: 50)])
        let product = StoreProduct(
            identifier: "pack", kind: kind, displayName: "Pack", description: "", price: Decimal(99) / 100,
            currencyCode: "USD", displayPrice: "$0.99")
        let listings = ProductListing.listings(
            for: try EntitlementSnapshot(catalog: catalog, entries: []),
            store: StoreSnapshot(
                requested: ["pack"], products: [product], date: Date(timeIntervalSince1970: 1_790_000_000),
                storefront: "USA", language: nil), languages: ["en-US"])
        let content = ProductContent(
            try #require(listings.first), plans: CurrentPlans([], subscriptions: []),
            phrases: ShopPhrases(languages: ["en-US"], timeZone: .gmt))
        #expect(content.credit == credit)
    }

    @Test func `a shop of a German customer has German texts`() async throws {
        let sample = try await SampleShop.open()
        try await sample.perform([Self.silver])
        let sale = try #require(await sample.display(languages: ["de-DE"]).content(of: "club.silver")?.sale)
        #expect(sale.status == "Abonniert" && sale.explanation == "Verlängert sich am 15. Feb. 2030")
        await sample.shop.close()
    }
}
