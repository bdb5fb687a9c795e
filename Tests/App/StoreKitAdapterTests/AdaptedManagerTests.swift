import Foundation
import OpenStoreKit
import Testing
import Vitrine
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreKitAdapter
import VitrineStoreSimulator
import VitrineTestSupport

/// Manager that uses StoreKit's interface, created as on Apple's platforms.
@Suite(.hangLimit) struct AdaptedManagerTests {
    let folder: TemporaryFolder
    let device: SimulatedStore

    init() async throws {
        folder = try TemporaryFolder()
        device = try await Shop.simulated(.sandbox)
        try await device.useVirtualClock()
    }

    private func launch(
        _ device: SimulatedStore? = nil, quirks: StoreQuirks = [], trusting roots: TrustedRoots? = nil
    ) async throws -> (manager: CatalogManager, store: AdaptedStore) {
        let device = device ?? self.device
        let store = try AdaptedStore(device, quirks: quirks)
        let root = try roots ?? TrustedRoots(pem: device.rootCertificate)
        let catalog = Catalog(products: [
            CatalogProduct(identifier: "coins", kind: .consumable, storageKey: "coins", productValue: 10),
            CatalogProduct(identifier: "map", kind: .nonConsumable),
            CatalogProduct(identifier: "club.silver", kind: .autoRenewableSubscription),
            CatalogProduct(identifier: "club.gold", kind: .autoRenewableSubscription),
        ])
        let clock = device.clock
        let manager = try await CatalogManager(
            catalog: .catalog(catalog), store: store,
            verifier: AppStoreVerifier(store: store, bundleIdentifier: "com.example.club", roots: root),
            home: Home(url: folder["home"]),
            options: {
                var options = ManagerOptions()
                options.languages = ["en"]
                options.loading.schedule = .never
                options.clock = ManagerOptions.Clock(
                    now: { clock.now }, sleepUntil: { try await clock.sleep(until: $0) })
                return options
            }())
        return (manager, store)
    }

    @Test(arguments: [StoreEnvironment.production, .sandbox])
    func `the same build of an app sells products in production and in the sandbox`(_ environment: StoreEnvironment)
        async throws
    {
        let device = try await Shop.simulated(environment)
        let manager = try await launch(device).manager
        await manager.loadProducts()
        guard case .success(_, notChargedAgain: false) = await manager.purchase("map") else {
            Issue.record("not bought")
            return
        }
        #expect(manager.ownership(of: "map").isOwned)
        #expect(try await device.unfinishedTransactions().isEmpty)
    }

    @Test(arguments: [StoreEnvironment.xcode, .sandbox])
    func `a purchase from a store with an untrusted root certificate waits unfinished until the root is trusted`(
        _ environment: StoreEnvironment
    ) async throws {
        let device = try await Shop.simulated(environment)
        let manager = try await launch(device, trusting: .apple).manager
        await manager.loadProducts()
        guard case .pending(.verification) = await manager.purchase("map") else {
            Issue.record("not pending")
            return
        }
        #expect(!manager.ownership(of: "map").isOwned)
        #expect(try await device.unfinishedTransactions().count == 1)
        await manager.stop()

        let store = try AdaptedStore(device)
        let next = try await CatalogManager(
            catalog: .catalog(Catalog(products: [CatalogProduct(identifier: "map", kind: .nonConsumable)])),
            store: store,
            verifier: AppStoreVerifier(
                store: store, bundleIdentifier: "com.example.club",
                testRoots: try TrustedRoots(pem: device.rootCertificate)),
            home: Home(url: folder["home"]))
        await next.loadProducts()
        #expect(next.ownership(of: "map").isOwned)
        #expect(try await device.unfinishedTransactions().isEmpty)
    }

