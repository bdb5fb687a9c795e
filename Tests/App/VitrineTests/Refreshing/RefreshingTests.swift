import Foundation
import Synchronization
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Automatic loads: after failures, at intervals, when the network is available again, and when the app enters the
/// foreground.
@Suite(.hangLimit) struct RefreshingTests {
    let voyager: VoyagerStore
    let folder: TemporaryFolder
    let sleep = ManualSleep()
    let changes = AsyncStream<Void>.makeStream()
    /// Number of products in each request to the store.
    let asked = Recorder<Int>()
    let outage = Outage()

    /// Outage of the store.
    final class Outage: Sendable {
        private let lasts = Mutex(true)

        var isOn: Bool {
            get { lasts.withLock { $0 } }
            set { lasts.withLock { $0 = newValue } }
        }
    }

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    var store: InterceptedStore {
        let (simulated, asked, outage) = (voyager.store, asked, outage)
        var store = InterceptedStore(simulated)
        store.onProducts = { identifiers async throws(StoreError) in
            asked.record(identifiers.count)
            if outage.isOn { throw StoreError(code: .network, reason: "the store cannot be reached") }
            return try await simulated.products(for: identifiers)
        }
        return store
    }

    func makeManager(
        catalog: CatalogSource = .file(Repository.sample("Voyager.plist")), store: InterceptedStore? = nil,
        random: Double = 0, interval: Duration? = nil
    ) async throws -> CatalogManager {
        let (clock, sleep, changes) = (voyager.clock, sleep, changes)
        return try await CatalogManager(
            catalog: catalog, store: store ?? self.store, verifier: voyager.verifier(),
            home: Home(url: folder["home"]), content: PackageFolder(url: Repository.samplePackages),
            options: ManagerOptions(
                schedule: RetrySchedule(random: { random }, sleep: { try await sleep.sleep($0) }), now: { clock.now }
            ) {
                $0.loading.refreshInterval = interval
                $0.loading.networkChanges = { changes.stream }
            })
    }

    func remote(_ url: URL, cacheDays: Double = 1) -> CatalogSource {
        .remote(
            RemoteCatalog(url: url.appending(path: "catalog.plist"), cacheDays: cacheDays),
            local: Repository.sample("Voyager.plist"))
    }

    static func plist() throws -> LoopbackServer.Answer {
        .reply(
            200, headers: ["Content-Type": "application/xml"],
            body: try Data(contentsOf: Repository.sample("Voyager.plist")))
    }

    /// Waits for the end of a load, and returns its status.
    func nextStatus(_ events: AsyncStream<CatalogEvent>) async -> LoadingStatus? {
        for await event in events {
            guard case .loading(.statusChanged(let status)) = event else { continue }
            if status != .productsLoading, status != .listLoaded { return status }
        }
        return nil
    }

    func nextRetry(_ events: AsyncStream<CatalogEvent>) async -> (date: Date, reason: LoadFailure)? {
        for await event in events {
            if case .loading(.retryScheduled(let date, let reason)) = event { return (date, reason) }
        }
        return nil
    }

    // MARK: Refreshing

    @Test(arguments: [(600, 600), (60, 60), (1, 60), (0, 60), (-5, 60)])
    func `products are loaded again at the refresh interval of the app, at least 60 seconds apart`(
        interval: Int, wait: Int
    ) async throws {
        outage.isOn = false
        let manager = try await makeManager(interval: .seconds(interval))
        let events = manager.events()
        await manager.loadProducts()
        #expect(manager.catalog.nextLoad == voyager.clock.now + TimeInterval(wait))
        #expect(await nextStatus(events) == .productsLoaded)
        for count in 2...4 {
            #expect(await sleep.begun() == .seconds(wait))
            voyager.clock.advance(by: TimeInterval(wait))
            sleep.wake()
            #expect(await nextStatus(events) == .productsLoaded)
            #expect(asked.values.count == count)
        }
    }

