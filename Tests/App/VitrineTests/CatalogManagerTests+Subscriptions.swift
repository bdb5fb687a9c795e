import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

/// Subscriptions whose transactions the tests sign themselves.
extension CatalogManagerTests {
    /// Store that returns exactly the transactions that a test provides.
    private struct SubscriptionStore: Sendable {
        let identity: SigningIdentity
        let known = Recorder<[StoreTransaction]>()
        let unfinished = Recorder<[StoreTransaction]>()
        let start: Date

        init(around date: Date) throws {
            identity = try SigningIdentity(commonName: "Subscriptions", around: date)
            start = date
        }

        func verifier() throws -> SignedDataVerifier {
            SignedDataVerifier(
                roots: try TrustedRoots(pem: identity.rootPEM), bundleIdentifier: VoyagerStore.bundleIdentifier,
                environment: .sandbox)
        }

        func store(over base: any Store) -> InterceptedStore {
            var store = InterceptedStore(base)
            let (known, unfinished) = (known, unfinished)
            store.onRestore = { () throws(StoreError) in known.values.last ?? [] }
            store.onKnownTransactions = store.onRestore
            store.onUnfinished = { () throws(StoreError) in unfinished.values.last ?? [] }
            store.onFinish = { finished throws(StoreError) in
                unfinished.record((unfinished.values.last ?? []).filter { $0.id != finished.id })
            }
            return store
        }

        /// Returns a signed subscription period, with dates in seconds after the start.
        func period(
            _ id: String, of product: String = "basic", type: SignedProductKind = .autoRenewableSubscription,
            from first: TimeInterval = 0, to last: TimeInterval? = 100, signed: TimeInterval = 0,
            isUpgraded: Bool = false, revoked: TimeInterval? = nil, grace: TimeInterval? = nil,
            reason: TransactionReason? = nil
        ) throws -> StoreTransaction {
            var payload = TransactionPayload(
                transactionID: id, originalTransactionID: "1", bundleIdentifier: VoyagerStore.bundleIdentifier,
                productIdentifier: product, purchaseDate: start + first, originalPurchaseDate: start, quantity: 1,
                type: type, environment: .sandbox, signedDate: start + signed, storefront: nil, price: nil,
                currency: nil, revocationDate: revoked.map { start + $0 }, expiresDate: last.map { start + $0 },
                isUpgraded: isUpgraded ? true : nil)
            payload.reason = reason
            let renewal = try grace.map { grace in
                try identity.sign(
                    RenewalPayload(
                        originalTransactionID: "1", productIdentifier: product,
                        gracePeriodExpiresDate: start + grace, environment: .sandbox, signedDate: start + signed))
            }
            return StoreTransaction(id: id, signedData: try identity.sign(payload), signedRenewal: renewal)
        }
    }

    private static let catalog = Catalog(products: [
        CatalogProduct(identifier: "maps", kind: .nonConsumable),
        CatalogProduct(identifier: "tours", kind: .nonConsumable),
        CatalogProduct(identifier: "basic", kind: .autoRenewableSubscription, childProducts: ["maps"]),
        CatalogProduct(identifier: "best", kind: .autoRenewableSubscription, childProducts: ["tours"]),
        CatalogProduct(
            identifier: "season", kind: .nonRenewingSubscription, childProducts: ["tours"],
            subscriptionDuration: SubscriptionDuration("PT1M")),
    ])

    private func makeSubscription() async throws -> (SubscriptionStore, CatalogManager) {
        let subscriptions = try SubscriptionStore(around: voyager.clock.now)
        let manager = try await makeManager(
            catalog: .catalog(Self.catalog), store: subscriptions.store(over: voyager.store),
            verifier: subscriptions.verifier()
        ) { _ in }
        await manager.loadProducts()
        return (subscriptions, manager)
    }

    /// Makes transactions known to the store, and restores them.
    private func say(
        _ transactions: StoreTransaction..., from store: SubscriptionStore, to manager: CatalogManager
    ) async throws {
        store.known.record(transactions)
        #expect(try await manager.restore().failed.isEmpty)
    }

    @Test func `a subscription that expires while the manager runs is no longer owned, and the change is reported`()
        async throws
    {
        let (store, manager) = try await makeSubscription()
        try await say(try store.period("1"), from: store, to: manager)
        #expect(manager.ownedProducts == ["maps", "basic"])
        let events = try await events(of: manager) {
            voyager.clock.advance(by: 99)
            #expect(manager.ownedProducts == ["maps", "basic"])
            voyager.clock.advance(by: 1)
            #expect(manager.ownedProducts.isEmpty)
            #expect(manager.ownership(of: "maps") == .notOwned)
        }

        #expect(events.ownershipChanges.map(Set.init) == [["maps", "basic"]])
        #expect(manager.ledger.explanation(of: "basic").ended.map(\.end) == [store.start + 100])
    }