    @Test func `a transaction that StoreKit does not verify is rejected, and delivered once StoreKit verifies it`()
        async throws
    {
        let (manager, store) = try await launch()
        await manager.loadProducts()
        store.connection.setErrors { $0.verification = .invalidDeviceVerification }
        guard case .failed(let failure) = await manager.purchase("coins") else {
            Issue.record("not failed")
            return
        }
        #expect(failure.code == .rejected)
        #expect(manager.wallets.balance(for: "coins") == .known(0))
        #expect(try await device.unfinishedTransactions().count == 1)
        await manager.stop()

        let next = try await launch().manager
        await next.loadProducts()
        #expect(next.wallets.balance(for: "coins") == .known(10))
        #expect(try await device.unfinishedTransactions().isEmpty)
    }

    /// StoreKit's views buy without a call of the manager, and send the transaction as an update.
    @Test(arguments: [true, false])
    func
        `a purchase in one of StoreKit's views is credited once and finished, whether the manager runs or starts later`(
            isRunning: Bool
        ) async throws
    {
        func buy(with connection: StoreConnection) async throws {
            try await StoreConnection.$isolated.withValue(connection) {
                let product = try #require(try await Product.products(for: ["coins"]).first)
                guard case .success = try await product.purchase() else {
                    Issue.record("not bought")
                    return
                }
            }
        }
        if !isRunning {
            let store = try AdaptedStore(device)
            try await buy(with: store.connection)
        }
        let (manager, store) = try await launch(quirks: .announcesOwnPurchases)
        await manager.loadProducts()
        if isRunning { try await buy(with: store.connection) }
        while manager.wallets.balance(for: "coins") != .known(10) { await Task.yield() }
        await manager.purchases.deliverUnfinished()
        #expect(manager.wallets.balance(for: "coins") == .known(10))
        #expect(try await device.unfinishedTransactions().isEmpty)
        await manager.stop()

        let next = try await launch().manager
        await next.loadProducts()
        #expect(next.wallets.balance(for: "coins") == .known(10))
        await next.stop()
    }

    @Test func `a transaction that StoreKit sends as an update and lists as unfinished is delivered by the app once`()
        async throws
    {
        _ = try await device.purchase("map", quantity: 1)
        let delivered = Recorder<String>()
        struct Handler: DeliveryHandler {
            let delivered: Recorder<String>
            func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision {
                delivered.record(transaction.payload.transactionID)
                return .delivered
            }
        }
        let store = try AdaptedStore(device, quirks: .announcesTwice)
        var options = ManagerOptions()
        options.purchases.hooks.delivery = Handler(delivered: delivered)
        let manager = try await CatalogManager(
            catalog: .catalog(Catalog(products: [CatalogProduct(identifier: "map", kind: .nonConsumable)])),
            store: store,
            verifier: AppStoreVerifier(
                store: store, bundleIdentifier: "com.example.club",
                roots: try TrustedRoots(pem: device.rootCertificate)),
            home: Home(url: folder["home"]), options: options)
        await manager.loadProducts()
        await manager.purchases.deliverUnfinished()
        let second = try await device.purchaseElsewhere("map").id
        while try await !device.unfinishedTransactions().isEmpty { await Task.yield() }
        await manager.purchases.deliverUnfinished()
        #expect(delivered.values.sorted() == ["1", second])
        await manager.stop()
    }

