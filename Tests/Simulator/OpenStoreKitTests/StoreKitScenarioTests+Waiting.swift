import OpenStoreKitTest
import Testing

/// Pending purchases, purchases outside the app, and refunds.
extension StoreKitScenarioTests {
    private func waits(_ id: String, _ options: Product.PurchaseOption...) async throws {
        let result = try await product(id).purchase(options: Set(options))
        guard case .pending = result else {
            Issue.record("\(result)")
            return
        }
        #expect(await Transaction.all.all().isEmpty)
        #expect(await Transaction.unfinished.all().isEmpty)
    }

    @Test func `a purchase with Ask to Buy is pending and not listed`() async throws {
        let session = try SKTestSession.club()
        session.askToBuyEnabled = true
        #expect(session.askToBuyEnabled)
        try await waits("map")

        let waiting = try #require(session.allTransactions().first)
        #expect((waiting.pendingAskToBuyConfirmation, waiting.state) == (true, .deferred))
        #expect((waiting.productIdentifier, waiting.hasPurchaseIssue) == ("map", false))
    }

    @Test func `an approved Ask to Buy purchase arrives as an update`() async throws {
        let session = try SKTestSession.club()
        session.askToBuyEnabled = true
        var updates = Transaction.updates.makeAsyncIterator()
        try await waits("map")
        try session.approveAskToBuyTransaction(identifier: session.allTransactions()[0].identifier)

        let map = try await updates.verified()
        #expect(map.productID == "map")
        #expect(try await Transaction.currentEntitlements.verified() == [map])
        #expect(session.allTransactions().map(\.state) == [.purchased])
    }

    @Test func `a declined Ask to Buy purchase is never delivered`() async throws {
        let session = try SKTestSession.club()
        session.askToBuyEnabled = true
        var updates = Transaction.updates.makeAsyncIterator()
        try await waits("map")
        try session.declineAskToBuyTransaction(identifier: session.allTransactions()[0].identifier)

        #expect(session.allTransactions().isEmpty)
        let elsewhere = try await session.buyProduct(identifier: "pass")
        #expect(try await updates.verified() == elsewhere)
        #expect(try await Transaction.all.products() == ["pass"])
    }

    @Test func `an app can request Ask to Buy with a purchase option`() async throws {
        let session = try SKTestSession.club()
        try await waits("map", .simulatesAskToBuyInSandbox(true))
        #expect(session.allTransactions().map(\.pendingAskToBuyConfirmation) == [true])
    }

    @Test func `an interrupted purchase is pending until its issue is resolved`() async throws {
        let session = try SKTestSession.club()
        session.interruptedPurchasesEnabled = true
        var updates = Transaction.updates.makeAsyncIterator()
        try await waits("map")
        let waiting = session.allTransactions()[0]
        #expect((waiting.hasPurchaseIssue, waiting.pendingAskToBuyConfirmation) == (true, false))

        try session.resolveIssueForTransaction(identifier: waiting.identifier)
        #expect(try await updates.verified().productID == "map")
        #expect(session.allTransactions().map(\.hasPurchaseIssue) == [false])
    }

    @Test func `a purchase made outside the app is delivered as an update`() async throws {
        let session = try SKTestSession.club()
        var updates = Transaction.updates.makeAsyncIterator()
        let map = try await session.buyProduct(identifier: "map")
        #expect(try await updates.verified() == map)
        #expect(try await Transaction.unfinished.verified() == [map])
        #expect(try await Transaction.currentEntitlements.verified() == [map])
    }

