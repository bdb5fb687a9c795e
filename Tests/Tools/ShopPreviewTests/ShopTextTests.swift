import Foundation
import Testing
import VitrineShopContent
import VitrineShopPreview
import VitrineTestSupport

struct ShopTextTests {
    @Test func `a preview in German for the storefront Japan shows German texts and prices in yen`() async throws {
        let preview = try await PreviewedShop.sample("Voyager")
        try await preview.perform(.buy(product: "com.example.voyager.lisbon", quantity: 1))
        let page = await preview.page(PreviewView(language: "de", storefront: "JPN"))
        #expect(page.language == "de" && page.storefront == "JPN")
        #expect(page.cards[0].title == "Reiseführer Lissabon" && page.cards[0].state == .owned)
        #expect(page.cards[0].text.hasPrefix("Sieben Hügel"))
        #expect(page.cards[1].price?.contains("¥") == true)
        let own = await preview.page()
        #expect(own.cards[0].title == "Lisbon Guide" && own.language == "en-US" && own.storefront == "USA")
        #expect(own.languages.map(\.identifier).contains("de"))
        #expect(own.storefronts.contains { $0.identifier == "JPN" })
        let other = await preview.page(PreviewView(language: "gsw-CH", storefront: "LIE"))
        #expect(other.languages.contains { $0.identifier == "gsw-CH" } && other.storefronts[0].identifier == "LIE")
        #expect(own.timeline == page.timeline)
        await preview.shop.close()
    }

    @Test func `localized prices and subscription periods are shown also without a network`() async throws {
        let preview = try await PreviewedShop.sample("Club")
        try await preview.perform(.buy(product: "club.gold", quantity: 1), .network(isOn: false))
        let page = await preview.page(PreviewView(language: "de", storefront: "DEU"))
        #expect(page.cards.allSatisfy { $0.price?.contains("€") == true })
        #expect(page.cards.contains { $0.price?.hasSuffix("pro Monat") == true }, "\(page.cards.map(\.price))")
        let german = try await preview.card("club.gold", PreviewView(language: "de"))
        #expect(try #require(german?.terms).offer == nil)
        await preview.shop.close()
    }

    @Test(arguments: [
        ("no tag", "<b>", "USA"), ("no country", "en-US", "XXY"), ("too long", String(repeating: "a", count: 99), "us"),
    ])
    func `an invalid language or storefront falls back to the store's language and storefront`(
        id: String, language: String, storefront: String
    ) async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a"))
        let page = await preview.page(PreviewView(language: language, storefront: storefront))
        #expect(page.language == "en-US" && page.storefront == "USA")
        await preview.shop.close()
    }

    @Test(
        arguments: [
            ("markup", "&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;", "<script>alert(1)</script>&amp;"),
            ("right to left", "\u{202E}gnp.exe", "\u{202E}gnp.exe"),
            ("10,000 characters", String(repeating: "x", count: 10_000), String(repeating: "x", count: 500) + "…"),
            ("emoji", "👩‍👩‍👧‍👦🏴‍☠️", "👩‍👩‍👧‍👦🏴‍☠️"),
            (
                "an emoji at the limit", String(repeating: "x", count: 496) + "👩‍👩‍👧‍👦",
                String(repeating: "x", count: 496) + "…"
            ), ("combining", "Z\u{0351}\u{0352}a", "Z\u{0351}\u{0352}a"),
        ])
    func `a hostile product title is shown as plain text of bounded length`(id: String, written: String, title: String)
        async throws
    {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a", title: written))
        let page = await preview.page()
        #expect(page.cards.map(\.title) == [title])
        let step = try await preview.perform(.buy(product: "a", quantity: 1))
        #expect(step?.title.hasPrefix("Buy \(title.prefix(400))") == true)
        await preview.shop.close()
    }

    @Test func `a requested range of products is clamped to the products of the catalog`() async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a") + PreviewedShop.product("b"))
        #expect(await preview.page(PreviewView(), 1..<9).cards.map(\.identifier) == ["b"])
        #expect(await preview.page(PreviewView(), 5..<9).cards.isEmpty)
        #expect(await preview.page(PreviewView(), -3..<1).cards.map(\.identifier) == ["a"])
        await preview.shop.close()
    }

    @Test func `units and savings are written for customers in the language of the page`() async throws {
        let preview = try await PreviewedShop.sample("Voyager")
        let coins = try #require(try await preview.card("com.example.voyager.coins50"))
        #expect(coins.credit == "50 coins, $0.02 each")
        #expect(coins.sale.button == "$0.99" && coins.badges.isEmpty)
        let german = PreviewView(language: "de", storefront: "DEU")
        let bundle = try #require(try await preview.card("com.example.voyager.iberia", german))
        #expect(bundle.badges.contains { $0.hasSuffix("% sparen") }, "\(bundle.badges)")
        #expect(await preview.page(german).phrases[.products] == "Produkte")
        await preview.shop.close()
    }

    @Test(arguments: [
        ("title", ProductFilter(text: "LISBON"), ["lisbon"]), ("accent", ProductFilter(text: "lísbon"), ["lisbon"]),
        ("identifier", ProductFilter(text: "coins5"), ["coins50", "coins500"]),
        ("owned", ProductFilter(state: .owned), ["lisbon"]),
        ("both", ProductFilter(text: "coins500", state: .buyable), ["coins500"]),
        ("none", ProductFilter(text: "coins", state: .owned), []),
    ])
    func `a filter finds products by title, identifier and state`(id: String, filter: ProductFilter, found: [String])
        async throws
    {
        let preview = try await PreviewedShop.sample("Voyager")
        try await preview.perform(.buy(product: "com.example.voyager.lisbon", quantity: 1))
        let page = await preview.shop.page(PreviewView(), products: 0..<100, filter: filter)
        #expect(page.cards.map(\.identifier) == found.map { "com.example.voyager.\($0)" })
        #expect(page.productCount == found.count && page.totalCount == 12 && page.featured.isEmpty)
        await preview.shop.close()
    }

    @Test func `each page of a catalog with 10,000 products has the requested cards`() async throws {
        let products = (0..<10_000).map { PreviewedShop.product("p\($0)", title: "Product \($0)") }.joined()
        let preview = try await PreviewedShop.of(products)
        let views = [PreviewView(), PreviewView(language: "de", storefront: "DEU")]
        for view in views { #expect(await preview.page(view, 0..<100).productCount == 10_000) }
        for start in stride(from: 0, to: 10_000, by: 500) {
            for view in views {
                let page = await preview.page(view, start..<start + 100)
                #expect(page.cards.first?.title == "Product \(start)" && page.cards.count == 100)
            }
        }
        await preview.shop.close()
    }
}