    @Test
    func `a purchase whose delivery the app postpones stays unfinished despite status updates or incomplete lists`()
        async throws
    {
        struct Handler: DeliveryHandler {
            let delivered: Recorder<String>
            let isReady: Recorder<Bool>
            func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision {
                guard !isReady.values.isEmpty else { return .retryLater("not ready") }
                delivered.record(transaction.payload.transactionID)
                return .delivered
            }
        }
        let (delivered, isReady, isListed) = (Recorder<String>(), Recorder<Bool>(), Recorder<Bool>())
        let adapted = try AdaptedStore(device)
        var store = InterceptedStore(adapted)
        store.onUnfinished = { () throws(StoreError) in
            isListed.values.isEmpty ? [] : try await adapted.unfinishedTransactions()
        }
        store.onSubscriptionTransactions = { () throws(StoreError) in try await adapted.subscriptionTransactions() }
        var options = ManagerOptions()
        options.purchases.hooks.delivery = Handler(delivered: delivered, isReady: isReady)
        options.loading.schedule = .never
        let clock = device.clock
        options.clock = ManagerOptions.Clock(now: { clock.now }, sleepUntil: { try await clock.sleep(until: $0) })
        let manager = try await CatalogManager(
            catalog: .catalog(
                Catalog(products: [CatalogProduct(identifier: "club.gold", kind: .autoRenewableSubscription)])),
            store: store,
            verifier: AppStoreVerifier(
                store: adapted, bundleIdentifier: "com.example.club",
                roots: try TrustedRoots(pem: device.rootCertificate)),
            home: Home(url: folder["home"]), options: options)
        await manager.loadProducts()
        guard case .pending(.delivery) = await manager.purchase("club.gold") else {
            Issue.record("not pending")
            return
        }
        // StoreKit lists the status and, for a while, nothing as unfinished.
        await manager.loadProducts()
        try await device.setRenewal(false, of: "club.gold")
        while manager.subscriptions.first?.isRenewing != false { await Task.yield() }
        _ = try await manager.restore()
        #expect(try await device.unfinishedTransactions().count == 1)
        #expect(delivered.values.isEmpty)

        isReady.record(true)
        isListed.record(true)
        await manager.purchases.deliverUnfinished()
        #expect(delivered.values.count == 1)
        #expect(try await device.unfinishedTransactions().isEmpty)
        // A status of what was delivered is no delivery.
        try await device.setRenewal(true, of: "club.gold")
        while manager.subscriptions.first?.isRenewing != true { await Task.yield() }
        #expect(delivered.values.count == 1)
        await manager.stop()
    }

    @Test func `buying a product that was already bought on another device is reported as not charged again`()
        async throws
    {
        _ = try await device.purchase("map", quantity: 1)
        for transaction in try await device.unfinishedTransactions() { try await device.finish(transaction) }
        let manager = try await launch().manager
        await manager.loadProducts()
        guard case .success(_, notChargedAgain: true) = await manager.purchase("map") else {
            Issue.record("said to be charged")
            return
        }
        #expect(try await device.transactions().count == 1)
    }

    @Test(
        arguments: [
            [], .lateListings, .newestFirst, .shuffled, .announcesTwice, .announcesOwnPurchases,
            .expiresBeforeRenewing, .hostile,
            [.hostile, .newestFirst],
        ] as [StoreQuirks])
    func `purchases, renewals and refunds are applied exactly once for every simulated behavior of StoreKit`(
        _ quirks: StoreQuirks
    ) async throws {
        // From before the first launch: a purchase, and one that was never finished.
        try await device.finish(try #require(try await device.purchase("map", quantity: 1).transaction))
        _ = try await device.purchase("coins", quantity: 2)
        var manager = try await launch(quirks: quirks).manager
        await manager.loadProducts()
        for _ in 1...3 { _ = await manager.purchase("coins") }
        guard case .success = await manager.purchase("club.silver") else {
            Issue.record("the subscription was not bought")
            return
        }
        let refunded = try await device.purchaseElsewhere("coins").id
        await manager.purchases.deliverUnfinished()
        try await device.refund(refunded)
        for round in 1...3 {
            await manager.stop()
            // Renewed, and refunded elsewhere, while no app runs.
            try await device.renew("club.silver")
            if round == 2 { _ = try await device.purchaseElsewhere("coins", quantity: 5) }
            manager = try await launch(quirks: quirks).manager
            await manager.loadProducts()
            await manager.purchases.deliverUnfinished()
            #expect(manager.ownership(of: "club.silver").isOwned)
        }
        _ = try await manager.restore()
        await manager.purchases.deliverUnfinished()

        #expect(manager.wallets.balance(for: "coins") == .known(20 + 30 + 50))
        #expect(manager.ownership(of: "map").isOwned)
        #expect(try await device.unfinishedTransactions().isEmpty)
        #expect(manager.subscriptions.count == 1)

        // It ends: StoreKit sends no transaction for that.
        try await device.setRenewal(false, of: "club.silver")
        try await device.advance(by: 400 * 86_400)
        await manager.loadProducts()
        #expect(!manager.ownership(of: "club.silver").isOwned)
        await manager.stop()
    }
}