    @Test func `a subscription that expired between two launches is not owned at the next launch`() async throws {
        let (store, first) = try await makeSubscription()
        try await say(try store.period("1"), from: store, to: first)
        await first.stop()
        voyager.clock.advance(by: 100)
        let second = try await makeManager(catalog: .catalog(Self.catalog))

        #expect(second.ownedProducts.isEmpty)
    }

    @Test func `a restore reports a running subscription as owned, and one that has ended as ended`() async throws {
        let (store, manager) = try await makeSubscription()
        store.known.record([try store.period("1")])
        let first = try await manager.restore()
        #expect((first.restored, first.alreadyOwned, first.ended) == (["basic"], [], []))
        let second = try await manager.restore()
        #expect((second.restored, second.alreadyOwned, second.ended) == ([], ["basic"], []))

        voyager.clock.advance(by: 100)
        let last = try await manager.restore()
        #expect((last.restored, last.alreadyOwned, last.ended) == ([], [], ["basic"]))
        #expect(last.isEmpty)
        await manager.stop()
    }

    @Test func `a renewed subscription remains owned, and only the new period is recorded`() async throws {
        let (store, manager) = try await makeSubscription()
        try await say(try store.period("1"), from: store, to: manager)
        let renewal = try store.period("2", from: 100, to: 200, signed: 90)
        try await say(try store.period("1", signed: 90), renewal, from: store, to: manager)
        voyager.clock.advance(by: 150)
        #expect(manager.ownedProducts == ["maps", "basic"])
        #expect(try await manager.ledger.history().map(\.fact.kind) == [.purchase, .purchase])

        voyager.clock.advance(by: 50)
        #expect(manager.ownedProducts.isEmpty)
    }

    @Test(arguments: [TransactionReason.renewal, .purchase])
    func `a renewal does not download content that the customer has not chosen, and a new purchase does`(
        reason: TransactionReason
    )
        async throws
    {
        let rome = String.voyager("rome")
        let catalog = Catalog(products: [
            CatalogProduct(
                identifier: rome, kind: .nonConsumable, localContentPath: try ContentPath("guides/rome"),
                isHosted: true),
            CatalogProduct(identifier: "basic", kind: .autoRenewableSubscription, childProducts: [rome]),
        ])
        let store = try SubscriptionStore(around: voyager.clock.now)
        let manager = try await makeManager(
            catalog: .catalog(catalog), store: store.store(over: voyager.store), verifier: store.verifier()
        ) { _ in }
        await manager.loadProducts()
        try await say(try store.period("1"), from: store, to: manager)
        #expect(try manager.content.restorable().map(\.id) == [rome])
        store.unfinished.record([try store.period("2", from: 100, to: 200, signed: 90, reason: reason)])
        await manager.purchases.deliverUnfinished()

        #expect(store.unfinished.values.last == [])
        #expect(try await manager.ledger.history().count { $0.fact.kind == .purchase } == 2)
        #expect(try manager.content.restorable().map(\.id) == (reason == .renewal ? [rome] : []))
    }

    @Test func `a subscription in its grace period is owned, and repeated store responses record nothing new`()
        async throws
    {
        let (store, manager) = try await makeSubscription()
        for second in [0, 90, 110, 120] as [TimeInterval] {
            try await say(try store.period("1", signed: second, grace: 150), from: store, to: manager)
        }
        try await say(try store.period("1", signed: 130), from: store, to: manager)
        voyager.clock.advance(by: 140)
        let reason = Ownership.OwnTransaction(
            id: "1", purchaseDate: store.start, expirationDate: store.start + 150, isInGracePeriod: true)
        #expect(manager.ownership(of: "basic") == .owned(because: [.transaction(reason)]))
        // The second renewal data was signed after the end of the period.
        #expect(try await manager.ledger.history().map(\.fact.kind) == [.purchase, .renewal, .renewal])
        #expect(try await manager.ledger.check().isGood)

        voyager.clock.advance(by: 10)
        #expect(manager.ownedProducts.isEmpty)
    }