    @Test func `on return to the foreground only data that is out of date is requested again`() async throws {
        outage.isOn = false
        let server = try await LoopbackServer(try Self.plist())
        let manager = try await makeManager(catalog: remote(server.url))
        await manager.loadProducts()
        for (seconds, requests, questions) in [
            (0, 1, 1), (3_599, 1, 1), (1, 1, 2), (3_599, 1, 2), (86_400, 2, 3), (0, 2, 3),
        ] {
            voyager.clock.advance(by: TimeInterval(seconds))
            await manager.enterForeground()
            #expect(server.requests.count == requests, "\(seconds)")
            #expect(asked.values.count == questions, "\(seconds)")
        }
        outage.isOn = true
        voyager.clock.advance(by: 3_600)
        await manager.enterForeground()
        #expect(manager.status == .productsLoadFailed)
        outage.isOn = false
        await manager.enterForeground()
        #expect(manager.status == .productsLoaded)
    }

    @Test func `with a refresh interval, a store response is out of date after that interval`() async throws {
        outage.isOn = false
        let manager = try await makeManager(interval: .seconds(120))
        await manager.loadProducts()
        for (seconds, questions) in [(119, 1), (1, 2), (-60, 3)] {
            voyager.clock.advance(by: TimeInterval(seconds))
            await manager.enterForeground()
            #expect(asked.values.count == questions, "\(seconds)")
        }
    }

    @Test func `a return to the foreground delivers unfinished purchases, but never starts the first load`()
        async throws
    {
        outage.isOn = false
        let manager = try await makeManager()
        await manager.enterForeground()
        #expect(asked.values.isEmpty)
        await manager.loadProducts()
        _ = try await voyager.store.purchase(.voyager("coins500"), quantity: 1)
        await manager.enterForeground()

        #expect(manager.wallets.balance(for: "coins") == .known(500))
        #expect(asked.values.count == 1)
    }

    // MARK: Ending

    @Test func `after the manager is stopped, no load is started automatically`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await sleep.begun() == .seconds(15))
        await manager.stop()
        #expect(manager.catalog.nextLoad == nil)
        await manager.loadProducts()

        #expect(manager.catalog.nextLoad == nil)
        #expect(asked.values.count == 2)
    }

    @Test func `stopping the manager waits for the load in progress, which ends without a store request or a retry`()
        async throws
    {
        outage.isOn = false
        let gate = Gate()
        let server = try await LoopbackServer { _ in
            await gate.pass()
            return .reply(503)
        }
        let manager = try await makeManager(catalog: remote(server.url))
        async let status = manager.loadProducts()
        await gate.arrival()
        let events = manager.events()
        async let stopped: Void = manager.stop()
        while await manager.loading?.isCancelled != true { await Task.yield() }
        await gate.open()
        await stopped

        #expect(await status == .listLoadFailed)
        #expect(await manager.loading == nil)
        #expect(asked.values.isEmpty)
        #expect(
            await events.reduce(into: 0) { count, event in
                if case .loading(.retryScheduled) = event { count += 1 }
            } == 0)
    }

    @Test func `a deallocated manager cancels its wait for a retry`() async throws {
        let ended = AsyncStream<Void>.makeStream()
        let (clock, sleep, changes) = (voyager.clock, sleep, changes)
        var manager: CatalogManager? = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store, verifier: voyager.verifier(),
            home: Home(url: folder["home"]),
            options: ManagerOptions(
                schedule: RetrySchedule(random: { 0 }) { duration in
                    defer { ended.continuation.yield() }
                    try await sleep.sleep(duration)
                }, now: { clock.now }
            ) { $0.loading.networkChanges = { changes.stream } })
        weak let weakManager = manager
        await manager?.loadProducts()
        #expect(await sleep.begun() == .seconds(15))
        manager = nil

        #expect(await ended.stream.first { _ in true } != nil)
        #expect(weakManager == nil)
    }
}
