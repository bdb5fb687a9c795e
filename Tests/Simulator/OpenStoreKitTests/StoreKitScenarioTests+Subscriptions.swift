import OpenStoreKitTest
import Testing

/// Subscriptions: their states, renewals and plans.
extension StoreKitScenarioTests {
    @Test func `a new subscription has the status subscribed, and its renewal information names the same product`()
        async throws
    {
        _ = try SKTestSession.club()
        var statuses = Product.SubscriptionInfo.Status.updates.makeAsyncIterator()
        let silver = try await buy("club.silver")
        let status = try await status()

        #expect(await statuses.next() == status)
        #expect((status.state, try status.transaction.payloadValue) == (.subscribed, silver))
        let renewal = try status.renewalInfo.payloadValue
        #expect((renewal.willAutoRenew, renewal.autoRenewPreference) == (true, "club.silver"))
        #expect(renewal.renewalDate == silver.expirationDate)
        #expect((renewal.currentProductID, renewal.originalTransactionID) == ("club.silver", silver.id))
        #expect((renewal.expirationReason, renewal.priceIncreaseStatus) == (nil, .noIncreasePending))
        #expect((renewal.renewalPrice, renewal.currency?.identifier) == (Decimal(string: "4.99"), "USD"))
        #expect(await silver.subscriptionStatus == status)
        #expect(try await Product.SubscriptionInfo.status(transactionID: silver.id) == status)
        #expect(try await product("club.gold").subscription?.status == [status])
    }

    @Test func `a subscription group without a purchase has no subscription status`() async throws {
        _ = try SKTestSession.club()
        try await buy("club.silver")
        #expect(try await Product.SubscriptionInfo.status(for: "news").isEmpty)
        var groups: [String] = []
        for await (group, statuses) in Product.SubscriptionInfo.Status.all {
            groups.append(group)
            #expect(statuses.count == 1)
        }
        #expect(groups == ["club"])
    }

    @Test func `a renewal arrives as an update, and only the newest period is an entitlement`() async throws {
        let session = try SKTestSession.club()
        session.timeRate = .monthlyRenewalEveryThirtySeconds
        let first = try await buy("club.silver")
        #expect(first.expirationDate == SKTestSession.start + 30)
        var updates = Transaction.updates.makeAsyncIterator()
        try session.advance(by: 30)

        let second = try await updates.verified()
        #expect((second.originalID, second.reason) == (first.id, .renewal))
        #expect(second.purchaseDate == first.expirationDate)
        #expect(try await Transaction.currentEntitlements.verified() == [second])
        #expect(try await Transaction.all.verified() == [first, second])
    }

    @Test func `a listener for updates receives a renewal when it is due in real time`() async throws {
        let session = try SKTestSession.club { $0.startDate = nil }
        session.timeRate = .oneRenewalEveryTwoSeconds
        var updates = Transaction.updates.makeAsyncIterator()
        let first = try await buy("club.silver")
        let second = try await updates.verified()
        #expect((second.originalID, second.reason) == (first.id, .renewal))
        #expect(second.purchaseDate == first.expirationDate)
    }

