import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

extension CatalogManagerTests {
    private static let sample = Repository.sample("Voyager.plist")

    @Test func `products of a remote catalog are offered like products of a bundled catalog`() async throws {
        let server = try await server()
        let manager = try await makeManager(catalog: .remote(remote(server)))
        let events = try await events(of: manager) { #expect(await manager.loadProducts() == .productsLoaded) }

        #expect(events.statuses == [0, 1, 2])
        #expect(manager.catalog.loaded?.origin == .remote)
        #expect(manager.products.count == 10)
    }

    @Test func `the cached catalog is listed and waiting transactions are delivered before the server answers`()
        async throws
    {
        let (gate, isSlow) = (Gate(), Recorder<Void>())
        let server = try await server {
            if !isSlow.values.isEmpty { await gate.pass() }
            return nil
        }
        let first = try await makeManager(catalog: .remote(remote(server)))
        await first.loadProducts()
        await first.stop()
        isSlow.record(())
        voyager.clock.advance(by: 2 * 86_400)
        try await voyager.store.purchaseElsewhere(.voyager("lisbon"))
        let manager = try await makeManager(catalog: .remote(remote(server)))
        let events = manager.events()
        async let status = manager.loadProducts()
        await gate.arrival()

        #expect(manager.status == .listLoaded)
        #expect(manager.catalog.loaded?.origin == .cache)
        #expect(manager.listing.count == 12)
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        await gate.open()
        #expect(await status == .productsLoaded)
        #expect(manager.catalog.loaded?.origin == .remote)
        await manager.stop()
        #expect(await events.all().statuses == [0, 1, 2])
    }

    struct OutageRow: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let hasCache: Bool
        let hasLocal: Bool
        let statuses: [Int]
        let offered: Int
    }

    @Test(arguments: [
        OutageRow(
            testDescription: "cached and local", hasCache: true, hasLocal: true, statuses: [0, 1, 2], offered: 10),
        OutageRow(testDescription: "cached", hasCache: true, hasLocal: false, statuses: [0, 1, 2], offered: 10),
        OutageRow(testDescription: "local", hasCache: false, hasLocal: true, statuses: [0, 1, 2], offered: 10),
        OutageRow(testDescription: "nothing", hasCache: false, hasLocal: false, statuses: [0, -1], offered: 0),
    ])
    func `a failure of the catalog server is reported, and the cached or local catalog is used if one exists`(
        _ row: OutageRow
    ) async throws {
        let isDown = Recorder<Void>()
        let server = try await server {
            isDown.values.isEmpty ? nil : .reply(503, headers: ["Retry-After": "60"])
        }
        if row.hasCache {
            let first = try await makeManager(catalog: .remote(remote(server)))
            await first.loadProducts()
            await first.stop()
        }
        isDown.record(())
        voyager.clock.advance(by: 2 * 86_400)
        let manager = try await makeManager(
            catalog: .remote(remote(server), local: row.hasLocal ? Self.sample : nil))
        let events = try await events(of: manager) { await manager.loadProducts() }

        #expect(events.statuses == row.statuses)
        #expect(manager.products.count == row.offered)
        let failures: [CatalogError] = events.compactMap {
            switch $0 {
            case .loading(.catalogNotRefreshed(let error, _)) where row.hasCache || row.hasLocal: error
            case .loading(.catalogFailed(let error)) where !row.hasCache && !row.hasLocal: error
            default: nil
            }
        }
        #expect(failures.map(\.code) == [.status])
        #expect(failures.first?.retryDate == voyager.clock.now + 60)
        let origin: LoadedCatalog.Origin? = row.hasCache ? .cache : row.hasLocal ? .file(Self.sample) : nil
        #expect(manager.catalog.loaded?.origin == origin)
    }

    /// Starts a server with a signed catalog that expires in an hour.
    private func signed() async throws -> (server: LoopbackServer, catalog: RemoteCatalog) {
        let publisher = try CatalogPublisher(catalog: String(contentsOf: Self.sample, encoding: .utf8)).changed {
            $0.expires = CatalogPublisher.date + 3_600
        }
        let files = try publisher.files()
        let server = try await LoopbackServer { request in
            switch request.path {
            case "/catalog.plist": .reply(body: files.catalog)
            case "/catalog.plist.minisig": .reply(body: files.signature)
            case "/keys.plist": .reply(body: files.keys)
            default: .reply(body: files.keysSignature)
            }
        }
        var remote = remote(server)
        remote.trust = publisher.trust()
        return (server, remote)
    }

