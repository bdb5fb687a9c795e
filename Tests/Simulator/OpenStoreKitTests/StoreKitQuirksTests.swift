import Crypto
import OpenStoreKitTest
import Testing
import VitrineStoreSimulator
import VitrineTestSupport

/// Simulated behaviors that differ between StoreKit versions, and the isolation of sessions from each other.
@Suite(.isolatedStoreKit, .hangLimit) struct StoreKitQuirksTests {
    @Test func `a new purchase is missing in the first listing if the store simulates late listings`() async throws {
        _ = try SKTestSession.club { $0.quirks = .lateListings }
        let map = try await buy("map")
        #expect(await Transaction.currentEntitlements.all().isEmpty)
        #expect(try await Transaction.currentEntitlements.verified() == [map])
    }

    @Test func `a simulated store can send each update twice and also send the app's own purchases as updates`()
        async throws
    {
        let session = try SKTestSession.club { $0.quirks = [.announcesTwice, .announcesOwnPurchases] }
        var updates = Transaction.updates.makeAsyncIterator()
        let map = try await buy("map")
        #expect(try await updates.verified() == map)
        let pass = try await session.buyProduct(identifier: "pass")
        #expect(try await updates.verified() == pass)
        #expect(try await updates.verified() == pass)
    }

    @Test func `a simulated store can report a renewing subscription as expired before it reports the renewal`()
        async throws
    {
        let session = try SKTestSession.club { $0.quirks = .expiresBeforeRenewing }
        let gold = try await buy("club.gold")
        #expect(try await status().state == .subscribed)
        var statuses = Product.SubscriptionInfo.Status.updates.makeAsyncIterator()
        try session.forceRenewalOfSubscription(productIdentifier: "club.gold")
        #expect(await statuses.next()?.state == .expired)
        #expect(await statuses.next()?.state == .subscribed)
        #expect(try await status().state == .expired)
        #expect(try await status().state == .subscribed)
        #expect(try await status().transaction.payloadValue.id != gold.id)
    }

    @Test func `a simulated status error is thrown, or leaves the statuses empty`() async throws {
        for quirks in [[], .hidesStatusErrors] as [StoreQuirks] {
            let session = try SKTestSession.club { $0.quirks = quirks }
            try await session.run {
                try await buy("club.gold")
                try await session.setSimulatedError(.generic(.notEntitled), forAPI: .subscriptionStatus)
                if quirks.isEmpty {
                    await #expect(throws: StoreKitError.self) { try await status() }
                } else {
                    #expect(try await Product.SubscriptionInfo.status(for: "club").isEmpty)
                }
                try await session.setSimulatedError(nil, forAPI: .subscriptionStatus)
                #expect(try await status().state == .subscribed)
            }
        }
    }

    @Test func `a shuffled listing contains all transactions in varying order`() async throws {
        let session = try SKTestSession.club { $0.quirks = .shuffled }
        for _ in 1...6 { try await session.buyProduct(identifier: "pass") }
        var orders: Set<[UInt64]> = []
        for _ in 1...8 { orders.insert(try await Transaction.all.verified().map(\.id)) }
        #expect(orders.count > 1)
        #expect(Set(orders.map(Set.init)).count == 1)
    }

    @Test func `two test sessions do not see each other's transactions`() async throws {
        let (first, second) = (try SKTestSession.club { $0.seed = 8 }, try SKTestSession.club { $0.seed = 9 })
        try await first.run {
            try await buy("map")
            try await second.run {
                #expect(await Transaction.all.all().isEmpty)
                try await buy("pass")
            }
            #expect(try await Transaction.all.products() == ["map"])
            let child = Task { try await Transaction.all.products() }
            #expect(try await child.value == ["map"])
        }
        #expect(first.allTransactions().map(\.productIdentifier) == ["map"])
        #expect(second.allTransactions().map(\.productIdentifier) == ["pass"])
    }

    @Test func `two devices of a customer share purchases, and each device finishes them separately`() async throws {
        let session = try SKTestSession.club()
        let tablet = try session.device("tablet")
        let map = try await buy("map")
        await map.finish()
        try await tablet.run {
            let (owned, unfinished) = (
                try await Transaction.currentEntitlements.products(), try await Transaction.unfinished.products()
            )
            #expect((owned, unfinished) == (["map"], ["map"]))
        }
    }

