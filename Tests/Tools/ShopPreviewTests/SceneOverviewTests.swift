import Testing
import VitrineShopPreview
import VitrineTestSupport

/// Overviews of scenes, which the list of scenes shows as thumbnails.
struct SceneOverviewTests {
    private static let lisbon = PreviewAction.buy(product: "com.example.voyager.lisbon", quantity: 1)

    @Test func `the overview of a scene shows its balances and, first, what the customer owns or waits for`()
        async throws
    {
        let preview = try await PreviewedShop.sample("Voyager")
        try await preview.perform(
            .buy(product: "com.example.voyager.coins50", quantity: 2),
            .buy(product: "com.example.voyager.porto", quantity: 1),
            .askToBuy(isOn: true), .buy(product: "com.example.voyager.vienna", quantity: 1))
        try await preview.shop.save(scene: "Waits", view: PreviewView(device: .tablet))
        try await preview.shop.goBack(to: 0)
        let before = await preview.page()
        let overview = try #require(await preview.shop.overview(ofScene: "Waits"))
        #expect(overview.balances == ["100 coins"] && overview.view.device == .tablet)
        #expect(overview.products.map(\.position).prefix(4) == [1, 3, 0, 2])
        #expect(overview.products.map(\.state).prefix(3) == [.owned, .pending, .buyable])
        #expect(overview.products.map(\.label).prefix(3) == ["Purchased", "Waiting for approval", "$4.99"])
        #expect(overview.products.count == SceneOverview.mostProducts)
        #expect(await preview.page() == before)
        #expect(await preview.shop.overview(ofScene: "Gold") == nil)
        await preview.shop.close()
        #expect(await preview.shop.overview(ofScene: "Waits") == nil)
    }

    @Test func `the overview of a scene follows the scene and the catalog`() async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a", title: "One"))
        try await preview.shop.save(scene: "Scene", view: PreviewView())
        let first = await preview.page().overviewVersion
        #expect(await preview.shop.overview(ofScene: "Scene")?.products.map(\.state) == [.buyable])
        try await preview.perform(.buy(product: "a", quantity: 1))
        try await preview.shop.save(scene: "Scene", view: PreviewView())
        let second = await preview.page().overviewVersion
        #expect(await preview.shop.overview(ofScene: "Scene")?.products.map(\.state) == [.owned])
        try preview.replace("Shop.plist", by: PreviewedShop.catalog(PreviewedShop.product("a", title: "Two")))
        await preview.shop.look()
        #expect(await preview.shop.overview(ofScene: "Scene")?.products.map(\.title) == ["Two"])
        #expect(await preview.page().overviewVersion > second && second > first)
        await preview.shop.close()
    }

    @Test func `overviews that are asked for together are all made, and leave no files`() async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a"))
        for number in 0..<4 { try await preview.shop.save(scene: "\(number)", view: PreviewView()) }
        let made = await withTaskGroup(of: SceneOverview?.self) { group in
            for number in 0..<8 { group.addTask { await preview.shop.overview(ofScene: "\(number % 4)") } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(made.count == 8 && !made.contains(nil))
        async let last = preview.shop.overview(ofScene: "0")
        await preview.shop.close()
        _ = await last
        #expect(!preview.folder.has("Preview"))
    }
}
