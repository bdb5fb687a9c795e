import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Managers that use the clock of a simulated store, which is stopped until a test advances it.
@Suite(.hangLimit) struct StoreClockTests {
    private let club: ClubScene

    init() async throws { club = try await ClubScene(isInFolder: true) }

    private var store: SimulatedStore { club.store }

    private func makeManager(
        catalog: CatalogSource = .catalog(ClubScene.plans), choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) async throws -> CatalogManager {
        try await club.makeManager(catalog: catalog, choosing: choices)
    }

    @Test func `a subscription ends as soon as the store's clock is advanced to its end, and that is reported`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        guard case .success = await manager.purchase("club.silver") else {
            Issue.record("not purchased")
            return
        }
        #expect(manager.ownership(of: "map").isOwned)
        #expect(try await manager.ledger.history().allSatisfy { $0.recordedAt == ClubScene.start })
        try await store.setRenewal(false, of: "club.silver")
        let events = manager.events()
        let end = try #require(try await store.nextEvent())
        try await store.advance(to: end - 1)
        #expect(manager.ownership(of: "club.silver").isOwned)
        try await store.advance(by: 1)

        await events.next { if case .entitlements(.ownershipChanged) = $0 { true } else { false } }
        #expect(manager.ownedProducts.isEmpty)
        await manager.stop()
    }

    @Test func `a renewal caused by advancing the store's clock is delivered to a running manager`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        _ = await manager.purchase("club.silver")
        let events = manager.events()
        try await store.advance(by: 40 * 86_400)

        await events.next { if case .transaction(.finished) = $0 { true } else { false } }
        #expect(manager.ownership(of: "club.silver").isOwned)
        #expect(try await manager.ledger.history().map(\.fact.kind) == [.purchase, .renewal, .purchase])
        await manager.stop()
    }

    /// Creates a manager whose app verifies later transactions faster.
    private func makeManagerThatVerifiesLateTransactionsFirst() async throws -> CatalogManager {
        try await makeManager {
            $0.purchases.hooks.verification = { signed in
                let months = signed.payload.purchaseDate.timeIntervalSince(ClubScene.start) / 2_592_000
                for _ in 0..<max(0, 60 - 5 * Int(months)) { await Task.yield() }
                return .verified
            }
        }
    }

    @Test(arguments: [true, false])
    func `subscription periods that arrive together are recorded in chronological order`(isRunning: Bool) async throws {
        let first = try await makeManagerThatVerifiesLateTransactionsFirst()
        await first.loadProducts()
        _ = await first.purchase("club.silver")
        if !isRunning { await first.stop() }
        try await store.advance(by: 370 * 86_400)
        let manager = isRunning ? first : try await makeManagerThatVerifiesLateTransactionsFirst()
        await manager.loadProducts()
        await manager.purchases.deliverUnfinished()

        let recorded = try await manager.ledger.history().filter { $0.fact.kind == .purchase }.map(\.fact.key)
        #expect(recorded == (try await store.transactions().map(\.id)))
        #expect(recorded.count == 13)
        await manager.stop()
    }

    @Test func `an introductory offer ends with a purchase in its group, and is not shown again at an offline start`()
        async throws
    {
        func offer(_ manager: CatalogManager) -> String? {
            manager.listing(for: "club.gold")?.subscription?.introductoryOffer?.text
        }
        let first = try await makeManager()
        await first.loadProducts()
        #expect(offer(first) == "1 week free, then $9.99 a month")
        let events = first.events()
        guard case .success = await first.purchase("club.silver") else {
            Issue.record("not purchased")
            return
        }
        #expect(offer(first) == nil)
        await events.next {
            if case .listingChanged(let products) = $0 { products.contains { $0.id == "club.gold" } } else { false }
        }
        await first.stop()
        try await store.setOffline(true)
        let second = try await makeManager()
        #expect(await second.loadProducts() == .productsLoadFailed)
        #expect(second.listing(for: "club.gold")?.subscription?.displayPricePerPeriod == "$9.99 a month")
        #expect(offer(second) == nil)
        await second.stop()
        try await store.setOffline(false)
        try await store.setRenewal(false, of: "club.silver")
        try await store.advance(by: 40 * 86_400)
        let third = try await makeManager()
        await third.loadProducts()
        #expect(offer(third) == "1 week free, then $9.99 a month")
        await third.stop()
    }

    @Test func `a downgrade is scheduled for the renewal, and canceled by purchasing the current plan again`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        _ = await manager.purchase("club.gold")
        let end = try #require(try await store.nextEvent())
        for _ in 0..<2 {
            guard case .pending(.planChange(at: end)) = await manager.purchase("club.silver") else {
                Issue.record("not planned")
                return
            }
        }
        #expect(manager.ownership(of: "club.silver").isOwned == false)
        guard case .success(_, notChargedAgain: true) = await manager.purchase("club.gold") else {
            Issue.record("not taken back")
            return
        }
        _ = await manager.purchase("club.silver")
        try await store.advance(to: end)
        await manager.purchases.deliverUnfinished()

        #expect(manager.ownership(of: "club.silver").isOwned)
        #expect(manager.ownership(of: "club.gold").isOwned == false)
        #expect(try await store.transactions().count == 2)
        await manager.stop()
    }

    @Test func `a task that waits on the store's clock notices within a second that the store uses another clock`()
        async throws
    {
        try await store.useMachineClock()
        let machine = ClubScene.start - 86_400
        let other = store
        // Each sleeper has a stream of its own, so that none takes an earlier look of another for its own.
        func makeSleeper() throws -> (store: SimulatedStore, looks: AsyncStream<TimeInterval>) {
            let looks = AsyncStream<TimeInterval>.makeStream()
            let sleeper = try SimulatedStore(
                folder: club.folder["Store"], now: { machine },
                sleep: {
                    looks.continuation.yield($0)
                    await Task.yield()
                })
            return (sleeper, looks.stream)
        }
        let first = try makeSleeper()
        async let reached: Void = first.store.clock.sleep(until: machine + 3_600)
        #expect(await first.looks.first { _ in true } == 1)
        try await other.useVirtualClock(at: machine + 7_200)
        try await reached

        let second = try makeSleeper()
        async let isSetBack: Void = second.store.clock.sleep(until: ClubScene.start + 86_400)
        _ = await second.looks.first { _ in true }
        try await other.useMachineClock()
        try await isSetBack
        #expect(second.store.clock.now == machine)
    }

    @Test func `a cached catalog becomes out of date by the store's clock`() async throws {
        let body = PlistText.document("<array><string>map</string></array>")
        let server = try await LoopbackServer { _ in .reply(body: Data(body.utf8)) }
        let manager = try await makeManager(catalog: .remote(RemoteCatalog(url: server.url.appending(path: "a.plist"))))
        for _ in 0..<2 { await manager.loadProducts() }
        #expect(server.requests.count == 1)
        try await store.advance(by: 25 * 3_600)
        await manager.loadProducts()

        #expect(server.requests.count == 2)
        await manager.stop()
    }

    @Test func `a signed catalog is requested again when the store's clock is advanced to its expiration`() async throws
    {
        let publisher = CatalogPublisher(
            catalog: PlistText.document("<array><string>map</string></array>")
        ).changed {
            ($0.issued, $0.expires) = (ClubScene.start, ClubScene.start + 3_600)
            ($0.keysIssued, $0.keysExpires) = (ClubScene.start, ClubScene.start + 86_400)
            $0.keys = CatalogKeys(
                keys: [CatalogKeys.Key(publicKey: $0.signer.publicKey, expires: ClubScene.start + 86_400)], revoked: [],
                epoch: 1)
        }
        let files = try publisher.files()
        let server = try await LoopbackServer { request in
            switch request.path {
            case "/a.plist": .reply(body: files.catalog)
            case "/a.plist.minisig": .reply(body: files.signature)
            case "/keys.plist": .reply(body: files.keys)
            default: .reply(body: files.keysSignature)
            }
        }
        var remote = RemoteCatalog(url: server.url.appending(path: "a.plist"))
        remote.trust = publisher.trust()
        let manager = try await makeManager(catalog: .remote(remote))
        await manager.loadProducts()
        #expect(manager.catalog.nextLoad == ClubScene.start + 3_600)
        #expect(server.requests.count == 4)
        let events = manager.events()
        try await store.advance(by: 3_600)

        await events.next { if case .loading(.statusChanged(.productsLoaded)) = $0 { true } else { false } }
        #expect(server.requests.count > 4)
        #expect(manager.products.isEmpty)
        await manager.stop()
    }

    @Test func `a failed load is retried by the machine's clock while the store's clock is stopped`() async throws {
        let sleep = ManualSleep()
        let manager = try await makeManager {
            $0.loading.schedule = RetrySchedule(random: { 0 }, sleep: { try await sleep.sleep($0) })
        }
        try await store.fail(.products, times: 1)
        await manager.loadProducts()
        #expect(manager.status == .productsLoadFailed)
        let events = manager.events()
        #expect(await sleep.begun() == .seconds(15))
        sleep.wake()

        await events.next { if case .loading(.statusChanged(.productsLoaded)) = $0 { true } else { false } }
        #expect(store.clock.now == ClubScene.start)
        await manager.stop()
    }
}
