import Foundation
import Testing
import VitrineCatalog
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Automatic loads at the time that a server requests.
extension RefreshingTests {
    @Test(
        arguments: [(nil, 15), (1, 15), (120, 120), (3_600, 3_600), (86_400, 3_600)] as [(Int?, TimeInterval)]
    )
    func `a server is not asked again before its Retry-After time, which is limited to one hour`(
        seconds: Int?, wait: TimeInterval
    )
        async throws
    {
        outage.isOn = false
        let headers = seconds.map { ["Retry-After": String($0)] } ?? [:]
        let server = try await LoopbackServer(.reply(429, headers: headers), try Self.plist())
        let manager = try await makeManager(catalog: remote(server.url))
        let start = voyager.clock.now

        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(manager.catalog.nextLoad == start + wait)
        #expect(await manager.catalog.status().lastAttempt?.nextDate == start + wait)
        if wait > 15 {
            await manager.networkMayBeBack()
            await manager.enterForeground()
            #expect(server.requests.count == 1)
            #expect(manager.catalog.nextLoad == start + wait)
        }
        voyager.clock.advance(by: wait)
        await manager.networkMayBeBack()
        #expect(server.requests.count == 2)
        #expect(manager.catalog.nextLoad == nil)
    }

    @Test func `a call to load asks a server even before its Retry-After time`() async throws {
        outage.isOn = false
        let server = try await LoopbackServer(.reply(503, headers: ["Retry-After": "600"]), try Self.plist())
        let manager = try await makeManager(catalog: remote(server.url))
        await manager.loadProducts()

        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(server.requests.count == 2)
        #expect(manager.catalog.loaded?.origin == .remote)
    }

    /// Starts a load.
    ///
    /// - Returns: Task of a call that the manager performs before all calls that are made later.
    private static func call(_ manager: isolated CatalogManager) -> Task<LoadingStatus, Never> {
        Task { await manager.loadProducts() }
    }

    @Test func `a call to load during an automatic load that skips the server causes another load with the server`()
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
        #expect(manager.catalog.loaded?.origin == .remote)
    }

    @Test func `before the Retry-After time of the catalog server, only the store is asked again`()
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

    @Test func `a clock that was set back does not block requests to a server`() async throws {
        outage.isOn = false
        let server = try await LoopbackServer(.reply(429, headers: ["Retry-After": "600"]), try Self.plist())
        let manager = try await makeManager(catalog: remote(server.url))
        await manager.loadProducts()
        voyager.clock.advance(by: -86_400)
        await manager.networkMayBeBack()

        #expect(server.requests.count == 2)
    }
}
