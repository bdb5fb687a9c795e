import Foundation
import Networking
import ProductCatalog
import Purchasing
import StoreSimulator
import Synchronization
import TestSupport
import Testing

@testable import Vitrine

/// Loading that nobody asks for: after failures, at intervals, and when the network or the customer comes back.
@Suite struct RefreshingTests {
    private let voyager: VoyagerStore
    private let folder: TemporaryFolder
    private let sleep = ManualSleep()
    private let changes = AsyncStream<Void>.makeStream()
    /// What the store was asked.
    private let asked = Recorder<Int>()
    private let outage = Outage()

    /// Whether the store can be reached.
    private final class Outage: Sendable {
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

    private var store: InterceptedStore {
        let (simulated, asked, outage) = (voyager.store, asked, outage)
        var store = InterceptedStore(simulated)
        store.onProducts = { identifiers async throws(StoreError) in
            asked.record(identifiers.count)
            if outage.isOn { throw StoreError(code: .network, reason: "the store cannot be reached") }
            return try await simulated.products(for: identifiers)
        }
        return store
    }

    private func makeManager(
        catalog: CatalogSource = .file(Repository.sample("Voyager.plist")), store: InterceptedStore? = nil,
        random: Double = 0, interval: Duration? = nil
    ) async throws -> CatalogManager {
        let (clock, sleep, changes) = (voyager.clock, sleep, changes)
        return try await CatalogManager(
            catalog: catalog, store: store ?? self.store, verifier: voyager.verifier(),
            home: Home(url: folder["home"]), content: PackageFolder(url: Repository.samplePackages),
            options: ManagerOptions(
                languages: ["en"],
                schedule: RetrySchedule(random: { random }, sleep: { try await sleep.sleep($0) }),
                transport: DefaultTransport.patient, refreshInterval: interval, networkChanges: { changes.stream },
                now: { clock.now }))
    }

    private func remote(_ url: URL, cacheDays: Double = 1) -> CatalogSource {
        .remote(
            RemoteCatalog(url: url.appending(path: "catalog.plist"), cacheDays: cacheDays),
            local: Repository.sample("Voyager.plist"))
    }

    private static func plist() throws -> LoopbackServer.Answer {
        .reply(
            200, headers: ["Content-Type": "application/xml"],
            body: try Data(contentsOf: Repository.sample("Voyager.plist")))
    }

    /// Waits for the end of a load.
    private func nextStatus(_ events: AsyncStream<CatalogEvent>) async -> LoadingStatus? {
        for await event in events {
            guard case .statusChanged(let status) = event else { continue }
            if status != .productsLoading, status != .listLoaded { return status }
        }
        return nil
    }

    private func nextRetry(_ events: AsyncStream<CatalogEvent>) async -> (date: Date, reason: LoadFailure)? {
        for await event in events { if case .retryScheduled(let date, let reason) = event { return (date, reason) } }
        return nil
    }

    // MARK: After a failure

    @Test func `a cold start without a network lists the local catalog, says why, and is tried again by itself`()
        async throws
    {
        let dead = try DeadAddress()
        let manager = try await makeManager(catalog: remote(dead.url), random: 1)
        let events = manager.events()

        #expect(await manager.loadProducts() == .productsLoadFailed)
        #expect(manager.status.rawValue == -2)
        #expect(manager.listing.count == 12)
        #expect(manager.listing.allSatisfy { $0.price == nil && $0.offer == .notOffered(.productsNotLoaded) })
        #expect(manager.listing.first?.title == "Lisbon")
        let planned = try #require(await nextRetry(events))
        #expect(planned.date == voyager.clock.now + 18.75)
        #expect(planned.reason.description == "the store cannot be reached")
        #expect(manager.nextLoad == planned.date)
        #expect(await sleep.begun() == .seconds(18.75))

        outage.isOn = false
        sleep.wake()
        #expect(await nextStatus(events) == .productsLoaded)
        #expect(manager.products.count == 10)
        // The catalog could still not be had.
        #expect(try #require(await nextRetry(events)).date == voyager.clock.now + 37.5)
    }

