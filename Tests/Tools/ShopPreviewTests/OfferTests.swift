import Foundation
import Testing
import VitrineShopPreview
import VitrineTestSupport

/// Offers, prices and interrupted purchases that the user of a preview chooses.
struct OfferTests {
    @Test func `each offer of a subscription can be chosen in the preview once the customer is eligible for it`()
        async throws
    {
        let preview = try await PreviewedShop.sample("Club")
        let gold = try #require(try await preview.card("club.gold"))
        #expect(gold.offers.map(\.offer) == [.promotional("spring")])
        #expect(gold.offers[0].text == "$19.99 for 3 months, then $9.99 a month")
        let silver = try #require(try await preview.card("club.silver"))
        #expect(silver.offers.map(\.offer) == [.code("summer")])
        #expect(silver.purchase == .buy(product: "club.silver", quantity: 1))

        let redeemed = try await preview.perform(.buyOffer(product: "club.silver", offer: .code("summer")))
        #expect(redeemed?.outcome == .done, "\(redeemed?.result ?? "")")
        #expect(redeemed?.result.hasPrefix("redeemed summer for club.silver (transaction ") == true)
        #expect(await preview.page().subscriptions.map(\.product) == ["club.silver"])
        try await preview.perform(.renewal(product: "club.silver", isOn: false), .advance(seconds: 60 * 86_400))

        let lapsed = try #require(try await preview.card("club.silver"))
        #expect(lapsed.offers.map(\.offer) == [.code("summer")])
        // The button buys what the terms say.
        #expect(lapsed.purchase == .buyOffer(product: "club.silver", offer: .winBack("again")))
        let returned = try await preview.perform(lapsed.purchase)
        #expect(returned?.outcome == .done, "\(returned?.result ?? "")")
        try await preview.perform(.renewal(product: "club.silver", isOn: false), .advance(seconds: 90 * 86_400))

        let promoted = try await preview.perform(.buyOffer(product: "club.gold", offer: .promotional("spring")))
        #expect(promoted?.outcome == .done, "\(promoted?.result ?? "")")
        let unknown = try await preview.perform(.buyOffer(product: "club.gold", offer: .code("winter")))
        #expect(unknown?.outcome == .refused)
        await preview.shop.close()
    }

    @Test func `a customer of the preview consents to a higher price of a subscription`() async throws {
        let preview = try await PreviewedShop.sample("Club")
        try await preview.perform(.buy(product: "club.silver", quantity: 1))
        #expect(await preview.page().subscriptions.map(\.needsConsent) == [false])
        let amount = Decimal(sign: .plus, exponent: -2, significand: 699)
        let priced = try await preview.perform(.price(product: "club.silver", amount: amount, needsConsent: true))
        #expect(priced?.result == "club.silver costs 6.99, to which subscribers have to consent")
        #expect(try await preview.card("club.silver")?.price == "$6.99 a month")
        #expect(await preview.page().subscriptions.map(\.needsConsent) == [true])
        let agreed = try await preview.perform(.consent(product: "club.silver", isOn: true))
        #expect(agreed?.outcome == .done)
        #expect(await preview.page().subscriptions.map(\.needsConsent) == [false])
        let again = try await preview.perform(.consent(product: "club.silver", isOn: true))
        #expect(again?.outcome == .refused)
        await preview.shop.close()
    }

    @Test func `an interrupted purchase of the preview waits until its issue is resolved`() async throws {
        let preview = try await PreviewedShop.sample("Voyager")
        try await preview.perform(.interruptions(isOn: true))
        let waiting = try await preview.perform(.buy(product: "com.example.voyager.lisbon", quantity: 1))
        #expect(waiting?.outcome == .waiting)
        let page = await preview.page()
        #expect(page.interruptsPurchases && page.pending.map(\.isInterrupted) == [true])
        let resolved = try await preview.perform(.resolve(transaction: page.pending[0].identifier))
        #expect(resolved?.outcome == .done)
        #expect(try await preview.card("com.example.voyager.lisbon")?.state == .owned)
        #expect(await preview.page().pending.isEmpty)
        await preview.shop.close()
    }
}
