import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Contract of `Store`, which the simulated store and the StoreKit adapter fulfill, on one device and on two.
@Suite(.hangLimit) struct StoreContractTests {
    @Test(arguments: Shop.Arrangement.all)
    func `products that the store sells are returned, and unknown identifiers are omitted`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        let products = try await shop.store.products(for: ["map", "nothing", "club.gold", "map"])
        #expect(Set(products.map(\.identifier)) == ["map", "club.gold"])
        #expect(products.count == 2)
        #expect(try await shop.store.products(for: ["nothing"]).isEmpty)
    }

    @Test func `the StoreKit adapter returns the same product data as the simulated store`() async throws {
        let (simulator, adapter) = (try await Shop(.all[0]), try await Shop(.adapter))
        let products = [
            "coins", "map", "pass", "news", "club.gold", "club.silver", "club.argent", "club.silver.year",
            "club.bronze", "club.week",
        ]
        for shop in [simulator, adapter] {
            // An ended subscription makes its win-back offer available.
            try await shop.buy("club.silver")
            try await shop.device.expire("club.silver")
        }
        let expected = try await simulator.store.products(for: products)
        #expect(expected.count == products.count)
        let adapted = try await adapter.store.products(for: products)
        #expect(adapted.count == expected.count)
        for (product, simulated) in zip(adapted, expected) where product != simulated {
            // StoreKit states the whole length of an offer that is paid up front.
            let (offers, others) = (product.subscription?.promotionalOffers, simulated.subscription?.promotionalOffers)
            #expect(product.identifier == "club.gold")
            #expect(offers?.map(\.period.description) == ["P3M"])
            #expect(offers?.map(\.periodCount) == [1])
            #expect(others?.map(\.period.description) == ["P1M"])
            #expect(others?.map(\.periodCount) == [3])
            #expect(offers?.map(\.price) == others?.map(\.price))
        }
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a change of the storefront is reported, and prices are in the new currency`(_ arrangement: Shop.Arrangement)
        async throws
    {
        let shop = try await Shop(arrangement)
        #expect(try await shop.store.storefront() == "USA")
        #expect(try await shop.store.products(for: ["map"])[0].currencyCode == "USD")
        let changes = shop.store.storefrontChanges()
        try await shop.device.setStorefront("DEU")
        #expect(await changes.first { true } != nil)
        #expect(try await shop.store.storefront() == "DEU")
        let map = try await shop.payload(shop.buy("map"))
        #expect(map.currency == "EUR")
        #expect(try await shop.store.products(for: ["map"])[0].currencyCode == "EUR")
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a new purchase is signed and unfinished, and finishing it twice has no further effect`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        let token = UUID()
        let answer = try await shop.store.purchase("coins", options: PurchaseOptions(quantity: 3, accountToken: token))
        let bought = try #require(answer.transaction)
        #expect(answer == .purchased(bought))
        let payload = try await shop.payload(bought)
        #expect(payload.transactionID == bought.id)
        #expect(payload.quantity == 3)
        #expect(payload.appAccountToken == token)

        #expect(try await shop.store.unfinishedTransactions().map(\.id) == [bought.id])
        try await shop.store.finish(bought)
        try await shop.store.finish(bought)
        #expect(try await shop.store.unfinishedTransactions().isEmpty)
        #expect(try await shop.store.knownTransactions().isEmpty)
        #expect(try await shop.buy("coins").id != bought.id)
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a transaction of an earlier launch of the app can be finished`(_ arrangement: Shop.Arrangement) async throws {
        let shop = try await Shop(arrangement)
        let bought = try await shop.buy("coins")
        try await shop.relaunched().finish(bought)
        #expect(try await shop.store.unfinishedTransactions().isEmpty)
    }

    @Test(arguments: Shop.Arrangement.all)
    func `finishing an unknown transaction is harmless`(_ arrangement: Shop.Arrangement) async throws {
        let shop = try await Shop(arrangement)
        let bought = try await shop.buy("coins")
        for id in ["99", "", "x"] {
            try await shop.store.finish(StoreTransaction(id: id, signedData: "a.b.c"))
            try await shop.store.finish(StoreTransaction(id: id, signedData: bought.signedData + id))
        }
        #expect(try await shop.store.unfinishedTransactions().map(\.id) == [bought.id])
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a refused purchase reports the reason, and no product is bought`(_ arrangement: Shop.Arrangement) async throws
    {
        let shop = try await Shop(arrangement)
        for (product, quantity, code) in [
            ("coins", 0, StoreErrorCode.invalidQuantity), ("coins", 11, .invalidQuantity),
            ("map", 2, .invalidQuantity), ("nothing", 1, .productNotAvailable),
        ] {
            let error = await #expect(throws: StoreError.self) {
                try await shop.store.purchase(product, quantity: quantity)
            }
            #expect(error?.code == code)
            #expect(error?.isOutcomeKnown == true)
        }
        try await shop.device.setPaymentRestriction("a child may not buy")
        #expect(await shop.store.paymentRestriction() != nil)
        let error = await #expect(throws: StoreError.self) { try await shop.store.purchase("map", quantity: 1) }
        #expect(error?.code == .notAllowed)
        #expect(try await shop.device.transactions().isEmpty)
    }

    @Test(arguments: Shop.Arrangement.all, ["coins", "map", "club.gold"])
    func `buying an owned product or one with an unfinished purchase returns that transaction without a charge`(
        _ arrangement: Shop.Arrangement, product: String
    ) async throws {
        let shop = try await Shop(arrangement)
        let first = try await shop.buy(product)
        if product != "coins" { try await shop.store.finish(first) }
        // The queue reads what is unfinished before each purchase.
        let store = try shop.relaunched()
        _ = try await store.unfinishedTransactions()
        let answer = try await store.purchase(product, quantity: 1)
        let second = try #require(answer.transaction)
        #expect(second.id == first.id)
        #expect(answer == .alreadyPurchased(second))
        #expect(try await shop.device.transactions().count == 1)
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a subscription that does not renew can be bought repeatedly`(_ arrangement: Shop.Arrangement) async throws {
        let shop = try await Shop(arrangement)
        let first = try await shop.buy("pass")
        try await shop.store.finish(first)
        let answer = try await shop.store.purchase("pass", quantity: 1)
        #expect(answer.transaction?.id != first.id)
        #expect(answer == answer.transaction.map { .purchased($0) })
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a restore returns owned products, and known transactions also include unfinished and revoked ones`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        for product in ["map", "coins", "club.gold"] { try await shop.store.finish(shop.buy(product)) }
        #expect(try await shop.products(shop.store.restore()) == ["map", "club.gold"])

        let refunded = try await shop.buy("coins")
        try await shop.store.finish(refunded)
        try await shop.device.refund(refunded.id)
        let unfinished = try await shop.buy("coins")
        let known = try await shop.store.knownTransactions()
        let gold = try await shop.device.subscriptions().count
        #expect(gold == 1)
        #expect(Set(try await shop.products(known)) == ["map", "club.gold", "coins"])
        #expect(known.contains { $0.id == unfinished.id })
        #expect(known.count == 4)
    }

    @Test(arguments: Shop.Arrangement.all)
    func `only the latest period of a subscription is restored, with its renewal information`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        try await shop.store.finish(shop.buy("club.gold"))
        for _ in 1...3 { try await shop.device.renew("club.gold") }
        for transaction in try await shop.store.unfinishedTransactions() { try await shop.store.finish(transaction) }
        let latest = try #require(try await shop.device.transactions().last)

        for answer in [
            try await shop.store.restore(), try await shop.store.knownTransactions(),
            try await shop.store.subscriptionTransactions(),
        ] {
            #expect(answer.map(\.id) == [latest.id])
            #expect(try await shop.renewal(answer[0]).autoRenewStatus == .on)
        }
    }

    @Test(arguments: Shop.Arrangement.all)
    func `only the latest of several unfinished periods has renewal information`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        _ = try await shop.buy("club.gold")
        for _ in 1...2 { try await shop.device.renew("club.gold") }

        let unfinished = try await shop.store.unfinishedTransactions()
        #expect(unfinished.map { $0.signedRenewal != nil } == [false, false, true])
    }

    @Test(arguments: Shop.Arrangement.all, ["map", "club.gold"])
    func `a purchase on another device is delivered as an update and is unfinished`(
        _ arrangement: Shop.Arrangement, product: String
    ) async throws {
        let shop = try await Shop(arrangement)
        let (one, two) = (shop.store.updates(), shop.store.updates())
        let id = try await shop.buyElsewhere(product)
        for updates in [one, two] {
            let update = try await updates.next { $0.id == id }
            #expect(try await shop.payload(update).productIdentifier == product)
            #expect((update.signedRenewal != nil) == (product == "club.gold"))
        }
        let unfinished = try await shop.store.unfinishedTransactions()
        #expect(unfinished.map(\.id) == [id])
        try await shop.store.finish(unfinished[0])
        #expect(try await shop.store.unfinishedTransactions().isEmpty)
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a purchase that needs approval is delivered as an update once it is approved`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        try await shop.device.setAsksToBuy(true)
        let updates = shop.store.updates()
        #expect(try await shop.store.purchase("map", quantity: 1) == .pending)
        #expect(try await shop.store.unfinishedTransactions().isEmpty)
        let pending = try #require(try await shop.device.pendingPurchases().first)
        try await shop.device.approve(pending.id)
        _ = try await updates.next { $0.id == pending.id }
        #expect(try await shop.store.unfinishedTransactions().map(\.id) == [pending.id])
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a refund is delivered as an update and is unfinished until the app finishes it`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        let bought = try await shop.buy("map")
        try await shop.store.finish(bought)
        let updates = shop.store.updates()
        try await shop.device.refund(bought.id)
        let revoked = try await updates.next { $0.id == bought.id }
        #expect(try await shop.payload(revoked).revocationDate != nil)
        #expect(try await shop.store.unfinishedTransactions().map(\.id) == [bought.id])
        // Its state before the refund is what an app finishes that has not received the refund.
        try await shop.relaunched().finish(bought)
        #expect(try await shop.store.unfinishedTransactions().map(\.id) == [bought.id])
        try await shop.store.finish(revoked)
        #expect(try await shop.store.unfinishedTransactions().isEmpty)
        #expect(try await shop.store.purchase("map", quantity: 1) != .alreadyPurchased(bought))
    }

    @Test(arguments: Shop.Arrangement.all)
    func `renewals of a subscription and the end of its auto-renewal are delivered as updates`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        let bought = try await shop.buy("club.gold")
        #expect(try await shop.renewal(bought).autoRenewStatus == .on)
        try await shop.store.finish(bought)
        let updates = shop.store.updates()
        let renewed = try #require(try await shop.device.renew("club.gold")).id
        let renewal = try await updates.next { $0.id == renewed }
        #expect(try await shop.payload(renewal).originalTransactionID == bought.id)

        let ending = shop.store.updates()
        try await shop.device.setRenewal(false, of: "club.gold")
        let ended = try await ending.next { $0.id == renewed }
        #expect(try await shop.renewal(ended).autoRenewStatus == .off)
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a downgrade returns the current period, and its renewal information names the lower plan`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        let gold = try await shop.buy("club.gold")
        try await shop.store.finish(gold)
        let answer = try await shop.store.purchase("club.silver", quantity: 1)
        let held = try #require(answer.transaction)
        #expect(answer == .alreadyPurchased(held))
        #expect(held.id == gold.id)
        #expect(try await shop.renewal(held).autoRenewProductIdentifier == "club.silver")
    }

    @Test(arguments: Shop.Arrangement.all)
    func `an upgrade to a higher plan is bought immediately`(_ arrangement: Shop.Arrangement) async throws {
        let shop = try await Shop(arrangement)
        let silver = try await shop.buy("club.silver")
        try await shop.store.finish(silver)
        let answer = try await shop.store.purchase("club.gold", quantity: 1)
        let gold = try #require(answer.transaction)
        #expect(answer == .purchased(gold))
        #expect(try await shop.payload(gold).originalTransactionID == silver.id)
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a purchase that the customer cancels is reported as canceled`(_ arrangement: Shop.Arrangement) async throws {
        let shop = try await Shop(arrangement)
        try await shop.device.fail(.cancelled, times: 1)
        #expect(try await shop.store.purchase("map", quantity: 1) == .cancelled)
        #expect(try await shop.device.transactions().isEmpty)
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a purchase whose answer is lost has an unknown outcome and is listed as unfinished`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        try await shop.device.fail(.lostAnswer, times: 1)
        let error = await #expect(throws: StoreError.self) { try await shop.store.purchase("map", quantity: 1) }
        #expect(error?.isOutcomeKnown == false)
        #expect(try await shop.products(shop.store.unfinishedTransactions()) == ["map"])
    }

    @Test(arguments: Shop.Arrangement.all)
    func `without a network, product requests and purchases fail, and an earlier purchase remains unfinished`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        let bought = try await shop.buy("map")
        _ = try await shop.store.products(for: ["coins"])
        try await shop.device.setOffline(true)
        let products = await #expect(throws: StoreError.self) { try await shop.store.products(for: ["map"]) }
        #expect(products?.code == .network)
        let purchase = await #expect(throws: StoreError.self) { try await shop.store.purchase("coins", quantity: 1) }
        #expect(purchase?.code == .network)
        try await shop.device.setOffline(false)
        #expect(try await shop.store.unfinishedTransactions().map(\.id) == [bought.id])
    }

    @Test(arguments: Shop.Arrangement.all)
    func `queries in a canceled task fail or return all results, never an empty list`(_ arrangement: Shop.Arrangement)
        async throws
    {
        let shop = try await Shop(arrangement)
        try await shop.buy("club.gold")
        let store = shop.store
        let counts = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return [
                try? await store.products(for: ["map"]).count, try? await store.unfinishedTransactions().count,
                try? await store.knownTransactions().count, try? await store.subscriptionTransactions().count,
                try? await store.restore().count,
            ]
        }.value
        // The simulated store refuses to answer, the adapter answers: neither says that there is nothing.
        #expect(counts == Array(repeating: arrangement.isAdapted ? 1 : nil, count: 5))
    }

    @Test(arguments: Shop.Arrangement.all)
    func `the app transaction is signed and names the app's bundle identifier`(_ arrangement: Shop.Arrangement)
        async throws
    {
        let shop = try await Shop(arrangement)
        let signed = try #require(try await shop.store.appTransaction())
        guard case .verified(let app) = try await shop.verifier().verify(appTransaction: signed) else {
            Issue.record("the app transaction is not verified")
            return
        }
        #expect(app.payload.bundleIdentifier == Shop.bundleIdentifier)
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a promoted purchase is delivered, even if the customer began it before the app listens`(
        _ arrangement: Shop.Arrangement
    ) async throws {
        let shop = try await Shop(arrangement)
        try await shop.device.promote("map")
        let promoted = shop.store.promotedPurchases()
        #expect(await promoted.first { _ in true } == PromotedPurchase(productIdentifier: "map"))
        try await shop.buy("map")
    }

    @Test(arguments: Shop.Arrangement.all)
    func `a transaction with an invalid signature is rejected by StoreKit or not verified by the app`(
        _ arrangement: Shop.Arrangement
    )
        async throws
    {
        let shop = try await Shop(arrangement)
        try await shop.device.fail(.verification, times: 1)
        let bought = try await shop.buy("map")
        let isVerified =
            if case .verified = try await shop.verifier().verify(transaction: bought.signedData) { true } else { false }
        #expect(bought.rejection != nil || !isVerified)
    }
}