    @Test func `when the network is back products come without a call`() async throws {
        let manager = try await makeManager()
        #expect(await manager.loadProducts() == .productsLoadFailed)
        let events = manager.events()
        outage.isOn = false
        changes.continuation.yield()

        #expect(await nextStatus(events) == .productsLoaded)
        #expect(manager.products.count == 10)
        #expect(asked.values.count == 2)
    }

    @Test func `a network that comes back while a load is under way ends in another load at once`() async throws {
        let (gate, asked, simulated) = (Gate(), asked, voyager.store)
        var store = store
        store.onProducts = { identifiers async throws(StoreError) in
            asked.record(identifiers.count)
            guard asked.values.count == 1 else { return try await simulated.products(for: identifiers) }
            await gate.pass()
            throw StoreError(code: .network, reason: "the store cannot be reached")
        }
        let manager = try await makeManager(store: store)
        let events = manager.events()
        async let first = manager.loadProducts()
        await gate.arrival()
        await manager.networkMayBeBack()
        await gate.open()

        #expect(await first == .productsLoadFailed)
        #expect(await sleep.begun() == .zero)
        sleep.wake()
        #expect(await nextStatus(events) == .productsLoadFailed)
        #expect(await nextStatus(events) == .productsLoaded)
    }

    @Test func `a network that comes and goes is followed at once by one load alone`() async throws {
        let (gates, asked) = ([Gate(), Gate()], asked)
        var store = store
        store.onProducts = { identifiers async throws(StoreError) in
            asked.record(identifiers.count)
            await gates[asked.values.count - 1].pass()
            throw StoreError(code: .network, reason: "the store cannot be reached")
        }
        let manager = try await makeManager(store: store)
        async let status = manager.loadProducts()
        for (gate, wait) in zip(gates, [Duration.zero, .seconds(15)]) {
            await gate.arrival()
            await manager.networkMayBeBack()
            await gate.open()
            #expect(await sleep.begun() == wait)
            if wait == .zero { sleep.wake() }
        }
        #expect(await status == .productsLoadFailed)
        #expect(asked.values.count == 2)
    }

    @Test func `a network that changes after a good load asks nobody`() async throws {
        outage.isOn = false
        let manager = try await makeManager()
        await manager.loadProducts()
        await manager.networkMayBeBack()

        #expect(asked.values.count == 1)
        #expect(manager.nextLoad == nil)
    }

    @Test func `each wait is twice the one before, up to a quarter of an hour, and a success ends that`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        for seconds in [15, 30, 60, 120, 240, 480, 900, 900] {
            #expect(await sleep.begun() == .seconds(seconds))
            sleep.wake()
        }
        #expect(await sleep.begun() == .seconds(900))
        outage.isOn = false
        let events = manager.events()
        sleep.wake()
        #expect(await nextStatus(events) == .productsLoaded)
        #expect(manager.nextLoad == nil)

        outage.isOn = true
        await manager.loadProducts()
        #expect(await sleep.begun() == .seconds(15))
    }

    @Test(arguments: [true, false])
    func `after a call, or with the network back, waits begin anew`(isCall: Bool) async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        for _ in 0..<4 { await manager.load(byItself: true) }
        #expect(manager.nextLoad == voyager.clock.now + 240)
        if isCall { await manager.loadProducts() } else { await manager.networkMayBeBack() }

