import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Purchases on a device whose clock is ahead of the store's.
@Suite(.hangLimit) struct ClockAheadTests {
    private let club: ClubScene
    private static let day: TimeInterval = 86_400

    init() async throws { club = try await ClubScene(isInFolder: true) }

    private var store: SimulatedStore { club.store }

    /// Launches the app.
    ///
    /// - Parameter days: Lead of the device's clock, in days.
    private func launch(
        ahead days: Double, selling other: (any Store)? = nil, home: String = "home"
    ) async throws -> CatalogManager {
        let products = Catalog(products: [
            CatalogProduct(identifier: "club.silver", kind: .autoRenewableSubscription),
            CatalogProduct(
                identifier: "pass", kind: .nonRenewingSubscription, subscriptionDuration: SubscriptionDuration("P30D")),
        ])
        let manager = try await club.makeManager(
            catalog: .catalog(products), selling: other, home: home, ahead: days * Self.day)
        await manager.loadProducts()
        return manager
    }

    @Test(arguments: ["club.silver", "pass"])
    func `a product bought while the clock is two months ahead is owned for its period, also after a relaunch`(
        product: String
    ) async throws {
        var manager = try await launch(ahead: 60)
        guard case .success = await manager.purchase(product) else {
            Issue.record("not bought")
            return
        }
        #expect(manager.ownership(of: product).isOwned)
        #expect(try await manager.ledger.check().isGood)
        if product == "club.silver" { try await store.setRenewal(false, of: product) }
        await manager.loadProducts()
        #expect(manager.ownership(of: product).isOwned)
        await manager.stop()

        manager = try await launch(ahead: 60)
        #expect(manager.ownership(of: product).isOwned)
        try await store.advance(by: 20 * Self.day)
        #expect(manager.ownership(of: product).isOwned)
        try await store.setOffline(true)
        try await store.advance(by: 20 * Self.day)
        #expect(!manager.ownership(of: product).isOwned)
        await manager.stop()
    }

    @Test(arguments: ["club.silver", "pass"])
    func `a product bought while the clock was ahead stays owned when the clock is put right`(product: String)
        async throws
    {
        var manager = try await launch(ahead: 60)
        _ = await manager.purchase(product)
        if product == "club.silver" { try await store.setRenewal(false, of: product) }
        await manager.loadProducts()
        await manager.stop()
        try await store.setOffline(true)
        manager = try await launch(ahead: 0)
        #expect(manager.ownership(of: product).isOwned)
        try await store.advance(by: 40 * Self.day)
        #expect(!manager.ownership(of: product).isOwned)
        await manager.stop()
    }

    /// Buys a pass on a device whose clock is ahead.
    private func buyPass(ahead days: Double) async throws {
        let manager = try await launch(ahead: days)
        guard case .success = await manager.purchase("pass") else {
            throw StoreError(code: .unavailable, reason: "not bought")
        }
        await manager.stop()
    }

    @Test
    func `the lead of a device's clock is not that of another device, on which its ledger is restored from a backup`()
        async throws
    {
        try await buyPass(ahead: 10)
        try FileManager.default.removeItem(at: club.folder["home/Installation"])
        try await store.setOffline(true)
        try await store.advance(by: 35 * Self.day)

        let manager = try await launch(ahead: 0)
        #expect(!manager.ownership(of: "pass").isOwned)
        await manager.stop()
        let ledger = try SQLiteLedger(url: Home(url: club.folder["home"]).ledger)
        #expect(try await StoredJSON.subscriptionCheck.value(in: ledger)?.clockLead == nil)
    }

    @Test func `an app whose earlier version did not note its installation keeps the lead of the device's clock`()
        async throws
    {
        try await buyPass(ahead: 10)
        let ledger = try SQLiteLedger(url: Home(url: club.folder["home"]).ledger)
        try await StoredJSON.knownPurchases.store(KnownPurchases(), in: ledger)
        let lead = try #require(try await StoredJSON.subscriptionCheck.value(in: ledger)?.clockLead)

        await (try await launch(ahead: 10)).stop()
        #expect(try await StoredJSON.subscriptionCheck.value(in: ledger)?.clockLead == lead)
    }

