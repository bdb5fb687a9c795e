import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Sheets in which a customer manages purchases, shown by the simulated store.
@Suite(.hangLimit) struct StoreSheetTests {
    private let club: ClubScene
    private var store: SimulatedStore { club.store }

    init() async throws { club = try await ClubScene() }

    private func buy(_ product: String, _ manager: CatalogManager) async throws -> String {
        guard case .success(let transaction, _) = await manager.purchase(product) else {
            throw StoreError(code: .unavailable, reason: "\(product) was not bought")
        }
        return transaction.payload.transactionID
    }

    @Test func `a refund that the customer requests is undecided until the store grants it`() async throws {
        let manager = try await club.launch()
        let map = try await buy("map", manager)
        #expect(try await manager.sheets.requestRefund(of: "map") == .submitted)
        #expect(try await store.refundRequests().map(\.transaction) == [map])
        #expect(manager.ownership(of: "map").isOwned)

        try await store.refund(map)
        while manager.ownership(of: "map").isOwned { await Task.yield() }
        await manager.stop()
    }

    @Test func `a refund of a consumable is requested by its transaction`() async throws {
        let manager = try await club.launch()
        let coins = try await buy("coins", manager)
        #expect(try await manager.sheets.requestRefund(ofTransaction: coins) == .submitted)
        #expect(try await store.refundRequests().map(\.transaction) == [coins])
        await manager.stop()
    }

    @Test func `a request for a refund that the customer cancels does not reach the store`() async throws {
        let manager = try await club.launch()
        _ = try await buy("map", manager)
        store.setSheetResponse { _ in false }
        #expect(try await manager.sheets.requestRefund(of: "map") == .cancelled)
        #expect(try await store.refundRequests().isEmpty)
        await manager.stop()
    }

    @Test func `a refund of a product without a purchase is refused before a sheet is shown`() async throws {
        let manager = try await club.launch()
        let shown = Recorder<SimulatedSheet>()
        store.setSheetResponse { sheet in
            shown.record(sheet)
            return true
        }
        let error = await #expect(throws: StoreError.self) { try await manager.sheets.requestRefund(of: "map") }
        #expect(error?.code == .notSubmitted)
        #expect(shown.values.isEmpty)
        await manager.stop()
    }

    @Test func `a renewal that the customer turns off in the sheet is known when the sheet is closed`() async throws {
        let manager = try await club.launch()
        _ = try await buy("club.silver", manager)
        let (store, shown) = (store, Recorder<SimulatedSheet>())
        store.setSheetResponse { sheet in
            shown.record(sheet)
            try await store.setRenewal(false, of: "club.silver")
            return true
        }
        #expect(manager.subscriptions.first?.isRenewing == true)
        try await manager.sheets.manageSubscriptions()
        #expect(manager.subscriptions.first?.isRenewing == false)

        try await manager.sheets.manageSubscriptions(of: "club.gold")
        let group = try #require(manager.listing.first { $0.id == "club.gold" }?.subscription?.group)
        #expect(shown.values == [.manageSubscriptions(group: nil), .manageSubscriptions(group: group)])
        await manager.stop()
    }

    @Test func `a code that the customer redeems in the sheet is delivered like a purchase`() async throws {
        let manager = try await club.launch()
        let store = store
        store.setSheetResponse { sheet in
            #expect(sheet == .redeemOfferCode)
            try await store.redeem("summer", of: "club.silver")
            return true
        }
        try await manager.sheets.redeemOfferCode()
        while !manager.ownership(of: "club.silver").isOwned { await Task.yield() }
        await manager.purchases.deliverUnfinished()
        #expect(try await store.unfinishedTransactions().isEmpty)
        await manager.stop()
    }

    @Test
    func `the store has a message for a price increase that needs consent, and for a renewal that it cannot charge`()
        async throws
    {
        let manager = try await club.launch()
        _ = try await buy("club.silver", manager)
        var messages = manager.sheets.messages().makeAsyncIterator()
        try await store.setPrice(Decimal(99), of: "club.silver", consentRequired: true)
        let increase = try #require(await messages.next())
        #expect(increase.reason == .priceIncreaseConsent)
        try await increase.show()
        try await store.consentToPriceIncrease(true, of: "club.silver")
        try await store.failBilling("club.silver")
        #expect(try await store.renew("club.silver") == nil)
        while true {
            let message = try #require(await messages.next())
            if message.reason == .billingIssue { break }
        }
        await manager.stop()
    }

    @Test(arguments: [
        SimulatedFailure.manageSubscriptionsSheet, .refundRequestSheet, .offerCodeRedeemSheet,
    ])
    func `a sheet that is set to fail throws the store's error, and the next one is shown`(_ failure: SimulatedFailure)
        async throws
    {
        let manager = try await club.launch()
        let map = try await buy("map", manager)
        let store = store
        func show() async throws {
            switch failure {
            case .manageSubscriptionsSheet: try await manager.sheets.manageSubscriptions()
            case .refundRequestSheet: _ = try await manager.sheets.requestRefund(ofTransaction: map)
            default: try await manager.sheets.redeemOfferCode()
            }
        }
        try await store.fail(failure, times: 1)
        await #expect(throws: StoreError.self) { try await show() }
        try await show()
        await manager.stop()
    }

    @Test func `a store without sheets refuses to show one, and has no messages`() async throws {
        let manager = try await CatalogManager(
            catalog: .catalog(Catalog(products: [])), store: PaperStore(selling: [:], now: { ClubScene.start }),
            verifier: PaperVerifier(), home: Home(url: club.folder["home"]))
        let error = await #expect(throws: StoreError.self) { try await manager.sheets.redeemOfferCode() }
        #expect(error?.code == .notSubmitted)
        for await _ in manager.sheets.messages() { Issue.record("a message") }
        await manager.stop()
    }

    @Test func `the class for Objective-C buys, restores and answers what the customer owns`() async throws {
        let manager = try await club.launch()
        let shop = Shop(manager)
        #expect(shop.price(of: "map") != nil)
        #expect(await shop.buy("map") == nil)
        #expect(shop.owns("map"))
        #expect(await shop.buy("elsewhere") != nil)
        try await shop.restore()
        await manager.stop()
    }

    @Test func `the actions of the article return a text only for what the customer has to know`() async throws {
        let manager = try await club.launch()
        let actions = AccountActions(manager: manager)
        #expect(await actions.manageSubscription("club.silver") == nil)
        #expect(await actions.redeemOfferCode() == nil)
        let failed = StoreErrorCode.notSubmitted.customerText(for: Locale.preferredLanguages)
        #expect(await actions.requestRefund(of: "map") == failed)
        _ = try await buy("map", manager)
        #expect(await actions.requestRefund(of: "map") == "Your request was sent. The App Store answers by mail.")
        await manager.stop()
    }
}
