import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrineEntitlements
import VitrineMigration
import VitrineNetworking
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Actions that are not performed with a fallback catalog.
extension CatalogManagerTests {
    /// Writes the app's own property list, which is older than the server's and differs from it.
    private func local(coins50: Int = 50, startingBalance: Int = 0) throws -> URL {
        let sample = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        let wallets =
            "<key>wallets</key><dict><key>coins</key><dict>"
            + "<key>startingBalance</key><integer>\(startingBalance)</integer></dict></dict>"
        return try folder.write(
            sample.replacing(
                "<plist version=\"1.0\">\n<array>", with: "<plist version=\"1.0\"><dict><key>products</key><array>"
            )
            .replacing("</array>\n</plist>", with: "</array>\(wallets)</dict></plist>")
            .replacing("<integer>50</integer>", with: "<integer>\(coins50)</integer>"), to: "local.plist")
    }

    private func makeManager(after preferences: MemoryPreferences, _ remote: RemoteCatalog, local: URL?) async throws
        -> CatalogManager
    {
        let (documents, caches) = (folder["Documents"], folder["Caches"])
        return try await makeManager(catalog: .remote(remote, local: local)) { options in
            options.mirror = PreferenceMirror(preferences: preferences)
            options.legacyData = LegacyDataSource(
                [.vtaInAppPurchases], preferences: preferences, documents: documents, caches: caches)
        }
    }

    @Test
    func `legacy data is not imported with a fallback catalog, and is imported once the server's catalog is known`()
        async throws
    {
        let isUp = Recorder<Void>()
        let server = try await server { isUp.values.isEmpty ? .reply(503) : nil }
        let preferences = MemoryPreferences([
            "coins": .integer(550), "VTAInAppPurchasesInstantUnlockKey": .array([.string(.voyager("porto"))]),
        ])
        let manager = try await makeManager(
            after: preferences, remote(server), local: try local(startingBalance: 25))
        await manager.loadProducts()
        #expect(manager.catalog.loaded?.failure != nil)
        #expect(try await manager.ledger.history().isEmpty)
        #expect(preferences.value(forKey: "coins") == .integer(550))

        isUp.record(())
        await manager.loadProducts()
        #expect(manager.wallets.balance(for: "coins") == .known(550))
        #expect(manager.ownedProducts == [.voyager("porto")])
        #expect(preferences.value(forKey: "coins") == .integer(550))
    }

    @Test func `after legacy data is imported, balances are written to preferences even if the catalog server fails`()
        async throws
    {
        let isDown = Recorder<Void>()
        let server = try await server { isDown.values.isEmpty ? nil : .reply(503) }
        let preferences = MemoryPreferences(["coins": .integer(550)])
        let first = try await makeManager(after: preferences, remote(server), local: nil)
        await first.loadProducts()
        await first.stop()
        isDown.record(())
        voyager.clock.advance(by: 2 * 86_400)
        preferences.set(10_000, forKey: "coins")
        let second = try await makeManager(after: preferences, remote(server), local: nil)
        await second.loadProducts()

        #expect(second.catalog.loaded?.failure != nil)
        #expect(preferences.value(forKey: "coins") == .integer(550))
    }

    @Test func `a legacy purchase of a product of unknown kind is imported only after the store has stated its kind`()
        async throws
    {
        let asked: [CatalogProduct] = [CatalogProduct(identifier: .voyager("porto"))]
        await (try await makeManager(catalog: .catalog(Catalog(products: asked)))).loadProducts()
        let preferences = MemoryPreferences([
            "VTAInAppPurchasesInstantUnlockKey": .array([.string(.voyager("lisbon"))])
        ])
        let isOnline = Recorder<Void>()
        var store = InterceptedStore(voyager.store)
        let simulated = voyager.store
        store.onProducts = { identifiers async throws(StoreError) in
            guard !isOnline.values.isEmpty else { throw StoreError(code: .network, reason: "no network") }
            return try await simulated.products(for: identifiers)
        }
        let (documents, caches) = (folder["Documents"], folder["Caches"])
        let manager = try await makeManager(
            catalog: .catalog(Catalog(products: asked + [CatalogProduct(identifier: .voyager("lisbon"))])), store: store
        ) { options in
            options.legacyData = LegacyDataSource(
                [.vtaInAppPurchases], preferences: preferences, documents: documents, caches: caches)
        }
        await manager.loadProducts()
        #expect(manager.ownedProducts.isEmpty)
        #expect(try await manager.ledger.history().allSatisfy { $0.fact.kind != .grant })

        isOnline.record(())
        await manager.loadProducts()
        #expect(manager.ownedProducts == [.voyager("lisbon")])
    }

    @Test(arguments: [true, false])
    func `an unfinished purchase is credited by the server's catalog, or by the app's own catalog if the server fails`(
        isUp: Bool
    ) async throws {
        let gate = Gate()
        let server = try await server {
            await gate.pass()
            return isUp ? nil : .reply(503)
        }
        let local = try local(coins50: 5_000)
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        let manager = try await makeManager(catalog: .remote(remote(server), local: local))
        async let status = manager.loadProducts()
        await gate.arrival()
        #expect(manager.catalog.loaded?.origin == .file(local))
        #expect(try await manager.ledger.history().isEmpty)
        await gate.open()

        #expect(await status == .productsLoaded)
        #expect(manager.wallets.balance(for: "coins") == .known(isUp ? 50 : 5_000))
    }

    @Test func `after the catalog cache is deleted without a server, the last server catalog remains in use`()
        async throws
    {
        let isDown = Recorder<Void>()
        let server = try await server { isDown.values.isEmpty ? nil : .reply(500) }
        let manager = try await makeManager(
            catalog: .remote(
                remote(server),
                local: try folder.write(
                    PlistText.document("<array><string>\(String.voyager("lisbon"))</string></array>"), to: "local.plist"
                )))
        await manager.loadProducts()
        isDown.record(())
        let events = try await events(of: manager) {
            #expect(await manager.catalog.deleteCache() == .productsLoaded)
            await manager.loadProducts()
        }

        #expect(manager.catalog.loaded?.origin == .remote)
        #expect(manager.listing.count == 12)
        #expect(
            events.count {
                if case .loading(.catalogNotRefreshed(_, let used)) = $0 { used.origin == .remote } else { false }
            } == 2)
    }
}