    @Test(.withoutAdapter, arguments: ["club.silver", "pass"])
    func `a product that another process records during its purchase is owned although the clock is ahead`(
        product: String
    ) async throws {
        let other = try await launch(ahead: 60)
        var shared = InterceptedStore(store)
        shared.onPurchase = { [store] identifier, options throws(StoreError) in
            let answer = try await store.purchase(identifier, options: options)
            await other.purchases.deliverUnfinished()
            return answer
        }
        let manager = try await launch(ahead: 60, selling: shared)
        guard case .success(_, notChargedAgain: true) = await manager.purchase(product) else {
            Issue.record("not bought, or charged twice")
            return
        }
        #expect(manager.ownership(of: product).isOwned)
        #expect(try await store.transactions().count == 1)
        for manager in [manager, other] { await manager.stop() }
    }

    @Test func `a store that answers a purchase days later does not show that the clock is ahead`() async throws {
        var late = InterceptedStore(store)
        late.onPurchase = { [store] identifier, options throws(StoreError) in
            let answer = try await store.purchase(identifier, options: options)
            do {
                try await store.advance(by: 10 * Self.day)
            } catch {
                throw StoreError(code: .unavailable, reason: "\(error)")
            }
            return answer
        }
        let manager = try await launch(ahead: 0, selling: late)
        _ = await manager.purchase("pass")
        try await store.advance(by: 19 * Self.day)
        #expect(manager.ownership(of: "pass").isOwned)
        try await store.advance(by: 2 * Self.day)
        #expect(!manager.ownership(of: "pass").isOwned)
        await manager.stop()
    }

    @Test func `a clock that is set back after the end of a subscription does not revive it`() async throws {
        var manager = try await launch(ahead: 60)
        _ = await manager.purchase("club.silver")
        try await store.setRenewal(false, of: "club.silver")
        await manager.loadProducts()
        try await store.setOffline(true)
        try await store.advance(by: 40 * Self.day)
        #expect(!manager.ownership(of: "club.silver").isOwned)
        await manager.stop()
        // The purchase was made forty days ago, when the clock showed sixty days more.
        for days in [25, -30, 0, 20] as [Double] {
            manager = try await launch(ahead: days)
            #expect(!manager.ownership(of: "club.silver").isOwned, "\(days)")
            await manager.stop()
        }
    }

    /// Transaction with which a store answers a new purchase by mistake, or because somebody makes it do so.
    enum OldAnswer: CaseIterable { case recorded, renewal }

    @Test(.withoutAdapter, arguments: OldAnswer.allCases)
    func `an old transaction in place of a new purchase does not make an ended subscription owned`(_ old: OldAnswer)
        async throws
    {
        let first = try await launch(ahead: 0)
        _ = await first.purchase("club.silver")
        await first.stop()
        if old == .renewal { try await store.advance(by: 40 * Self.day) }
        try await store.setRenewal(false, of: "club.silver")
        let transaction = try #require(try await store.subscriptionTransactions().first)
        try await store.advance(by: 100 * Self.day)
        var other = InterceptedStore(store)
        other.onPurchase = { _, _ throws(StoreError) in .purchased(transaction) }
        if old == .renewal {
            // A new installation, to which the store has told nothing.
            other.onKnownTransactions = { () throws(StoreError) in [] }
            other.onUnfinished = { () throws(StoreError) in [] }
        }
        let manager = try await launch(ahead: 0, selling: other, home: old == .renewal ? "other" : "home")
        _ = await manager.purchase("club.silver")
        #expect(!manager.ownership(of: "club.silver").isOwned)
        await manager.stop()
    }
}