    @Test func `when a grace period begins, the listing shows it and the change is reported`() async throws {
        let (store, manager) = try await makeSubscription()
        try await say(try store.period("1", signed: 90, grace: 150), from: store, to: manager)
        voyager.clock.advance(by: 99)
        #expect(manager.listing(for: "basic")?.ownership == manager.ownership(of: "basic"))
        let reason = Ownership.OwnTransaction(
            id: "1", purchaseDate: store.start, expirationDate: store.start + 150, isInGracePeriod: true)
        let events = try await events(of: manager) {
            voyager.clock.advance(by: 1)
            #expect(manager.listing(for: "basic")?.ownership == .owned(because: [.transaction(reason)]))
        }
        let listed = events.compactMap {
            if case .listingChanged(let listings) = $0 { listings.map(\.id) } else { nil }
        }

        #expect(listed == [["basic"]])
        #expect(events.ownershipChanges == [])
    }

    @Test func `after an upgrade the better subscription is owned and the old one is not`() async throws {
        let (store, manager) = try await makeSubscription()
        try await say(try store.period("1"), from: store, to: manager)
        voyager.clock.advance(by: 50)
        let better = try store.period("2", of: "best", from: 50, to: 150, signed: 50)
        try await say(try store.period("1", signed: 50, isUpgraded: true), better, from: store, to: manager)

        #expect(manager.ownedProducts == ["tours", "best"])
        #expect(
            try await manager.ledger.history().map(\.fact.kind).sorted { $0.rawValue < $1.rawValue } == [
                .purchase, .purchase, .term,
            ])
        #expect(manager.ledger.explanation(of: "basic").ended.map(\.end) == [store.start + 50])
        #expect(try await manager.ledger.check().isGood)
    }

    @Test func `a refunded subscription period is not owned, and the next period is unaffected`() async throws {
        let (store, manager) = try await makeSubscription()
        let next = try store.period("2", from: 100, to: 200, signed: 90)
        try await say(try store.period("1"), next, from: store, to: manager)
        try await say(try store.period("1", signed: 95, revoked: 95), from: store, to: manager)
        #expect(manager.ownedProducts == ["maps", "basic"])

        try await say(try store.period("2", from: 100, to: 200, signed: 96, revoked: 96), from: store, to: manager)
        #expect(manager.ownedProducts.isEmpty)
        #expect(manager.purchases.revocations(of: "basic").count == 2)
    }

    @Test func `a non-renewing subscription lasts as long as the catalog states`() async throws {
        let (store, manager) = try await makeSubscription()
        let season = try store.period("1", of: "season", type: .nonRenewingSubscription, to: nil)
        try await say(season, from: store, to: manager)
        #expect(manager.ownedProducts == ["tours", "season"])

        voyager.clock.advance(by: 60)
        #expect(manager.ownedProducts.isEmpty)
        try await say(season, from: store, to: manager)
        #expect(manager.ownedProducts.isEmpty)
        #expect(try await manager.ledger.check().isGood)
    }

    @Test func `a clock set back before a date that the store has signed does not revive an expired subscription`()
        async throws
    {
        let (store, first) = try await makeSubscription()
        try await say(try store.period("1"), from: store, to: first)
        voyager.clock.advance(by: 200)
        #expect(first.ownedProducts.isEmpty)
        try await say(
            try store.period("9", of: "season", type: .nonRenewingSubscription, to: nil, signed: 200),
            from: store, to: first)
        voyager.clock.advance(by: -150)
        #expect(!first.ownership(of: "basic").isOwned)

        let second = try await makeManager(catalog: .catalog(Self.catalog))
        await second.loadProducts()
        #expect(!second.ownership(of: "basic").isOwned)
    }

    @Test func `a subscription is offered and bought, and offered again after it has expired`() async throws {
        let subscriptions = try SubscriptionStore(around: voyager.clock.now)
        let period = try subscriptions.period("1")
        var store = subscriptions.store(over: voyager.store)
        store.onProducts = { _ throws(StoreError) in
            [
                StoreProduct(
                    identifier: "basic", kind: .autoRenewableSubscription, displayName: "Basic", description: "",
                    price: 1, currencyCode: "EUR", displayPrice: "1 €")
            ]
        }
        store.onPurchase = { _, _ throws(StoreError) in .purchased(period) }
        let manager = try await makeManager(
            catalog: .catalog(Self.catalog), store: store, verifier: subscriptions.verifier()
        ) { _ in }
        await manager.loadProducts()
        #expect(manager.products.map(\.id) == ["basic"])
        guard case .success = await manager.purchase("basic") else {
            Issue.record("it was not bought")
            return
        }

        #expect(manager.ownedProducts == ["maps", "basic"])
        #expect(manager.products.isEmpty)
        voyager.clock.advance(by: 100)
        #expect(manager.products.map(\.id) == ["basic"])
    }
}
