import OpenStoreKitTest
import Testing

/// Products and purchases.
extension StoreKitScenarioTests {
    @Test func `1: unknown identifiers are left out, and repeated ones are one`() async throws {
        _ = try SKTestSession.club()
        #expect(try await Product.products(for: ["map", "unknown", "map"]).map(\.id) == ["map"])
    }

    @Test func `2: a cancelled task loads nothing, without an error`() async throws {
        _ = try SKTestSession.club()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await Product.products(for: ["map"])
        }
        #expect(try await task.value.isEmpty)
    }

    @Test func `3: products fail until the error is removed`() async throws {
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

    @Test func `4: a non-consumable is bought`() async throws {
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

    @Test func `5: a purchase is listed at once`() async throws {
        _ = try SKTestSession.club()
        let map = try await buy("map")

        #expect(try await Transaction.currentEntitlements.verified() == [map])
        #expect(try await Transaction.all.verified() == [map])
        #expect(try await Transaction.latest(for: "map")?.payloadValue == map)
        #expect(try await product("map").latestTransaction?.payloadValue == map)
        #expect(try await product("map").currentEntitlements.verified() == [map])
    }

    @Test func `6: the app's own purchase is no update`() async throws {
        let session = try SKTestSession.club()
        var updates = Transaction.updates.makeAsyncIterator()
        try await buy("map")
        let elsewhere = try await session.buyProduct(identifier: "pass")
        #expect(try await updates.verified() == elsewhere)
    }

    @Test func `7: a non-consumable that is owned is not sold again`() async throws {
        let session = try SKTestSession.club()
        let first = try await buy("map")
        try session.advance(by: 3_600)
        let second = try await buy("map")

        #expect(second == first)
        #expect(second.purchaseDate == SKTestSession.start)
        #expect(await Transaction.all.all().count == 1)
    }

    @Test func `8: a purchase is unfinished until it is finished`() async throws {
        _ = try SKTestSession.club()
        let map = try await buy("map")
        #expect(try await Transaction.unfinished.verified() == [map])
        await map.finish()
        #expect(await Transaction.unfinished.all().isEmpty)
        #expect(try await Transaction.currentEntitlements.verified() == [map])
    }

    @Test func `9: each launch begins with what is unfinished, until it is finished`() async throws {
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

    @Test func `10: a second listener gets no unfinished purchase, which is listed all the same`() async throws {
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

    @Test func `11: finishing twice is harmless`() async throws {
        _ = try SKTestSession.club()
        let map = try await buy("map")
        await map.finish()
        await map.finish()
        #expect(try await Transaction.all.verified() == [map])
    }

    @Test func `12: the price is that of the whole quantity`() async throws {
        _ = try SKTestSession.club()
        let coins = try await buy("coins", .quantity(3))
        #expect((coins.purchasedQuantity, coins.price) == (3, Decimal(string: "2.97")))
    }

    @Test(arguments: [("coins", 0), ("coins", 11), ("map", 2)])
    func `13: a quantity that is not sold is refused`(id: String, quantity: Int) async throws {
        _ = try SKTestSession.club()
        await #expect(throws: Product.PurchaseError.invalidQuantity) { try await buy(id, .quantity(quantity)) }
        #expect(await Transaction.all.all().isEmpty)
    }

    @Test func `14: a finished consumable is not listed`() async throws {
        _ = try SKTestSession.club()
        let coins = try await buy("coins")
        #expect(try await Transaction.all.verified() == [coins])
        await coins.finish()
        #expect(await Transaction.all.all().isEmpty)
        #expect(await Transaction.latest(for: "coins") == nil)
        #expect(await Transaction.currentEntitlements.all().isEmpty)
    }

    @Test func `15: a finished consumable is listed if the app asks for its history`() async throws {
        _ = try SKTestSession.club { $0.includesConsumableHistory = true }
        let coins = try await buy("coins")
        await coins.finish()
        #expect(try await Transaction.all.verified() == [coins])
        #expect(try await Transaction.latest(for: "coins")?.payloadValue == coins)
        #expect(await Transaction.currentEntitlements.all().isEmpty)
    }

    @Test func `16: a refunded consumable is listed and announced`() async throws {
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

    @Test func `17: an unfinished consumable answers the next purchase`() async throws {
        _ = try SKTestSession.club()
        let first = try await buy("coins")
        #expect(try await buy("coins") == first)
        await first.finish()
        #expect(try await buy("coins") != first)
    }

    @Test func `18: the account token is in the purchase and its renewals`() async throws {
        let session = try SKTestSession.club()
        let token = UUID()
        let first = try await buy("club.silver", .appAccountToken(token))
        try session.forceRenewalOfSubscription(productIdentifier: "club.silver")
        let second = try #require(await Transaction.latest(for: "club.silver")).payloadValue
        #expect((first.appAccountToken, second.appAccountToken) == (token, token))
        #expect(second.id != first.id)
        #expect(try await renewal().appAccountToken == token)
    }

    @Test func `19: a customer cancels the dialog`() async throws {
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
    func `20 and 21: a purchase fails until the error is removed`(error: Product.PurchaseError) async throws {
        let session = try SKTestSession.club()
        try await session.setSimulatedError(.purchase(error), forAPI: .purchase)
        await #expect(throws: error) { try await buy("map") }
        #expect(await Transaction.all.all().isEmpty)
        try await session.setSimulatedError(nil, forAPI: .purchase)
        try await buy("map")
    }

    @Test func `22: a purchase that cannot be verified is bought, and unverified everywhere`() async throws {
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

    @Test func `23: purchases fail with the code of the original StoreKit`() async throws {
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
