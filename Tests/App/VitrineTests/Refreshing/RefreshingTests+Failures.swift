import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Automatic loads after a failure.
extension RefreshingTests {
    @Test func `a start without a network lists the local catalog, reports the failure and is retried automatically`()
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
        #expect(manager.catalog.nextLoad == planned.date)
        #expect(await sleep.begun() == .seconds(18.75))

        outage.isOn = false
        sleep.wake()
        #expect(await nextStatus(events) == .productsLoaded)
        #expect(manager.products.count == 10)
        // The catalog could still not be had.
        #expect(try #require(await nextRetry(events)).date == voyager.clock.now + 37.5)
    }

    @Test func `when the network is back, products are loaded automatically`() async throws {
        let manager = try await makeManager()
        #expect(await manager.loadProducts() == .productsLoadFailed)
        let events = manager.events()
        outage.isOn = false
        changes.continuation.yield()

        #expect(await nextStatus(events) == .productsLoaded)
        #expect(manager.products.count == 10)
        #expect(asked.values.count == 2)
    }

    @Test func `if the network is back during a load that fails, another load follows at once`() async throws {
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

    @Test func `while the network is unstable, a failed load is repeated at once only the first time`() async throws {
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

    @Test func `a change of the network after a successful load makes no request`() async throws {
        outage.isOn = false
        let manager = try await makeManager()
        await manager.loadProducts()
        await manager.networkMayBeBack()

        #expect(asked.values.count == 1)
        #expect(manager.catalog.nextLoad == nil)
    }

    @Test func `the retry interval doubles up to 15 minutes, and a success resets it`() async throws {
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
        #expect(manager.catalog.nextLoad == nil)

        outage.isOn = true
        await manager.loadProducts()
        #expect(await sleep.begun() == .seconds(15))
    }

    @Test(arguments: [true, false])
    func `a call to load, or the network being back, resets the retry interval`(isCall: Bool) async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        for _ in 0..<4 { await manager.load(byItself: true) }
        #expect(manager.catalog.nextLoad == voyager.clock.now + 240)
        if isCall { await manager.loadProducts() } else { await manager.networkMayBeBack() }

        #expect(manager.catalog.nextLoad == voyager.clock.now + 15)
    }

    @Test func `the retry intervals for the store and for the catalog server are independent`() async throws {
        outage.isOn = false
        let server = try await LoopbackServer(.reply(500))
        let manager = try await makeManager(catalog: remote(server.url))
        await manager.loadProducts()
        for _ in 0..<4 { await manager.load(byItself: true) }
        #expect(manager.catalog.nextLoad == voyager.clock.now + 240)
        outage.isOn = true
        await manager.load(byItself: true)

        #expect(manager.catalog.nextLoad == voyager.clock.now + 15)
        outage.isOn = false
        await manager.load(byItself: true)
        #expect(manager.catalog.nextLoad == voyager.clock.now + 900)
    }

    @Test func `a call to load runs at once and ends the wait for a retry`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await sleep.begun() == .seconds(15))
        #expect(manager.catalog.nextLoad == voyager.clock.now + 15)
        outage.isOn = false

        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(manager.catalog.nextLoad == nil)
        #expect(asked.values.count == 2)
    }

    @Test func `an unreadable catalog file is not loaded again automatically`() async throws {
        let file = try folder.write("<html>", to: "catalog.plist")
        let manager = try await makeManager(catalog: .file(file))

        #expect(await manager.loadProducts() == .listLoadFailed)
        #expect(manager.catalog.nextLoad == nil)
    }
}
