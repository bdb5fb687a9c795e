import Foundation
import OpenCombine
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// State of a customer's subscriptions as an app sees it.
@Suite(.hangLimit) struct SubscriptionStateTests {
    private let club: ClubScene
    private static let day: TimeInterval = 86_400

    init() async throws { club = try await ClubScene(isInFolder: true) }

    private var store: SimulatedStore { club.store }

    private func makeManager(
        home: String = "home", selling other: (any Store)? = nil, ahead: TimeInterval = 0,
        choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) async throws -> CatalogManager {
        try await club.makeManager(
            catalog: .catalog(ClubScene.plans), selling: other, home: home, ahead: ahead, choosing: choices)
    }

    /// Buys the silver plan in an app, and ends the app.
    private func subscribe() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        guard case .success = await manager.purchase("club.silver") else {
            Issue.record("not bought")
            return
        }
        await manager.stop()
    }

    private func isSubscriptionChange(_ event: CatalogEvent) -> Bool {
        if case .entitlements(.subscriptionChanged) = event { true } else { false }
    }

    @Test func `a subscription states its renewal date, the price of the renewal and the plan that it renews to`()
        async throws
    {
        try await subscribe()
        let manager = try await makeManager()

        let subscription = try #require(manager.subscriptions.first)
        #expect(subscription.state == .subscribed)
        #expect(subscription.productIdentifier == "club.silver")
        #expect(subscription.nextProduct == "club.silver")
        #expect(subscription.nextPrice == Decimal(string: "4.99"))
        #expect(subscription.nextCurrency == "USD")
        #expect(subscription.renewalDate == subscription.expirationDate)
        #expect(subscription.endDate == nil)
        #expect(subscription.isActive)
        await manager.stop()
    }

    @Test func `a grace period that began while the app was closed is known after the next load without a restore`()
        async throws
    {
        try await subscribe()
        try await store.setGracePeriod(true)
        try await store.failBilling("club.silver")
        try await store.advance(by: 32 * Self.day)
        let manager = try await makeManager()
        await manager.loadProducts()

        #expect(manager.subscriptions.map(\.state) == [.inGracePeriod])
        #expect(manager.ownership(of: "map").isOwned)
        #expect(manager.subscriptions.first?.endDate == manager.subscriptions.first?.gracePeriodExpirationDate)
        await manager.stop()
    }

    @Test func `a subscription that was bought on another device is known after the next load`() async throws {
        try await subscribe()
        let tablet = try await makeManager(home: "tablet")
        await tablet.loadProducts()

        #expect(tablet.subscriptions.map(\.state) == [.subscribed])
        #expect(tablet.ownership(of: "map").isOwned)
        await tablet.stop()
    }

    @MainActor @Test func `turning off renewal is reported by streams, publishers, notifications and the model`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        _ = await manager.purchase("club.silver")
        let model = CatalogModel(manager)
        let (events, center) = (manager.events(), NotificationCenter())
        let posting = manager.postNotifications(to: center)
        let posted = AsyncStream<String>.makeStream()
        let observer = center.addObserver(forName: .vitrineSubscriptionDidChange, object: nil, queue: nil) {
            @Sendable note in
            posted.continuation.yield((note[.products] ?? []).joined())
        }
        defer { center.removeObserver(observer) }
        let published = AsyncStream<CustomerSubscription>.makeStream()
        let subscriber = manager.eventPublisher.sink { @Sendable event in
            if case .entitlements(.subscriptionChanged(let changed)) = event { published.continuation.yield(changed) }
        }
        try await store.setRenewal(false, of: "club.silver")

        await events.next(isSubscriptionChange)
        let subscription = try #require(manager.subscriptions.first)
        #expect(subscription.isRenewing == false)
        #expect(subscription.endDate == subscription.expirationDate)
        #expect(subscription.nextProduct == nil)
        #expect(await posted.stream.nextElement() == "club.silver")
        #expect(await published.stream.nextElement() == subscription)
        while model.subscriptions.first?.isRenewing != false { await Task.yield() }
        subscriber.cancel()
        posting.cancel()
        await manager.stop()
    }

    @Test func `without a network a renewed subscription remains owned, and its later confirmation is reported`()
        async throws
    {
        try await subscribe()
        try await store.setOffline(true)
        try await store.advance(by: 32 * Self.day)
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(manager.subscriptions.map(\.state) == [.unconfirmed])
        #expect(manager.ownership(of: "map").isOwned)
        guard case .owned(because: let reasons) = manager.ownership(of: "club.silver"),
            case .transaction(let transaction)? = reasons.first
        else {
            Issue.record("not owned")
            return
        }
        #expect(transaction.unconfirmedUntil == transaction.expirationDate.map { $0 + 16 * Self.day })

        let events = manager.events()
        try await store.setOffline(false)
        await manager.loadProducts()
        await events.next(isSubscriptionChange)
        #expect(manager.subscriptions.map(\.state) == [.subscribed])
        await manager.stop()
    }

    @Test func `an option limits how long a subscription is owned without a confirmation of its renewal`() async throws
    {
        try await subscribe()
        try await store.setOffline(true)
        try await store.advance(by: 32 * Self.day)
        let manager = try await makeManager { $0.purchases.renewalLeeway = .seconds(3_600) }

        #expect(manager.subscriptions.map(\.state) == [.unknown])
        #expect(manager.ownership(of: "map").isOwned == false)
        #expect(manager.ownership(of: "map") != .notOwned)
        #expect(manager.listing(for: "map")?.isOffered != true)
        #expect(try await manager.ledger.check().isGood)
        await manager.stop()
    }

    @Test(.withoutAdapter) func `a subscription that the store no longer knows ends with its period`() async throws {
        try await subscribe()
        let base = store
        var stranger = InterceptedStore(base)
        stranger.onKnownTransactions = { () throws(StoreError) in [] }
        stranger.onUnfinished = { () throws(StoreError) in [] }
        try await store.advance(by: 32 * Self.day)
        let manager = try await makeManager(selling: stranger)
        #expect(manager.subscriptions.map(\.state) == [.unconfirmed])
        await manager.loadProducts()

        #expect(manager.subscriptions.map(\.state) == [.expired])
        #expect(manager.ownership(of: "club.silver") == .notOwned)
        await manager.stop()
    }

    @Test(.withoutAdapter)
    func `an empty list of subscriptions ends none until the store has answered a query about products`() async throws {
        try await subscribe()
        let (base, isReached) = (store, Recorder<Bool>())
        var silent = InterceptedStore(base)
        silent.onKnownTransactions = { () throws(StoreError) in [] }
        silent.onSubscriptionTransactions = { () throws(StoreError) in [] }
        silent.onUnfinished = { () throws(StoreError) in [] }
        silent.onProducts = { identifiers throws(StoreError) in
            guard isReached.values.isEmpty else { return try await base.products(for: identifiers) }
            throw StoreError(code: .network, reason: "the network is away")
        }
        try await store.advance(by: 32 * Self.day)
        let manager = try await makeManager(selling: silent)
        await manager.loadProducts()
        #expect(manager.subscriptions.map(\.state) == [.unconfirmed])

        isReached.record(true)
        await manager.loadProducts()
        #expect(manager.subscriptions.map(\.state) == [.expired])
        await manager.stop()
    }

    @Test(.withoutAdapter)
    func `a load records subscriptions that the store knows, and in each launch once its other known purchases`()
        async throws
    {
        try await subscribe()
        _ = try await store.purchaseElsewhere("map")
        let known = try await store.knownTransactions()
        #expect(known.count == 2)
        var other = InterceptedStore(store)
        other.onKnownTransactions = { () throws(StoreError) in known }
        other.onUnfinished = { () throws(StoreError) in [] }
        try await club.folder.markPurchasesAsRead(in: "tablet")
        let tablet = try await makeManager(home: "tablet", selling: other)
        await tablet.loadProducts()

        func purchases() async throws -> Set<String> {
            Set(
                try await tablet.ledger.history().filter { $0.fact.kind == .purchase }
                    .compactMap(\.fact.origin?.productIdentifier))
        }
        #expect(try await purchases() == ["club.silver", "map"])
        await tablet.stop()
    }

    @Test(.withoutAdapter) func `an unreadable transaction from the store ends no subscription`() async throws {
        try await subscribe()
        try await store.advance(by: 32 * Self.day)
        var other = InterceptedStore(store)
        other.onKnownTransactions = { () throws(StoreError) in [StoreTransaction(id: "1", signedData: "none")] }
        other.onUnfinished = { () throws(StoreError) in [] }
        let manager = try await makeManager(selling: other)
        await manager.loadProducts()

        #expect(manager.subscriptions.map(\.state) == [.unconfirmed])
        await manager.stop()
    }

    @Test func `a clock set back after a subscription's end does not revive it until the store answers`()
        async throws
    {
        try await subscribe()
        try await store.setRenewal(false, of: "club.silver")
        try await store.setOffline(true)
        for ahead in [60 * Self.day, 0] {
            let manager = try await makeManager(ahead: ahead)
            await manager.loadProducts()
            #expect(manager.ownership(of: "club.silver").isOwned == false, "\(ahead)")
            await manager.stop()
        }
        try await store.setOffline(false)
        let manager = try await makeManager()
        await manager.loadProducts()

        #expect(manager.subscriptions.map(\.state) == [.subscribed])
        await manager.stop()
    }

    @Test func `the article's example screen shows plans, prices, offers and the state of the subscription`()
        async throws
    {
        let manager = try await makeManager { $0.languages = ["en"] }
        await manager.loadProducts()
        #expect(manager.planRows.map(\.id) == ["club.gold", "club.silver"])
        #expect(manager.planRows.map(\.price) == ["1 week free, then $9.99 a month", "$4.99 a month"])
        #expect(manager.planRows.map(\.canBeBought) == [true, true])

        _ = await manager.purchase("club.silver")
        #expect(manager.planRows.map(\.price) == ["$9.99 a month", "$4.99 a month"])
        #expect(manager.planRows.last?.state?.hasPrefix("Renews on ") == true)
        #expect(manager.listing(for: "club.silver")?.subscription?.current == manager.subscriptions.first)
        try await store.setRenewal(false, of: "club.silver")
        await manager.loadProducts()
        #expect(manager.planRows.last?.state?.hasPrefix("Ends on ") == true)
        #expect(manager.listing(for: "club.silver")?.subscription?.current?.isRenewing == false)
        await manager.stop()
    }

    @Test func `an offline listing shows no introductory offer to a customer whose subscription has expired`()
        async throws
    {
        let manager = try await makeManager { $0.languages = ["en"] }
        await manager.loadProducts()
        #expect(manager.listing(for: "club.gold")?.subscription?.introductoryOffer != nil)
        _ = await manager.purchase("club.silver")
        try await store.setRenewal(false, of: "club.silver")
        try await store.advance(by: 40 * Self.day)
        try await store.setOffline(true)
        while manager.subscriptions.first?.state != .expired { await Task.yield() }

        #expect(manager.listing(for: "club.gold")?.isOffered == true)
        #expect(manager.listing(for: "club.gold")?.subscription?.introductoryOffer == nil)
        await manager.stop()
    }

    @Test func `renewal information that the store has not signed changes nothing`() async throws {
        try await subscribe()
        try await store.setRenewal(false, of: "club.silver")
        try await store.fail(.verification)
        let manager = try await makeManager()
        await manager.loadProducts()

        #expect(manager.subscriptions.first?.isRenewing == true)
        #expect(try await manager.ledger.history().map(\.fact.kind) == [.purchase, .renewal])
        await manager.stop()
    }
}

extension AsyncStream where Element: Sendable {
    fileprivate nonisolated func nextElement() async -> Element? {
        for await element in self { return element }
        return nil
    }
}