    @Test(arguments: SKTestSession.TimeRate.allCases)
    func `each time rate has the period lengths of Apple's table`(rate: SKTestSession.TimeRate) async throws {
        let session = try SKTestSession.club()
        session.timeRate = rate
        #expect(session.timeRate == rate)
        var lengths: [TimeInterval] = []
        for id in ["club.week", "news", "club.silver.year"] {
            session.clearTransactions()
            let transaction = try await buy(id)
            lengths.append(try #require(transaction.expirationDate).timeIntervalSince(transaction.purchaseDate))
        }
        let day: TimeInterval = 86_400
        let expected: [TimeInterval] =
            switch rate {
            case .realTime: [7 * day, 31 * day, 365 * day]
            case .oneHourIsOneDay: [7, 30, 365].map { $0 * 3_600 }
            case .thirtyMinutesIsOneDay: [7, 30, 365].map { $0 * 1_800 }
            case .fiveMinutesIsOneDay: [7, 30, 365].map { $0 * 300 }
            case .oneMinuteIsOneDay: [7, 30, 365].map { $0 * 60 }
            case .thirtySecondsIsOneDay: [7, 30, 365].map { $0 * 30 }
            case .oneSecondIsOneDay: [7, 30, 365]
            case .monthlyRenewalEveryHour: [900, 3_600, 12 * 3_600]
            case .monthlyRenewalEveryThirtyMinutes: [600, 1_800, 6 * 3_600]
            case .monthlyRenewalEveryFifteenMinutes: [300, 900, 3 * 3_600]
            case .monthlyRenewalEveryFiveMinutes: [180, 300, 3_600]
            case .monthlyRenewalEveryThirtySeconds: [10, 30, 360]
            case .oneRenewalEveryFifteenMinutes: [900, 900, 900]
            case .oneRenewalEveryFiveMinutes: [300, 300, 300]
            case .oneRenewalEveryMinute: [60, 60, 60]
            case .oneRenewalEveryThirtySeconds: [30, 30, 30]
            case .oneRenewalEveryTenSeconds: [10, 10, 10]
            case .oneRenewalEveryTwoSeconds: [2, 2, 2]
            }
        #expect(lengths == expected)
    }

    @Test func `a forced renewal arrives immediately as an update`() async throws {
        let session = try SKTestSession.club()
        let first = try await buy("club.silver")
        var updates = Transaction.updates.makeAsyncIterator()
        try session.forceRenewalOfSubscription(productIdentifier: "club.silver")
        let second = try await updates.verified()
        #expect((second.originalID, second.reason, second.purchaseDate) == (first.id, .renewal, SKTestSession.start))
    }

    @Test func `a forced renewal fails if renewals are set to fail`() async throws {
        let session = try SKTestSession.club()
        session.shouldEnterBillingRetryOnRenewal = true
        let silver = try await buy("club.silver")
        try session.forceRenewalOfSubscription(productIdentifier: "club.silver")
        let status = try #require(await silver.subscriptionStatus)
        #expect(status.state == .inBillingRetryPeriod)
    }

    @Test(arguments: [false, true])
    func `renewals while the app was closed arrive at its next launch`(newestFirst: Bool) async throws {
        let session = try SKTestSession.club { if newestFirst { $0.quirks = .newestFirst } }
        let first = try await buy("club.silver")
        await first.finish()
        try session.advance(toDay: "2026-04-20")
        session.relaunch()

        var updates = Transaction.updates.makeAsyncIterator()
        var arrived: [Transaction] = []
        for _ in 1...3 { arrived.append(try await updates.verified()) }
        #expect(arrived.allSatisfy { $0.reason == .renewal && $0.originalID == first.id })
        let dates = arrived.map(\.purchaseDate)
        #expect(dates == (newestFirst ? dates.sorted(by: >) : dates.sorted()))
    }

    @Test func `turning auto-renewal off and on is announced in the subscription status`() async throws {
        let session = try SKTestSession.club()
        let silver = try await buy("club.silver")
        var statuses = Product.SubscriptionInfo.Status.updates.makeAsyncIterator()
        try session.disableAutoRenewForTransaction(identifier: UInt(silver.id))
        let off = try #require(await statuses.next())
        #expect((off.state, try off.renewalInfo.payloadValue.willAutoRenew) == (.subscribed, false))
        #expect(try off.renewalInfo.payloadValue.autoRenewPreference == nil)
        #expect(try await Transaction.currentEntitlements.products() == ["club.silver"])
        #expect(session.allTransactions().map(\.autoRenewingEnabled) == [false])

        try session.enableAutoRenewForTransaction(identifier: UInt(silver.id))
        let on = try #require(await statuses.next())
        #expect(try on.renewalInfo.payloadValue.willAutoRenew)
        #expect(try on.renewalInfo.payloadValue.autoRenewPreference == "club.silver")
    }

    @Test func `a lapsed subscription changes its status without a new transaction`() async throws {
        let session = try SKTestSession.club()
        let silver = try await buy("club.silver")
        var (statuses, updates) = (
            Product.SubscriptionInfo.Status.updates.makeAsyncIterator(), Transaction.updates.makeAsyncIterator()
        )
        try session.disableAutoRenewForTransaction(identifier: UInt(silver.id))
        #expect(await statuses.next()?.state == .subscribed)
        try session.advance(toDay: "2026-02-15")

        let ended = try #require(await statuses.next())
        #expect((ended.state, try ended.renewalInfo.payloadValue.expirationReason) == (.expired, .autoRenewDisabled))
        #expect(await Transaction.currentEntitlements.all().isEmpty)
        let elsewhere = try await session.buyProduct(identifier: "map")
        #expect(try await updates.verified() == elsewhere)
    }

    @Test func `expiring a subscription ends it immediately`() async throws {
        let session = try SKTestSession.club()
        try await buy("club.silver")
        var statuses = Product.SubscriptionInfo.Status.updates.makeAsyncIterator()
        try session.expireSubscription(productIdentifier: "club.silver")
        #expect(await statuses.next()?.state == .expired)
        #expect(await Transaction.currentEntitlements.all().isEmpty)
        #expect(try await status().state == .expired)
    }

    @Test func `a new subscription after a lapse has the original transaction of the first subscription`() async throws
    {
        let session = try SKTestSession.club()
        let first = try await buy("club.silver")
        try session.expireSubscription(productIdentifier: "club.silver")
        try session.advance(by: 86_400)
        let second = try await buy("club.silver")
        #expect((second.originalID, second.reason) == (first.id, .purchase))
        #expect(second.id != first.id)
    }

    @Test func `buying an active subscription again returns the existing transaction`() async throws {
        let session = try SKTestSession.club()
        let silver = try await buy("club.silver")
        try session.advance(by: 86_400)
        #expect(try await buy("club.silver") == silver)
        #expect(await Transaction.all.all().count == 1)
    }

    @Test(arguments: [("46", "club.gold"), ("49", "club.argent")])
    func `a change to a higher plan, or to another plan of the same level and length, applies immediately`(
        row: String, plan: String
    ) async throws {
        _ = try SKTestSession.club()
        let silver = try await buy("club.silver")
        let better = try await buy(plan)

        #expect((better.originalID, better.reason) == (silver.id, .purchase))
        #expect(better.purchaseDate == SKTestSession.start)
        let all = try await Transaction.all.verified()
        #expect(all.map(\.productID) == ["club.silver", plan])
        #expect(all.map(\.isUpgraded) == [true, false])
        #expect(try await Transaction.currentEntitlements.verified() == [better])
        #expect(try await status().transaction.payloadValue == better)
    }

    @Test(arguments: [("47", "club.gold", "club.silver"), ("48", "club.silver", "club.silver.year")])
    func `a change to a lower plan, or to a plan of another length, applies at the next renewal`(
        row: String, held: String, ordered: String
    ) async throws {
        let session = try SKTestSession.club()
        let current = try await buy(held)
        #expect(try await buy(ordered) == current)
        #expect(try await renewal().autoRenewPreference == ordered)
        #expect(try await status().transaction.payloadValue == current)

        try session.advance(by: try #require(current.expirationDate).timeIntervalSince(session.now))
        let next = try await status().transaction.payloadValue
        #expect((next.productID, next.reason, next.originalID) == (ordered, .renewal, current.id))
    }

    @Test func `buying the current plan cancels a pending downgrade`() async throws {
        _ = try SKTestSession.club()
        let gold = try await buy("club.gold")
        try await buy("club.silver")
        #expect(try await buy("club.gold") == gold)
        #expect(try await renewal().autoRenewPreference == "club.gold")
        #expect(await Transaction.all.all().count == 1)
    }

    @Test func `a failed renewal enters billing retry without an entitlement, and expires after 60 days`() async throws
    {
        let session = try SKTestSession.club()
        try await buy("club.silver")
        session.shouldEnterBillingRetryOnRenewal = true
        #expect(session.shouldEnterBillingRetryOnRenewal)
        try session.advance(toDay: "2026-02-15")

        #expect(try await status().state == .inBillingRetryPeriod)
        let renewal = try await renewal()
        #expect((renewal.expirationReason, renewal.isInBillingRetry) == (.billingError, true))
        #expect(renewal.gracePeriodExpirationDate == nil)
        #expect(await Transaction.currentEntitlements.all().isEmpty)
        #expect(session.allTransactions().map(\.hasPurchaseIssue) == [true])

        try session.advance(by: 60 * 86_400)
        #expect(try await status().state == .expired)
        let end = try await OpenStoreKitTests.renewal()
        #expect((end.expirationReason, end.isInBillingRetry) == (.billingError, false))
    }

    @Test func `an entitlement remains during the grace period and ends with it`() async throws {
        let session = try SKTestSession.club()
        let silver = try await buy("club.silver")
        (session.shouldEnterBillingRetryOnRenewal, session.billingGracePeriodIsEnabled) = (true, true)
        try session.advance(toDay: "2026-02-15")

        #expect(try await status().state == .inGracePeriod)
        let end = try #require(silver.expirationDate) + 16 * 86_400
        #expect(try await renewal().gracePeriodExpirationDate == end)
        #expect(try await Transaction.currentEntitlements.verified() == [silver])
        try session.advance(by: 16 * 86_400)
        #expect(try await status().state == .inBillingRetryPeriod)
        #expect(try await renewal().gracePeriodExpirationDate == nil)
        #expect(await Transaction.currentEntitlements.all().isEmpty)
    }

    @Test func `an enabled grace period has no effect while renewals succeed`() async throws {
        let session = try SKTestSession.club()
        try await buy("club.silver")
        session.billingGracePeriodIsEnabled = true
        try session.advance(toDay: "2026-02-15")
        #expect(try await status().state == .subscribed)
        #expect(await Transaction.all.all().count == 2)
    }

    @Test func `a payment in the grace period does not change the billing cycle`() async throws {
        let session = try SKTestSession.club()
        let silver = try await buy("club.silver")
        (session.shouldEnterBillingRetryOnRenewal, session.billingGracePeriodIsEnabled) = (true, true)
        try session.advance(toDay: "2026-02-20")
        try session.resolveIssueForTransaction(identifier: UInt(silver.id))
        let status = try await status()
        #expect(status.state == .subscribed)
        #expect(try status.transaction.payloadValue.purchaseDate == silver.expirationDate)
    }

    @Test func `a payment in the retry period begins a new billing cycle, and a later payment has no effect`()
        async throws
    {
        let session = try SKTestSession.club()
        let silver = try await buy("club.silver")
        session.shouldEnterBillingRetryOnRenewal = true
        try session.advance(toDay: "2026-02-20")
        try session.resolveIssueForTransaction(identifier: UInt(silver.id))
        let recovered = try await status().transaction.payloadValue
        #expect(recovered.purchaseDate == session.now)

        try session.advance(toDay: "2026-06-20")
        #expect(try await status().state == .expired)
        try session.resolveIssueForTransaction(identifier: UInt(recovered.id))
        #expect(try await status().state == .expired)
    }

    /// Apple documents that
    /// [deleteTransaction](https://developer.apple.com/documentation/storekittest/sktestsession/deletetransaction(identifier:))
    /// deletes the renewals of an original transaction too.
    @Test func `deleting the first transaction of a subscription deletes its renewals`() async throws {
        let session = try SKTestSession.club()
        let first = try await buy("club.silver")
        try session.advance(toDay: "2026-03-20")
        let latest = try #require(await Transaction.latest(for: "club.silver")).payloadValue
        try session.deleteTransaction(identifier: UInt(latest.id))
        #expect(session.allTransactions().count == 2)

        try session.deleteTransaction(identifier: UInt(first.id))
        #expect(session.allTransactions().isEmpty)
        #expect(try await Product.SubscriptionInfo.status(for: "club").isEmpty)
        #expect(try await buy("club.silver").originalID != first.id)
    }

    @Test(arguments: [true, false])
    func `a price increase waits for consent, and ends the subscription if it is declined`(consents: Bool) async throws
    {
        let session = try SKTestSession.club()
        let silver = try await buy("club.silver")
        var messages = Message.messages.makeAsyncIterator()
        try session.requestPriceIncreaseConsentForTransaction(identifier: UInt(silver.id))
        #expect(await messages.next()?.reason == .priceIncreaseConsent)
        #expect(try await renewal().priceIncreaseStatus == .pending)
        #expect(session.allTransactions().map(\.isPendingPriceIncreaseConsent) == [true])

        if consents {
            try session.consentToPriceIncreaseForTransaction(identifier: UInt(silver.id))
            #expect(try await renewal().priceIncreaseStatus == .agreed)
        } else {
            try session.declinePriceIncreaseForTransaction(identifier: UInt(silver.id))
            #expect(try await !renewal().willAutoRenew)
            #expect(try await renewal().priceIncreaseStatus == .noIncreasePending)
        }
        try session.advance(toDay: "2026-02-15")
        let status = try await status()
        #expect(status.state == (consents ? .subscribed : .expired))
        #expect(
            try status.renewalInfo.payloadValue.expirationReason == (consents ? nil : .didNotConsentToPriceIncrease))
    }

    @Test func `the refund of an earlier period does not end the subscription`() async throws {
        let session = try SKTestSession.club()
        let first = try await buy("club.silver")
        try session.advance(toDay: "2026-02-20")
        for transaction in try await Transaction.unfinished.verified() { await transaction.finish() }
        var updates = Transaction.updates.makeAsyncIterator()
        try session.refundTransaction(identifier: UInt(first.id))
        #expect(try await updates.verified().id == first.id)
        #expect(try await status().state == .subscribed)
        #expect(try await Transaction.currentEntitlements.verified().map(\.reason) == [.renewal])
        let all = try await Transaction.all.verified()
        #expect(all.map { $0.revocationDate != nil } == [true, false])
    }
}