        #expect(manager.nextLoad == voyager.clock.now + 15)
    }

    @Test func `the store's waits are not those of the catalog's server`() async throws {
        outage.isOn = false
        let server = try await LoopbackServer(.reply(500))
        let manager = try await makeManager(catalog: remote(server.url))
        await manager.loadProducts()
        for _ in 0..<4 { await manager.load(byItself: true) }
        #expect(manager.nextLoad == voyager.clock.now + 240)
        outage.isOn = true
        await manager.load(byItself: true)

        #expect(manager.nextLoad == voyager.clock.now + 15)
        outage.isOn = false
        await manager.load(byItself: true)
        #expect(manager.nextLoad == voyager.clock.now + 900)
    }

    @Test func `a call loads at once, and ends the wait`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await sleep.begun() == .seconds(15))
        #expect(manager.nextLoad == voyager.clock.now + 15)
        outage.isOn = false

        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(manager.nextLoad == nil)
        #expect(asked.values.count == 2)
    }

    @Test func `a file that cannot be read is not read again by itself`() async throws {
        let file = try folder.write("<html>", to: "catalog.plist")
        let manager = try await makeManager(catalog: .file(file))

        #expect(await manager.loadProducts() == .listLoadFailed)
        #expect(manager.nextLoad == nil)
    }

    // MARK: What a server asks for

    @Test(
        arguments: [(nil, 15), (1, 15), (120, 120), (3_600, 3_600), (86_400, 3_600)] as [(Int?, TimeInterval)]
    )
    func `a server is not asked again before it wants to be, within an hour`(seconds: Int?, wait: TimeInterval)
        async throws
    {
        outage.isOn = false
        let headers = seconds.map { ["Retry-After": String($0)] } ?? [:]
        let server = try await LoopbackServer(.reply(429, headers: headers), try Self.plist())
        let manager = try await makeManager(catalog: remote(server.url))
        let start = voyager.clock.now

        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(manager.nextLoad == start + wait)
        #expect(await manager.catalogStatus().lastAttempt?.nextDate == start + wait)
        if wait > 15 {
            await manager.networkMayBeBack()
            await manager.enterForeground()
            #expect(server.requests.count == 1)
            #expect(manager.nextLoad == start + wait)
        }
        voyager.clock.advance(by: wait)
        await manager.networkMayBeBack()
        #expect(server.requests.count == 2)
        #expect(manager.nextLoad == nil)
    }

    @Test func `a server that wants to wait is asked all the same where the app calls`() async throws {
        outage.isOn = false
        let server = try await LoopbackServer(.reply(503, headers: ["Retry-After": "600"]), try Self.plist())
        let manager = try await makeManager(catalog: remote(server.url))
        await manager.loadProducts()

        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(server.requests.count == 2)
        #expect(manager.loadedCatalog?.origin == .remote)
    }

    /// - Returns: A call that has its turn before anything that comes to the manager from now on.
    private static func call(_ manager: isolated CatalogManager) -> Task<LoadingStatus, Never> {
        Task { await manager.loadProducts() }
    }

    @Test func `a call that comes while products are loaded without the server is followed by a load that asks it`()
        async throws
    {
        outage.isOn = false
        let (gate, asked, simulated) = (Gate(), asked, voyager.store)
        var store = store
        store.onProducts = { identifiers async throws(StoreError) in
            asked.record(identifiers.count)
            if asked.values.count == 2 { await gate.pass() }
            return try await simulated.products(for: identifiers)
        }
        let server = try await LoopbackServer(.reply(503, headers: ["Retry-After": "600"]), try Self.plist())
        let manager = try await makeManager(catalog: remote(server.url), store: store)
        await manager.loadProducts()
        async let byItself = manager.load(byItself: true)
        await gate.arrival()
        let call = await Self.call(manager)
        await gate.open()

        #expect(await byItself == .productsLoaded)
        #expect(await call.value == .productsLoaded)
        #expect(server.requests.count == 2)
        #expect(manager.loadedCatalog?.origin == .remote)
    }

    @Test func `the store is asked again though the catalog's server wants to wait, and the server is not`()
        async throws
    {
        let server = try await LoopbackServer(.reply(429, headers: ["Retry-After": "600"]))
        let manager = try await makeManager(catalog: remote(server.url))
        #expect(await manager.loadProducts() == .productsLoadFailed)
        #expect(await sleep.begun() == .seconds(15))
        outage.isOn = false
        let events = manager.events()
        voyager.clock.advance(by: 15)
        sleep.wake()

        #expect(await nextStatus(events) == .productsLoaded)
        #expect(try #require(await nextRetry(events)).date == voyager.clock.now + 585)
        #expect(server.requests.count == 1)
        #expect(asked.values.count == 2)
    }

    @Test func `a clock that was set back does not keep a server from being asked`() async throws {
        outage.isOn = false
        let server = try await LoopbackServer(.reply(429, headers: ["Retry-After": "600"]), try Self.plist())
        let manager = try await makeManager(catalog: remote(server.url))
        await manager.loadProducts()
        voyager.clock.advance(by: -86_400)
        await manager.networkMayBeBack()

        #expect(server.requests.count == 2)
    }

    // MARK: Refreshing

    @Test(arguments: [(600, 600), (60, 60), (1, 60), (0, 60), (-5, 60)])
    func `products are loaded at an interval, where the app names one`(interval: Int, wait: Int) async throws {
        outage.isOn = false
        let manager = try await makeManager(interval: .seconds(interval))
        let events = manager.events()
        await manager.loadProducts()
        #expect(manager.nextLoad == voyager.clock.now + TimeInterval(wait))
        #expect(await nextStatus(events) == .productsLoaded)
        for count in 2...4 {
            #expect(await sleep.begun() == .seconds(wait))
            voyager.clock.advance(by: TimeInterval(wait))
            sleep.wake()
            #expect(await nextStatus(events) == .productsLoaded)
            #expect(asked.values.count == count)
        }
    }

    @Test func `on the return to the foreground what is fresh is not asked for again, and what is old is`() async throws
    {
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

    @Test func `with an interval what the store said is old after that`() async throws {
        outage.isOn = false
        let manager = try await makeManager(interval: .seconds(120))
        await manager.loadProducts()
        for (seconds, questions) in [(119, 1), (1, 2), (-60, 3)] {
            voyager.clock.advance(by: TimeInterval(seconds))
            await manager.enterForeground()
            #expect(asked.values.count == questions, "\(seconds)")
        }
    }

    @Test func `the return to the foreground loads nothing that was never loaded, and delivers what is unfinished`()
        async throws
    {
        outage.isOn = false
        let manager = try await makeManager()
        await manager.enterForeground()
        #expect(asked.values.isEmpty)
        await manager.loadProducts()
        _ = try await voyager.store.purchase(.voyager("coins500"), quantity: 1)
        await manager.enterForeground()

        #expect(manager.walletBalance(for: "coins") == .known(500))
        #expect(asked.values.count == 1)
    }

    // MARK: Ending

    @Test func `after stop nothing is loaded by itself`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await sleep.begun() == .seconds(15))
        await manager.stop()
        #expect(manager.nextLoad == nil)
        await manager.loadProducts()

        #expect(manager.nextLoad == nil)
        #expect(asked.values.count == 2)
    }

    @Test func `stop waits for the load that is under way, of which nothing comes any more`() async throws {
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
                if case .retryScheduled = event { count += 1 }
            } == 0)
    }

    @Test func `a manager that goes away leaves no wait`() async throws {
        let ended = AsyncStream<Void>.makeStream()
        let (clock, sleep, changes) = (voyager.clock, sleep, changes)
        var manager: CatalogManager? = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store, verifier: voyager.verifier(),
            home: Home(url: folder["home"]),
            options: ManagerOptions(
                schedule: RetrySchedule(random: { 0 }) { duration in
                    defer { ended.continuation.yield() }
                    try await sleep.sleep(duration)
                }, networkChanges: { changes.stream }, now: { clock.now }))
        weak let weakManager = manager
        await manager?.loadProducts()
        #expect(await sleep.begun() == .seconds(15))
        manager = nil

        #expect(await ended.stream.first { _ in true } != nil)
        #expect(weakManager == nil)
    }
}
