import Testing
import Vitrine
import VitrineEntitlements
import VitrineShopContent
import VitrineTestSupport

@testable import VitrineShopPreview

@Suite(.hangLimit) struct ShopDisplayTests {
    private static let unreachable = "The store cannot be reached at the moment. Try again later."

    private func display(
        _ status: LoadingStatus, _ listings: [ProductListing] = [], _ balances: [String: WalletBalance] = [:]
    ) -> ShopDisplay {
        ShopDisplay(
            status: status, listings: listings, subscriptions: [], balances: balances,
            phrases: ShopPhrases(languages: ["en"]))
    }

    @Test(
        arguments: [
            (.productsLoading, .loading), (.listLoaded, .loading),
            (.productsLoaded, .empty("There is nothing to buy at the moment.")),
            (.listLoadFailed, .empty(unreachable)), (.productsLoadFailed, .empty(unreachable)),
        ] as [(LoadingStatus, ShopDisplay.Condition)])
    func `a shop without products has the reason in its condition`(
        status: LoadingStatus, condition: ShopDisplay.Condition
    ) {
        #expect(display(status).condition == condition)
        #expect(display(status).notice == nil && display(status).products.isEmpty)
    }

    @Test func `a shop with products stays and has a notice while the store cannot be reached`()
        async throws
    {
        let sample = try await SampleShop.open()
        let listings = await sample.shop.session.manager.listing
        #expect(display(.productsLoading, listings).condition == .ready)
        #expect(display(.productsLoading, listings).notice == nil)
        #expect(display(.productsLoadFailed, listings).condition == .ready)
        #expect(display(.productsLoadFailed, listings).notice == Self.unreachable)
        #expect(display(.productsLoaded, listings.filter { $0.id == "club.gold" }).planGroups.isEmpty)
        await sample.shop.close()
    }

    @Test func `a wallet of unknown balance shows the units that can be spent`() {
        let wallets = display(.productsLoaded, [], ["gems": .unknown(atLeast: 3), "coins": .known(1_250)]).wallets
        #expect(wallets.map(\.text) == ["1,250 coins", "3 gems"])
    }

    @Test func `events about products, subscriptions and wallets change the shop`() {
        #expect(CatalogEvent.listingChanged([]).changesShop)
        #expect(CatalogEvent.eventsMissed(1).changesShop)
        #expect(CatalogEvent.loading(.statusChanged(.productsLoaded)).changesShop)
        #expect(!CatalogEvent.content(.removed(["map"])).changesShop)
    }
}