    @Test func `StoreKit calls without a simulated store throw an error or return no result, and do not trap`()
        async throws
    {
        for call in [
            { _ = try await Product.products(for: ["map"]) }, { _ = try await AppTransaction.shared },
            { try await AppStore.sync() }, { _ = try await Product.SubscriptionInfo.status(for: "club") },
            { _ = try await Product.PromotionInfo.currentOrder },
        ] as [@Sendable () async throws -> Void] {
            let error = await #expect(throws: StoreKitError.self) { try await call() }
            guard case .unsupported? = error else {
                Issue.record("\(String(describing: error))")
                return
            }
        }
        #expect(await Transaction.all.all().isEmpty)
        #expect(await Transaction.latest(for: "map") == nil)
        #expect(await Storefront.current == nil)
        #expect(!AppStore.canMakePayments)
        #expect(AppStore.deviceVerificationID == nil)
    }

    @Test func `an app uses a simulated store without a test session`() async throws {
        let configuration = try Data(contentsOf: Repository.sample("Club.storekit"))
        let store = try SimulatedStore.inMemory(configuration: configuration, bundleIdentifier: "com.example.club")
        try await OpenStore.with(store) {
            let map = try await buy("map")
            #expect(map.environment == .sandbox)
            #expect(AppStore.canMakePayments)
            try await store.setPaymentRestriction("Screen Time")
            #expect(!AppStore.canMakePayments)
        }
        #expect(try await store.transactions().map(\.productIdentifier) == ["map"])
    }

    @Test func `a transaction's device verification value is the hash of its nonce and the device identifier`()
        async throws
    {
        _ = try SKTestSession.club()
        let result = try #require(try await Transaction.latest(for: buy("map").productID))
        let device = try #require(AppStore.deviceVerificationID)
        let text = result.deviceVerificationNonce.uuidString.lowercased() + device.uuidString.lowercased()
        #expect(result.deviceVerification == Data(SHA384.hash(data: Data(text.utf8))))
        #expect(result.jwsRepresentation.split(separator: ".").count == 3)
        #expect(result.signature.rawRepresentation == result.signatureData)
        #expect(String(decoding: result.payloadData, as: UTF8.self).contains("\"environment\":\"Xcode\""))
        #expect(String(decoding: result.headerData, as: UTF8.self).contains("ES256"))
        #expect(result.jwsRepresentation.hasPrefix(String(decoding: result.signedData, as: UTF8.self)))
    }

    @Test func `a promoted purchase arrives as a purchase intent`() async throws {
        let configuration = try Data(contentsOf: Repository.sample("Club.storekit"))
        let store = try SimulatedStore.inMemory(configuration: configuration, bundleIdentifier: "com.example.club")
        try await OpenStore.with(store) {
            var intents = PurchaseIntent.intents.makeAsyncIterator()
            try await store.promote("map")
            let intent = try #require(await intents.next())
            #expect((intent.id, intent.offer) == ("map", nil))
            _ = try await intent.product.purchase()
            #expect(try await Transaction.all.products() == ["map"])
        }
    }

    @Test func `promoted products have the order and visibility that the app sets`() async throws {
        _ = try SKTestSession.club()
        try await Product.PromotionInfo.updateProductOrder(byID: ["pass", "map"])
        try await Product.PromotionInfo.updateProductVisibility(.hidden, for: "map")
        var order = try await Product.PromotionInfo.currentOrder
        #expect(order.map(\.productID) == ["pass", "map"])
        #expect(order.map(\.visibility) == [.appStoreConnectDefault, .hidden])
        order[1].visibility = .visible
        try await order[1].update()
        try await Product.PromotionInfo.updateProductOrder(byID: ["map"])
        #expect(try await Product.PromotionInfo.currentOrder.map(\.visibility) == [.visible, .appStoreConnectDefault])
        try await Product.PromotionInfo.updateAll([])
        #expect(try await Product.PromotionInfo.currentOrder.isEmpty)
    }
}
