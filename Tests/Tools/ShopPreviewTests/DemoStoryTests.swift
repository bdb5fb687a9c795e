import Foundation
import Testing
import VitrineShopPreview
import VitrineTestSupport

struct DemoStoryTests {
    private func voyager(_ name: String) -> String { "com.example.voyager.\(name)" }

    @Test func `the shop preview plays the demo scenario from the first purchase to the refund of the bundle`()
        async throws
    {
        let preview = try await PreviewedShop.sample("Voyager", content: Repository.samplePackages)
        let opened = await preview.page()
        #expect(opened.productCount == 12 && opened.timeline.map(\.result) == ["12 products, 10 for sale"])
        #expect(opened.timeline[0].events.contains("catalog updated (count 12)"))
        #expect(opened.cards.map(\.position) == Array(0..<12))

        let build = try await preview.perform(.originalBuild("150"))
        #expect(build?.outcome == .done)
        #expect(
            build?.events.contains { $0.hasPrefix("original purchase of the app known: installed as build 150") }
                == true)
        #expect(try await preview.card(voyager("premium"))?.state == .owned)
        #expect(await preview.shop.why(voyager("premium"))[1].contains("requires a build before 200"))

        let rome = try await preview.perform(.buy(product: voyager("rome"), quantity: 1))
        #expect(rome?.title == "Buy Rome Guide")
        #expect(rome?.result.hasPrefix("bought \(voyager("rome")) (transaction ") == true)
        #expect(rome?.events.contains("content installed: \(voyager("rome")) (version 1.0)") == true)
        let content = try await preview.card(voyager("rome"))?.content
        #expect(content?.fraction == 1 && content?.canRemove == true && content?.canDownload == false)

        try await preview.perform(
            .buy(product: voyager("coins50"), quantity: 1), .buy(product: voyager("coins500"), quantity: 1))
        let spent = try await preview.perform(.spend(wallet: "coins", units: 30))
        #expect(spent?.result == "spent 30 of coins; 520 left")
        #expect(await preview.page().wallets.map(\.balance) == [520])

        try await preview.perform(
            .buy(product: voyager("lisbon"), quantity: 1), .buy(product: voyager("porto"), quantity: 1))
        let iberia = try await preview.perform(.buy(product: voyager("iberia"), quantity: 1))
        #expect(iberia?.outcome == .refused && iberia?.result.contains("maxChildren is 2") == true)
        let card = try #require(try await preview.card(voyager("iberia")))
        #expect(card.bundle?.count == 3 && card.bundle?.ownedCount == 2)
        #expect(card.bundle?.children.map(\.isOwned) == [true, true, false])
        guard case .notOffered(let reason) = card.state else {
            Issue.record("\(card.state)")
            return
        }
        #expect(reason.contains("maxChildren is 2"))

        try await preview.perform(.buy(product: voyager("everything"), quantity: 1))
        #expect(try await preview.card(voyager("madrid"))?.state == .owned)
        let why = await preview.shop.why(voyager("madrid"))
        #expect(why[0] == "\(voyager("madrid")) is owned:" && why[1].contains("included in \(voyager("iberia"))"))