    @Test
    func `a running manager stops selling when its signed catalog expires, and schedules a load for that date`()
        async throws
    {
        let (server, remote) = try await signed()
        let manager = try await makeManager(catalog: .remote(remote))
        await manager.loadProducts()
        #expect(manager.catalog.nextLoad == voyager.clock.now + 3_600)
        voyager.clock.advance(by: 3_599)
        #expect(manager.products.count == 10)
        voyager.clock.advance(by: 1)

        #expect(manager.products.isEmpty)
        #expect(await buy("porto", with: manager) == "not-offered")
        guard case .notOffered(.catalogOutOfDate(let reason)) = try listing("porto", of: manager).offer else {
            Issue.record("porto is sold")
            return
        }
        #expect(reason.hasPrefix("the signature of the catalog was valid until 20"))
        #expect(server.requests.count == 4)
        voyager.clock.advance(by: -3_600)
        #expect(await buy("porto", with: manager) == "not-offered")
    }

    @Test func `an expired signed catalog grants no grandfathered product`() async throws {
        try await voyager.store.setOriginalPurchase(
            OriginalPurchase(version: "150", date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS))
        let (simulated, isOnline) = (voyager.store, Recorder<Void>())
        var store = InterceptedStore(simulated)
        store.onAppTransaction = { () async throws(StoreError) in
            guard !isOnline.values.isEmpty else { throw StoreError(code: .network, reason: "no network") }
            return try await simulated.appTransaction()
        }
        let (server, remote) = try await signed()
        let manager = try await makeManager(catalog: .remote(remote), store: store)
        await manager.loadProducts()
        isOnline.record(())
        voyager.clock.advance(by: 3_600)
        await manager.loadProducts()

        #expect(manager.purchases.originalPurchasedVersion == "150")
        #expect(!manager.ownership(of: .voyager("premium")).isOwned)
        withExtendedLifetime(server) {}
    }

    @Test func `with an expired signed catalog nothing new is sold, and owned products and balances remain`()
        async throws
    {
        let (server, remote) = try await signed()
        defer { withExtendedLifetime(server) {} }
        let manager = try await makeManager(catalog: .remote(remote))
        await manager.loadProducts()
        #expect(await buy("lisbon", with: manager) == "charged")
        #expect(await buy("coins50", with: manager) == "charged")
        voyager.clock.advance(by: 3_600)

        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(manager.products.isEmpty)
        #expect(manager.listing.count == 12)
        guard case .notOffered(.catalogOutOfDate(let reason)) = try listing("porto", of: manager).offer else {
            Issue.record("porto is sold")
            return
        }
        #expect(reason.contains("expired"))
        #expect(try listing("lisbon", of: manager).offer == .notOffered(.alreadyOwned))
        #expect(await buy("porto", with: manager) == "not-offered")
        #expect(await buy("coins50", with: manager) == "not-offered")
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(manager.wallets.balance(for: "coins") == .known(50))
        #expect(try await manager.restore().alreadyOwned == [.voyager("lisbon")])
    }

    @Test func `after the app deletes the cached catalog, the next load requests it again`() async throws {
        let server = try await server()
        let manager = try await makeManager(catalog: .remote(remote(server)))
        #expect(try await !manager.catalog.deleteCachedCatalog())
        await manager.loadProducts()
        #expect(try await manager.catalog.deleteCachedCatalog())
        #expect(try await !manager.catalog.deleteCachedCatalog())
        #expect(manager.listing.count == 12)
        #expect(server.requests.count == 1)

        await manager.loadProducts()
        #expect(server.requests.count == 2)
    }

    @Test func `deleting the catalog cache reloads the catalog, and the previous listing remains if the reload fails`()
        async throws
    {
        let isDown = Recorder<Void>()
        let server = try await server { isDown.values.isEmpty ? nil : .reply(500) }
        let manager = try await makeManager(catalog: .remote(remote(server)))
        await manager.loadProducts()
        await manager.loadProducts()
        #expect(server.requests.count == 1)

        #expect(await manager.catalog.deleteCache() == .productsLoaded)
        #expect(server.requests.count == 2)
        isDown.record(())
        #expect(await manager.catalog.deleteCache() == .listLoadFailed)
        #expect(manager.listing.count == 12)
    }
}
