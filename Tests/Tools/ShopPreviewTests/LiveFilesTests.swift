import Foundation
import Testing
import VitrineShopPreview
import VitrineSupport
import VitrineTestSupport

struct LiveFilesTests {
    @Test func `a saved catalog is reloaded into the running shop preview, and purchases are retained`() async throws {
        let preview = try await PreviewedShop.sample("Voyager")
        try await preview.perform(.buy(product: "com.example.voyager.lisbon", quantity: 1))
        let catalog = try preview.text(of: "Shop.plist")
        try preview.replace(
            "Shop.plist", by: catalog.replacing("com.example.voyager.athens", with: "com.example.voyager.sparta"))
        await preview.shop.look()
        let page = await preview.page()
        #expect(page.cards.contains { $0.identifier == "com.example.voyager.sparta" })
        #expect(page.cards[0].state == .owned)
        #expect(page.timeline.map(\.kind) == [.opened, .action, .catalogChanged])
        #expect(page.timeline[2].events.contains("catalog updated (count 12)"))
        await preview.shop.close()
    }

    @Test func `a broken catalog leaves the last valid catalog in use, and its file and line are reported`()
        async throws
    {
        let preview = try await PreviewedShop.sample("Voyager")
        let catalog = try preview.text(of: "Shop.plist")
        try preview.replace("Shop.plist", by: catalog.replacing("</array>", with: "</arr>"))
        await preview.shop.look()
        var page = await preview.page()
        #expect(page.productCount == 12)
        #expect(page.fileErrors.map(\.name) == ["Shop.plist"])
        #expect(page.fileErrors.first?.line ?? 0 > 100)

        // Undo works with the last good catalog, too.
        try await preview.shop.goBack(to: 0)
        #expect(await preview.page().productCount == 12)
        try preview.replace("Shop.plist", by: catalog)
        await preview.shop.look()
        page = await preview.page()
        #expect(page.fileErrors.isEmpty && page.productCount == 12)
        await preview.shop.close()
    }

    @Test
    func
        `diagnostics are assigned to their product and line, and are also listed for a catalog without valid products`()
        async throws
    {
        let good = PreviewedShop.product("a.good")
        let preview = try await PreviewedShop.of(
            good + PreviewedShop.product("a.odd", "<key>colour</key><string>red</string>")
                + good.replacing("good", with: "better"))
        var page = await preview.page()
        let finding = try #require(page.findings.first)
        #expect(finding.rule == "unknown-key" && finding.product == "a.odd" && finding.line == 5)
        #expect(page.cards.map(\.findings.count) == [0, 1, 0])
        #expect(page.findingCounts == [finding.severity: 1] && page.dropped.isEmpty)

        try preview.replace("Shop.plist", by: PreviewedShop.catalog("<dict><key>consumable</key><true/></dict>"))
        await preview.shop.look()
        page = await preview.page()
        #expect(page.productCount == 3)
        #expect(page.fileErrors.first?.line != nil)
        #expect(page.findings.contains { $0.severity == .error })
        await preview.shop.close()
    }

    @Test func `a product that an error of the catalog excludes is shown with its finding`() async throws {
        let wrong = PreviewedShop.product("a.wrong").replacing("<false/>", with: "<string>no</string>")
        let preview = try await PreviewedShop.of(PreviewedShop.product("a.good") + wrong)
        let page = await preview.page()
        #expect(page.cards.map(\.identifier) == ["a.good"])
        #expect(page.dropped.map(\.identifier) == ["a.wrong"])
        #expect(page.dropped[0].findings.contains { $0.severity == .error && $0.line == 5 }, "\(page.dropped)")
        await preview.shop.close()
    }

    @Test func `a changed .storekit file replays all actions with its prices and reports actions with another outcome`()
        async throws
    {
        let preview = try await PreviewedShop.sample("Voyager")
        try await preview.perform(
            .buy(product: "com.example.voyager.lisbon", quantity: 1),
            .buy(product: "com.example.voyager.coins50", quantity: 1))
        let before = await preview.page().transactions
        let store = try preview.text(of: "Shop.storekit")
        let price = try #require(await preview.page().cards[0].price)
        let dearer = store.replacing(
            "\"displayPrice\" : \"\(price.dropFirst())\"", with: "\"displayPrice\" : \"77.77\"")
        try preview.replace("Shop.storekit", by: dearer)
        await preview.shop.look()
        let page = await preview.page()
        #expect(page.cards[0].price == "$77.77" && page.cards[0].state == .owned)
        #expect(page.transactions.map(\.identifier) == before.map(\.identifier))
        #expect(page.timeline.map(\.kind) == [.opened, .action, .action, .storeChanged])

        let without = dearer.replacing("com.example.voyager.coins50\"", with: "com.example.voyager.coins51\"")
        try preview.replace("Shop.storekit", by: without)
        await preview.shop.look()
        let last = await preview.page()
        #expect(last.timeline[2].outcome == .refused)
        #expect(last.timeline.count == 4 && last.timeline[3].result.contains("another outcome now: step 2"))
        await preview.shop.close()
    }