        let transactions = await preview.page().transactions
        #expect(transactions.count == 6 && transactions[0].product == voyager("everything"))
        let refund = try await preview.perform(.refund(transaction: transactions[0].identifier))
        #expect(refund?.outcome == .done)
        #expect(refund?.events.contains { $0.hasPrefix("ownership changed: ") } == true)
        let after = await preview.page()
        #expect(after.transactions[0].state == "refunded" && !after.transactions[0].canBeRefunded)
        #expect(after.transactions[0].order?.wholeMatch(of: /M[0-9A-Z]{9,}/) != nil)
        #expect(
            after.cards.filter { $0.state == .owned }.map(\.identifier)
                == ["lisbon", "porto", "rome", "premium"].map(voyager))
        #expect(await preview.shop.why(voyager("athens")).contains { $0.contains("revoked on 2030-01-15") })
        #expect(try await preview.card(voyager("athens"))?.content?.state == "no longer owned: withheld")
        await preview.shop.close()
        #expect(!preview.folder.has("Preview"))
    }

    @Test func `an Ask to Buy purchase is pending until it is approved or declined`() async throws {
        let preview = try await PreviewedShop.sample("Voyager", content: Repository.samplePackages)
        try await preview.perform(.askToBuy(isOn: true))
        let asked = try await preview.perform(.buy(product: voyager("lisbon"), quantity: 1))
        #expect(asked?.outcome == .waiting && asked?.result == "waits: approval is required")
        var page = await preview.page()
        #expect(page.asksToBuy && page.pending.map(\.product) == [voyager("lisbon")])
        #expect(page.cards[0].state == .pending)
        let approved = try await preview.perform(.approve(transaction: page.pending[0].identifier))
        #expect(
            approved?.events.contains { $0.hasPrefix("purchase completed: \(voyager("lisbon")) (transaction ") } == true
        )
        page = await preview.page()
        #expect(page.pending.isEmpty && page.cards[0].state == .owned)

        try await preview.perform(.buy(product: voyager("porto"), quantity: 1))
        let declined = try await preview.perform(.decline(transaction: await preview.page().pending[0].identifier))
        #expect(declined?.outcome == .done)
        #expect(await preview.page().pending.isEmpty)
        await preview.shop.close()
    }

    @Test func `a purchase without a network has an unknown outcome, and succeeds once the network is back`()
        async throws
    {
        let preview = try await PreviewedShop.sample("Voyager", content: Repository.samplePackages)
        try await preview.perform(.network(isOn: false))
        let unanswered = try await preview.perform(.buy(product: voyager("lisbon"), quantity: 1))
        #expect(unanswered?.outcome == .waiting && unanswered?.result.contains("outcome is unknown") == true)
        #expect(await preview.page().hasNetwork == false)
        let back = try await preview.perform(.network(isOn: true), .buy(product: voyager("lisbon"), quantity: 1))
        #expect(back?.outcome == .done)
        #expect(await preview.page().hasNetwork)
        await preview.shop.close()
    }

    @Test func `hosted content can be removed in the shop preview and downloaded again`() async throws {
        let preview = try await PreviewedShop.sample("Voyager", content: Repository.samplePackages)
        try await preview.perform(
            .buy(product: voyager("rome"), quantity: 1), .removeContent(product: voyager("rome")))
        let removed = try await preview.card(voyager("rome"))?.content
        #expect(removed?.canDownload == true && removed?.fraction == 0)
        let step = try await preview.perform(.download(product: voyager("rome")))
        #expect(step?.events.contains { $0.hasPrefix("content installed") } == true)
        #expect(try await preview.card(voyager("rome"))?.content?.installedCount == 1)
        let refused = try await preview.perform(.download(product: voyager("athens")))
        #expect(refused?.outcome == .failed)
        await preview.shop.close()
    }

    @Test
    func `the shop preview shows a subscription's trial, renewal, downgrade and unconfirmed renewal while offline`()
        async throws
    {
        let preview = try await PreviewedShop.sample("Club")
        let gold = try #require(try await preview.card("club.gold"))
        #expect(gold.terms?.offer != nil && gold.badges.contains("Free trial"))
        #expect(gold.price == "$9.99 a month")
        try await preview.perform(.buy(product: "club.gold", quantity: 1))
        var page = await preview.page()
        #expect(page.subscriptions.map(\.product) == ["club.gold"] && page.subscriptions[0].isActive)
        #expect(page.subscriptions[0].text.hasPrefix("subscribed, renews on 2030-01-22 00:00 UTC for 9.99 USD"))
        #expect(try #require(try await preview.card("club.gold")?.terms).offer == nil)

        let renewed = try await preview.perform(.advance(seconds: 10 * 86_400))
        #expect(renewed?.result.hasPrefix("the clock shows 2030-01-25 00:00:00 UTC; renewed club.gold") == true)
        #expect(
            renewed?.events.contains { $0.hasPrefix("subscription changed: club.gold (state subscribed, ") } == true)
        let planned = try await preview.perform(.buy(product: "club.silver", quantity: 1))
        #expect(planned?.outcome == .waiting)
        try await preview.perform(.network(isOn: false), .advance(seconds: 34 * 86_400))
        page = await preview.page()
        #expect(page.clockText == "2030-02-28 00:00 UTC")
        #expect(page.subscriptions[0].text.contains("has not yet confirmed the renewal"))
        try await preview.perform(.network(isOn: true))
        page = await preview.page()
        #expect(page.subscriptions.contains { $0.product == "club.silver" && $0.isActive })
        let cancelled = try await preview.perform(.renewal(product: "club.silver", isOn: false))
        #expect(cancelled?.outcome == .done)
        #expect(await preview.page().subscriptions.contains { $0.isRenewing == false })
        await preview.shop.close()
    }
}
