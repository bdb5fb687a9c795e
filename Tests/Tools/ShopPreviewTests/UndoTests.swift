import Foundation
import Testing
import VitrineShopPreview
import VitrineTestSupport

struct UndoTests {
    private static let story: [PreviewAction] = [
        .originalBuild("150"), .buy(product: "com.example.voyager.rome", quantity: 1),
        .buy(product: "com.example.voyager.coins50", quantity: 3), .spend(wallet: "coins", units: 30),
        .askToBuy(isOn: true), .buy(product: "com.example.voyager.lisbon", quantity: 1),
        .advance(seconds: 3_600), .network(isOn: false), .network(isOn: true), .restore,
    ]

    @Test func `undo to any step restores that step's transactions, timeline and product cards in the shop preview`()
        async throws
    {
        let preview = try await PreviewedShop.sample("Voyager", content: Repository.samplePackages)
        var pages = [await preview.page()]
        for action in Self.story {
            try await preview.perform(action)
            pages.append(await preview.page())
        }
        for step in pages.indices.reversed() {
            try await preview.shop.goBack(to: step)
            let (page, before) = (await preview.page(), pages[step])
            #expect(page.transactions == before.transactions, "step \(step)")
            #expect(page.pending == before.pending && page.wallets == before.wallets, "step \(step)")
            #expect(page.cards == before.cards && page.clock == before.clock, "step \(step)")
            #expect(page.timeline.map(\.result) == before.timeline.map(\.result), "step \(step)")
            #expect(page.asksToBuy == before.asksToBuy && page.hasNetwork == before.hasNetwork, "step \(step)")
            #expect(page.revision > before.revision)
        }
        await preview.shop.close()
    }

    @Test func `an action after an undo gets the step number and transaction identifier of the action that was undone`()
        async throws
    {
        let preview = try await PreviewedShop.sample("Voyager")
        try await preview.perform(.buy(product: "com.example.voyager.lisbon", quantity: 1))
        let first = await preview.page().transactions[0].identifier
        try await preview.shop.goBack(to: 0)
        #expect(await preview.page().transactions.isEmpty)
        let step = try await preview.perform(.buy(product: "com.example.voyager.porto", quantity: 1))
        #expect(step?.number == 1)
        #expect(await preview.page().transactions.map(\.identifier) == [first])
        await preview.shop.close()
    }

    @Test(arguments: [-1, 1, .max])
    func `undo to a step of the shop preview that does not exist is refused`(step: Int) async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a"))
        await #expect(throws: PreviewError.self) { try await preview.shop.goBack(to: step) }
        await preview.shop.close()
    }

    @Test func `undo in the shop preview removes the storage directory of the undone state`() async throws {
        let preview = try await PreviewedShop.of(PreviewedShop.product("a"))
        try await preview.shop.goBack(to: 0)
        let folders = try FileManager.default.contentsOfDirectory(
            atPath: preview.folder["Preview"].path(percentEncoded: false))
        #expect(folders.count == 1)
        await preview.shop.close()
        await #expect(throws: PreviewError.self) { try await preview.shop.perform(.restore) }
    }

    @Test func `concurrent actions of the shop preview are performed one after another`() async throws {
        let preview = try await PreviewedShop.sample("Voyager")
        await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { try await preview.perform(.buy(product: "com.example.voyager.coins50", quantity: 1)) }
            }
        }
        let page = await preview.page()
        #expect(page.timeline.map(\.number) == Array(0...8))
        #expect(page.wallets[0].balance == 400)
        await preview.shop.close()
    }
}
