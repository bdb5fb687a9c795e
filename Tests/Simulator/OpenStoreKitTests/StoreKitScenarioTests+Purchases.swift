import OpenStoreKitTest
import Testing

/// Products and purchases.
extension StoreKitScenarioTests {
    @Test func `loading products omits unknown identifiers and returns a repeated identifier once`() async throws {
        _ = try SKTestSession.club()
        #expect(try await Product.products(for: ["map", "unknown", "map"]).map(\.id) == ["map"])
    }

    @Test func `a canceled task loads no products and throws no error`() async throws {
        _ = try SKTestSession.club()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Product.products(for: ["map"])
        }
        #expect(try await task.value.isEmpty)
    }

    @Test func `loading products fails until the simulated error is removed`() async throws {
        let session = try SKTestSession.club()
        let error = StoreKitError.networkError(URLError(.notConnectedToInternet))
        try await session.setSimulatedError(.generic(error), forAPI: .loadProducts)
        #expect(await session.simulatedError(forAPI: .loadProducts) == .generic(error))
        let thrown = await #expect(throws: StoreKitError.self) { try await Product.products(for: ["map"]) }
        guard case .networkError(let cause)? = thrown else {
            Issue.record("\(String(describing: thrown))")
            return
        }
        #expect(cause.code == .notConnectedToInternet)

        try await session.setSimulatedError(nil, forAPI: .loadProducts)
        #expect(await session.simulatedError(forAPI: .loadProducts) == nil)
        #expect(try await Product.products(for: ["map"]).count == 1)
    }

    @Test func `the transaction of a bought non-consumable has its product, price, date and storefront`() async throws {
        _ = try SKTestSession.club()
        let map = try await buy("map")

        #expect((map.reason, map.environment, map.purchasedQuantity) == (.purchase, .xcode, 1))
        #expect(map.id == map.originalID)
        #expect((map.productID, map.productType, map.appBundleID) == ("map", .nonConsumable, "com.example.club"))
        #expect((map.purchaseDate, map.originalPurchaseDate) == (SKTestSession.start, SKTestSession.start))
        #expect((map.price, map.currency?.identifier) == (Decimal(string: "4.99"), "USD"))
        #expect((map.storefront.countryCode, map.ownershipType) == ("USA", .purchased))
        #expect((map.expirationDate, map.revocationDate, map.subscriptionGroupID) == (nil, nil, nil))
    }

    @Test func `a purchase is immediately in all lists of transactions`() async throws {
        _ = try SKTestSession.club()
        let map = try await buy("map")

        #expect(try await Transaction.currentEntitlements.verified() == [map])
        #expect(try await Transaction.all.verified() == [map])
        #expect(try await Transaction.latest(for: "map")?.payloadValue == map)
        #expect(try await product("map").latestTransaction?.payloadValue == map)
        #expect(try await product("map").currentEntitlements.verified() == [map])
    }

    @Test func `the app's own purchase is not delivered as an update`() async throws {
        let session = try SKTestSession.club()
        var updates = Transaction.updates.makeAsyncIterator()
        try await buy("map")
        let elsewhere = try await session.buyProduct(identifier: "pass")
        #expect(try await updates.verified() == elsewhere)
    }

    @Test func `buying an owned non-consumable again returns the first transaction`() async throws {
        let session = try SKTestSession.club()
        let first = try await buy("map")
        try session.advance(by: 3_600)
        let second = try await buy("map")

        #expect(second == first)
        #expect(second.purchaseDate == SKTestSession.start)
        #expect(await Transaction.all.all().count == 1)
    }

    @Test func `a purchase is listed as unfinished until it is finished`() async throws {
        _ = try SKTestSession.club()
        let map = try await buy("map")
        #expect(try await Transaction.unfinished.verified() == [map])
        await map.finish()
        #expect(await Transaction.unfinished.all().isEmpty)
        #expect(try await Transaction.currentEntitlements.verified() == [map])
    }

    @Test func `unfinished transactions are delivered at each launch until they are finished`() async throws {
        let session = try SKTestSession.club()
        let map = try await buy("map")
        for _ in 1...2 {
            session.relaunch()
            var updates = Transaction.updates.makeAsyncIterator()
            #expect(try await updates.verified() == map)
        }
        await map.finish()
        session.relaunch()
        var updates = Transaction.updates.makeAsyncIterator()
        let elsewhere = try await session.buyProduct(identifier: "pass")
        #expect(try await updates.verified() == elsewhere)
    }

    @Test func `a second listener does not receive unfinished purchases, which are still listed`() async throws {
        let session = try SKTestSession.club()
        let map = try await buy("map")
        session.relaunch()
        var first = Transaction.updates.makeAsyncIterator()
        #expect(try await first.verified() == map)

        var late = Transaction.updates.makeAsyncIterator()
        #expect(try await Transaction.unfinished.verified() == [map])
        let elsewhere = try await session.buyProduct(identifier: "pass")
        #expect(try await late.verified() == elsewhere)
        #expect(try await first.verified() == elsewhere)
    }

    @Test func `finishing a transaction twice is harmless`() async throws {
        _ = try SKTestSession.club()
        let map = try await buy("map")
        await map.finish()
        await map.finish()
        #expect(try await Transaction.all.verified() == [map])
    }

    @Test func `the price of a transaction is the total for its quantity`() async throws {
        _ = try SKTestSession.club()
        let coins = try await buy("coins", .quantity(3))
        #expect((coins.purchasedQuantity, coins.price) == (3, Decimal(string: "2.97")))
    }

    @Test(arguments: [("coins", 0), ("coins", 11), ("map", 2)])
    func `a purchase with an invalid quantity is refused`(id: String, quantity: Int) async throws {
        _ = try SKTestSession.club()
        await #expect(throws: Product.PurchaseError.invalidQuantity) { try await buy(id, .quantity(quantity)) }
        #expect(await Transaction.all.all().isEmpty)
    }

    @Test func `a finished consumable is not in the lists of transactions`() async throws {
        _ = try SKTestSession.club()
        let coins = try await buy("coins")
        #expect(try await Transaction.all.verified() == [coins])
        await coins.finish()
        #expect(await Transaction.all.all().isEmpty)
        #expect(await Transaction.latest(for: "coins") == nil)
        #expect(await Transaction.currentEntitlements.all().isEmpty)
    }

    @Test func `a finished consumable is in the list of transactions if the app includes the consumable history`()
        async throws
    {
        _ = try SKTestSession.club { $0.includesConsumableHistory = true }
        let coins = try await buy("coins")
        await coins.finish()
        #expect(try await Transaction.all.verified() == [coins])
        #expect(try await Transaction.latest(for: "coins")?.payloadValue == coins)
        #expect(await Transaction.currentEntitlements.all().isEmpty)
    }

    @Test func `a refunded consumable is in the list of transactions and delivered as an update`() async throws {
        let session = try SKTestSession.club()
        let coins = try await buy("coins")
        await coins.finish()
        var updates = Transaction.updates.makeAsyncIterator()
        try session.refundTransaction(identifier: UInt(coins.id))

        let refunded = try await updates.verified()
        #expect((refunded.id, refunded.revocationDate) == (coins.id, SKTestSession.start))
        #expect((refunded.revocationReason, refunded.revocationType) == (.other, .fullRefund))
        #expect(refunded.revocationPercentage == 100)
        #expect(try await Transaction.all.verified() == [refunded])
    }

    @Test func `buying a consumable again returns the unfinished transaction until it is finished`() async throws {
        _ = try SKTestSession.club()
        let first = try await buy("coins")
        #expect(try await buy("coins") == first)
        await first.finish()
        #expect(try await buy("coins") != first)
    }

    @Test func `the account token of a subscription is in its purchase and its renewals`() async throws {
        let session = try SKTestSession.club()
        let token = UUID()
        let first = try await buy("club.silver", .appAccountToken(token))
        try session.forceRenewalOfSubscription(productIdentifier: "club.silver")
        let second = try #require(await Transaction.latest(for: "club.silver")).payloadValue
        #expect((first.appAccountToken, second.appAccountToken) == (token, token))
        #expect(second.id != first.id)
        #expect(try await renewal().appAccountToken == token)
    }

    @Test func `a purchase that the customer cancels in the dialog returns userCancelled`() async throws {
        let session = try SKTestSession.club()
        session.disableDialogs = false
        session.answerDialogs { $0 != .purchase(productID: "map") }
        let result = try await product("map").purchase()
        guard case .userCancelled = result else {
            Issue.record("\(result)")
            return
        }
        try await buy("pass")
        session.disableDialogs = true
        try await buy("map")
    }

    @Test(arguments: [Product.PurchaseError.purchaseNotAllowed, .productUnavailable])
    func `a purchase fails until the simulated error is removed`(error: Product.PurchaseError) async throws {
        let session = try SKTestSession.club()
        try await session.setSimulatedError(.purchase(error), forAPI: .purchase)
        await #expect(throws: error) { try await buy("map") }
        #expect(await Transaction.all.all().isEmpty)
        try await session.setSimulatedError(nil, forAPI: .purchase)
        try await buy("map")
    }

    @Test func `a purchase with failing verification is made, but is unverified in all listings`() async throws {
        let session = try SKTestSession.club()
        try await session.setSimulatedError(.verification(.invalidSignature), forAPI: .verification)
        let result = try await product("map").purchase()
        guard case .success(let map) = result, case .unverified(let transaction, .invalidSignature) = map else {
            Issue.record("\(result)")
            return
        }
        #expect(transaction.productID == "map")
        #expect(map.unsafePayloadValue == transaction)
        #expect(throws: VerificationResult<Transaction>.VerificationError.invalidSignature) { try map.payloadValue }
        for listing in [Transaction.all, Transaction.currentEntitlements, Transaction.unfinished] {
            guard case .unverified? = await listing.all().first else {
                Issue.record("a listing has a verified transaction, or none")
                continue
            }
        }
        try await session.setSimulatedError(nil, forAPI: .verification)
        #expect(try await Transaction.all.products() == ["map"])
    }

    @Test func `purchases fail with the failure error that the test session sets`() async throws {
        let session = try SKTestSession.club()
        session.failTransactionsEnabled = true
        let error = await #expect(throws: StoreKitError.self) { try await buy("map") }
        guard case .unknown? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        session.failureError = .invalidSignature
        await #expect(throws: Product.PurchaseError.invalidOfferSignature) { try await buy("map") }
        session.failTransactionsEnabled = false
        try await buy("map")
    }
}