    @Test func `a test purchase can have a past date, and a future date is refused`() async throws {
        let session = try SKTestSession.club()
        let date = SKTestSession.start - 13 * 86_400
        let map = try await session.buyProduct(identifier: "map", options: [.purchaseDate(date)])
        #expect((map.purchaseDate, map.originalPurchaseDate) == (date, date))
        await #expect(throws: SKTestError(.invalidAction)) {
            try await session.buyProduct(identifier: "pass", options: [.purchaseDate(SKTestSession.start + 1)])
        }
    }

    @Test func `a test subscription with a past purchase date has renewed up to the present`() async throws {
        let session = try SKTestSession.club()
        let date = SKTestSession.start - 100 * 86_400
        let first = try await session.buyProduct(identifier: "club.silver", options: [.purchaseDate(date)])

        let all = try await Transaction.all.verified()
        #expect(all.map(\.reason) == [.purchase, .renewal, .renewal, .renewal])
        #expect(Set(all.map(\.originalID)) == [first.id])
        let last = try #require(all.last?.expirationDate)
        #expect(last > SKTestSession.start)
        #expect(try await status().state == .subscribed)
    }

    @Test func `a test subscription with a past purchase date that was canceled immediately has expired`() async throws
    {
        let session = try SKTestSession.club()
        let date = SKTestSession.start - 100 * 86_400
        try await session.buyProduct(
            identifier: "club.silver", options: [.purchaseDate(date, renewalBehavior: .cancelImmediately)])
        #expect(await Transaction.all.all().count == 1)
        #expect(try await status().state == .expired)
        #expect(try await renewal().expirationReason == .autoRenewDisabled)
    }

    @Test func `a refunded purchase is revoked and can be bought again`() async throws {
        let session = try SKTestSession.club()
        let map = try await buy("map")
        var updates = Transaction.updates.makeAsyncIterator()
        try session.refundTransaction(identifier: UInt(map.id))

        #expect(await Transaction.currentEntitlements.all().isEmpty)
        let refunded = try await updates.verified()
        #expect((refunded.id, refunded.revocationReason) == (map.id, .other))
        #expect(refunded.revocationDate != nil)
        #expect(try await Transaction.latest(for: "map")?.payloadValue == refunded)
        #expect(try await buy("map").id != map.id)
    }

    @Test func `a refund request can be canceled, granted, declined, refused as a duplicate, or fail`() async throws {
        let session = try SKTestSession.club()
        let (map, pass) = (try await buy("map"), try await buy("pass"))
        #expect(try await session.requestRefund(identifier: UInt(pass.id), isConfirmed: false) == .userCancelled)
        #expect(try await session.requestRefund(identifier: UInt(map.id)) == .success)
        #expect(try await session.requestRefund(identifier: UInt(pass.id), isGranted: false) == .success)
        #expect(try await Transaction.currentEntitlements.verified() == [pass])
        await #expect(throws: Transaction.RefundRequestError.duplicateRequest) {
            try await session.requestRefund(identifier: UInt(map.id))
        }
        try await session.setSimulatedError(.refund(.failed), forAPI: .refundRequest)
        await #expect(throws: Transaction.RefundRequestError.failed) {
            try await session.requestRefund(identifier: UInt(pass.id))
        }
    }

    @Test func `a non-renewing subscription can be bought repeatedly and remains an entitlement until it is refunded`()
        async throws
    {
        let session = try SKTestSession.club()
        let first = try await buy("pass")
        await first.finish()
        let second = try await buy("pass")
        #expect(first != second)
        #expect(second.expirationDate == nil)
        #expect(try await Transaction.currentEntitlements.verified() == [first, second])
        try session.advance(by: 10 * 365 * 86_400)
        #expect(try await Transaction.currentEntitlements.verified() == [first, second])
        try session.refundTransaction(identifier: UInt(first.id))
        #expect(try await Transaction.currentEntitlements.verified() == [second])
    }

    @Test func `a canceled task reads no transactions and no subscription statuses`() async throws {
        _ = try SKTestSession.club()
        try await buy("map")
        try await buy("club.silver")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return (
                await Transaction.currentEntitlements.all().count, await Transaction.all.all().count,
                try await Product.SubscriptionInfo.status(for: "club").count,
                await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "news")
            )
        }
        #expect(try await task.value == (0, 0, 0, true))
    }

    @Test func `a storefront change is announced, and new prices and purchases use its currency`() async throws {
        let session = try SKTestSession.club()
        let map = try await buy("map")
        var storefronts = Storefront.updates.makeAsyncIterator()
        session.storefront = "DEU"

        #expect(await storefronts.next()?.countryCode == "DEU")
        #expect(await Storefront.current?.countryCode == "DEU")
        #expect(session.storefront == "DEU")
        #expect(try await product("coins").priceFormatStyle.currencyCode == "EUR")
        #expect(try await Transaction.latest(for: "map")?.payloadValue.storefront.countryCode == "USA")
        #expect(map.storefront.currency?.identifier == "USD")
        #expect(try await buy("coins").currency?.identifier == "EUR")
    }

    @Test func `a purchase continues in another storefront only if the app permits it`() async throws {
        let session = try SKTestSession.club()
        let map = try await product("map")
        session.storefront = "DEU"
        let result = try await map.purchase(options: [.onStorefrontChange { $0.countryCode == "USA" }])
        guard case .userCancelled = result else {
            Issue.record("\(result)")
            return
        }
        _ = try await map.purchase(options: [.onStorefrontChange { $0.countryCode == "DEU" }])
        #expect(try await Transaction.all.products() == ["map"])
    }

    @Test func `synchronizing with the App Store loses no transaction, and throws the simulated error`() async throws {
        let session = try SKTestSession.club()
        let map = try await buy("map")
        try await AppStore.sync()
        #expect(try await Transaction.all.verified() == [map])

        try await session.setSimulatedError(.generic(.notEntitled), forAPI: .appStoreSync)
        let error = await #expect(throws: StoreKitError.self) { try await AppStore.sync() }
        guard case .notEntitled? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        try await session.setSimulatedError(nil, forAPI: .appStoreSync)
        session.disableDialogs = false
        session.answerDialogs { $0 != .signIn }
        let cancelled = await #expect(throws: StoreKitError.self) { try await AppStore.sync() }
        guard case .userCancelled? = cancelled else {
            Issue.record("\(String(describing: cancelled))")
            return
        }
        #expect(try await Transaction.all.verified() == [map])
    }

    @Test func `the app transaction is signed, and reading it fails with the simulated error`() async throws {
        let session = try SKTestSession.club()
        let app = try await AppTransaction.shared.payloadValue
        #expect((app.bundleID, app.originalAppVersion, app.environment) == ("com.example.club", "1.0", .xcode))
        #expect(app.originalPurchaseDate == SKTestSession.start)
        #expect(try await AppTransaction.refresh().payloadValue.appTransactionID == app.appTransactionID)
        #expect(try await buy("map").appTransactionID == app.appTransactionID)

        try await session.setSimulatedError(.generic(.unknown), forAPI: .appTransaction)
        await #expect(throws: StoreKitError.self) { try await AppTransaction.shared }
        try await session.setSimulatedError(nil, forAPI: .appTransaction)
        try await session.setSimulatedError(.verification(.invalidCertificateChain), forAPI: .verification)
        guard case .unverified(_, .invalidCertificateChain) = try await AppTransaction.shared else {
            Issue.record("the app transaction is verified")
            return
        }
    }

    @Test func `resetting a test session restores its settings, and only clearing transactions removes purchases`()
        async throws
    {
        let session = try SKTestSession.club()
        (session.askToBuyEnabled, session.storefront, session.timeRate) = (true, "DEU", .monthlyRenewalEveryHour)
        session.billingGracePeriodIsEnabled = true
        let locale = session.locale
        session.locale = Locale(identifier: "de_DE")
        try await session.setSimulatedError(.generic(.unknown), forAPI: .loadProducts)
        session.askToBuyEnabled = false
        try await session.buyProduct(identifier: "club.gold")

        session.resetToDefaultState()
        #expect((session.askToBuyEnabled, session.storefront, session.timeRate) == (false, "USA", .realTime))
        #expect(!session.billingGracePeriodIsEnabled)
        #expect(session.locale == locale)
        #expect(await session.simulatedError(forAPI: .loadProducts) == nil)
        #expect(try await Transaction.all.products() == ["club.gold"])
        #expect(await !Product.SubscriptionInfo.isEligibleForIntroOffer(for: "club"))

        session.clearTransactions()
        #expect(await Transaction.all.all().isEmpty)
        #expect(session.allTransactions().isEmpty)
        #expect(await Product.SubscriptionInfo.isEligibleForIntroOffer(for: "club"))
        #expect(try await buy("club.gold").offer?.type == .introductory)
    }

    @Test func `a new test session retains purchases only if it has the same configuration`() async throws {
        _ = try SKTestSession.club()
        try await buy("map")
        _ = try SKTestSession.club()
        #expect(try await Transaction.all.products() == ["map"])
        _ = try SKTestSession(configurationFileNamed: "Kiosk")
        #expect(await Transaction.all.all().isEmpty)
        #expect(try await Product.products(for: ["map", "paper"]).map(\.id) == ["paper"])
    }

    @Test func `a family-shared subscription is revoked when its buyer leaves the family`() async throws {
        let session = try SKTestSession.club()
        let ada = try session.device("phone", of: "Ada")
        try session.joinFamily("Lovelace")
        try ada.joinFamily("Lovelace")
        let gold = try await buy("club.gold")

        try await ada.run {
            let shared = try await status()
            let transaction = try shared.transaction.payloadValue
            #expect((transaction.ownershipType, shared.state) == (.familyShared, .subscribed))
            #expect((transaction.price, transaction.productID) == (nil, gold.productID))
            try await buy("club.silver")
            let statuses = try await Product.SubscriptionInfo.status(for: "club")
            #expect(try statuses.map { try $0.transaction.payloadValue.ownershipType } == [.purchased, .familyShared])

            var updates = Transaction.updates.makeAsyncIterator()
            #expect(try await updates.verified().id == transaction.id)
            try session.leaveFamily()
            let revoked = try await updates.verified()
            #expect((revoked.id, revoked.revocationReason) == (transaction.id, .other))
            #expect(revoked.revocationType == .familyRevocation)
        }
    }

    @Test func `a test session refuses unknown transactions, products and configuration files`() async throws {
        let session = try SKTestSession.club()
        for call in [
            session.approveAskToBuyTransaction, session.declineAskToBuyTransaction, session.refundTransaction,
            session.resolveIssueForTransaction, session.deleteTransaction, session.enableAutoRenewForTransaction,
            session.disableAutoRenewForTransaction, session.requestPriceIncreaseConsentForTransaction,
            session.consentToPriceIncreaseForTransaction, session.declinePriceIncreaseForTransaction,
        ] {
            #expect(throws: SKTestError(.noTransactionFound)) { try call(999) }
        }
        for call in [session.expireSubscription, session.forceRenewalOfSubscription] {
            #expect(throws: SKTestError(.invalidProductIdentifier)) { try call("unknown") }
            #expect(throws: SKTestError(.noSubscriptionFound)) { try call("club.gold") }
        }
        await #expect(throws: Product.PurchaseError.productUnavailable) {
            try await session.buyProduct(identifier: "unknown")
        }
        #expect(throws: SKTestError(.fileNotFound)) { try SKTestSession(configurationFileNamed: "Nowhere") }
        #expect(throws: SKTestError(.invalidURL)) { try SKTestSession(contentsOf: URL(filePath: "/Store.plist")) }
    }
}