    @Test func `a broken .storekit file leaves the last valid store in use, and the file is reported as broken`()
        async throws
    {
        let preview = try await PreviewedShop.sample("Voyager")
        let store = try preview.text(of: "Shop.storekit")
        try preview.replace("Shop.storekit", by: store.replacing("\"products\"", with: "products"))
        await preview.shop.look()
        #expect(await preview.page().fileErrors.map(\.name) == ["Shop.storekit"])
        #expect(try await preview.perform(.buy(product: "com.example.voyager.lisbon", quantity: 1))?.outcome == .done)
        try preview.replace("Shop.storekit", by: store)
        await preview.shop.look()
        #expect(await preview.page().fileErrors.isEmpty)
        await preview.shop.close()
    }

    @Test
    func `the preview of a catalog without a .storekit file sells all its products, including products added later`()
        async throws
    {
        let coins = """
            <dict><key>productIdentifier</key><string>coins</string><key>consumable</key><true/>
            <key>storageKey</key><string>coins</string><key>productValue</key><integer>5</integer></dict>
            """
        let club = """
            <dict><key>productIdentifier</key><string>club</string><key>type</key>
            <string>autoRenewableSubscription</string><key>subscriptionGroup</key><string>Club</string>
            <key>level</key><integer>1</integer></dict>
            """
        let bundle = PreviewedShop.product(
            "all", "<key>childProducts</key><array><string>one</string><string>two</string></array>")
        let products = PreviewedShop.product("one", title: "One") + PreviewedShop.product("two")
        let preview = try await PreviewedShop.of(products + coins + club + bundle)
        var page = await preview.page()
        #expect(page.cards.map(\.state) == Array(repeating: .buyable, count: 5))
        #expect(page.cards[0].title == "One" && page.cards[3].price == "$8.99 a month" && page.storeName == nil)
        for card in page.cards where card.identifier != "all" {
            #expect(try await preview.perform(.buy(product: card.identifier, quantity: 1))?.outcome == .done)
        }
        try preview.replace(
            "Shop.plist", by: PreviewedShop.catalog(products + coins + club + bundle + PreviewedShop.product("three")))
        await preview.shop.look()
        page = await preview.page()
        #expect(page.cards.last?.state == .buyable && page.cards[0].state == .owned)
        #expect(page.wallets.map(\.balance) == [5])
        await preview.shop.close()
    }

    @Test func `the file watcher reloads a catalog that is replaced by renaming another file over it`() async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a"))
        let watching = Task { await preview.shop.watch() }
        var changes = await preview.shop.changes().makeAsyncIterator()
        for number in 1...5 {
            let products = (0...number).map { PreviewedShop.product("p\($0)") }.joined()
            try preview.replace("Shop.plist", by: PreviewedShop.catalog(products))
            while await changes.next() != nil, await preview.page().productCount != number + 1 {}
            #expect(await preview.page().productCount == number + 1)
        }
        #expect(await preview.page().timeline.map(\.kind) == [.opened, .catalogChanged])
        await preview.shop.close()
        await watching.value
        #expect(await changes.next() == nil)
    }

    #if os(Linux)
        @Test func `the file watcher notices a saved catalog without a timer`() async throws {
            let preview = try await PreviewedShop.of(PreviewedShop.product("a"))
            let watching = Task { await preview.shop.watch(checkInterval: .seconds(86_400)) }
            var changes = await preview.shop.changes().makeAsyncIterator()
            let two = PreviewedShop.product("a") + PreviewedShop.product("b")
            try preview.replace("Shop.plist", by: PreviewedShop.catalog(two))
            while await changes.next() != nil, await preview.page().productCount != 2 {}
            let file = try FileHandle(forWritingTo: preview.folder["Shop.plist"])
            let text = Data(PreviewedShop.catalog(two + PreviewedShop.product("c")).utf8)
            try file.write(contentsOf: text)
            try file.close()
            while await changes.next() != nil, await preview.page().productCount != 3 {}
            #expect(await preview.page().productCount == 3)
            await preview.shop.close()
            await watching.value
        }
    #endif

    @Test func `a catalog that is overwritten in place is reloaded once it is complete`() async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a"))
        let file = try FileHandle(forWritingTo: preview.folder["Shop.plist"])
        let text = Data(PreviewedShop.catalog(PreviewedShop.product("b") + PreviewedShop.product("c")).utf8)
        try file.write(contentsOf: text.prefix(100))
        await preview.shop.look()
        try file.write(contentsOf: text.dropFirst(100))
        try file.truncate(atOffset: UInt64(text.count))
        try file.close()
        await preview.shop.look()
        #expect(await preview.page().fileErrors.isEmpty)
        await preview.shop.look()
        #expect(await preview.page().cards.map(\.identifier) == ["b", "c"])
        await preview.shop.close()
    }

    @Test(
        arguments: [
            ("missing", nil, PreviewErrorCode.notFound), ("not a property list", "{", .unusableData),
            ("no good product", PreviewedShop.catalog("<dict/>"), .unusableData),
        ] as [(String, String?, PreviewErrorCode)])
    func `a shop preview does not open without a valid catalog`(id: String, text: String?, code: PreviewErrorCode)
        async throws
    {
        let folder = try TemporaryFolder()
        if let text { try folder.write(text, to: "Shop.plist") }
        let error = await #expect(throws: PreviewError.self) { _ = try await PreviewedShop.open(folder) }
        #expect(error?.code == code && error?.reason.hasPrefix("Shop.plist") == true)
    }
}
