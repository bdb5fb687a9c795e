import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

extension CatalogManagerTests {
    @Test func `a successful load reports the statuses 0, 1 and 2, and lists products that are unknown to the store`()
        async throws
    {
        let manager = try await makeManager()
        #expect(manager.status == .productsLoading)
        #expect(manager.listing.isEmpty)

        let events = try await events(of: manager) { #expect(await manager.loadProducts() == .productsLoaded) }
        #expect(events.statuses == [0, 1, 2])
        #expect(manager.status == .productsLoaded)
        #expect(manager.listing.map(\.id) == manager.catalog.current?.products.map(\.identifier))
        #expect(manager.products.count == 10)
        #expect(manager.catalog.invalidIdentifiers == [.voyager("atlantis")])
        #expect(try listing("atlantis", of: manager).offer == .notOffered(.unknownToStore))
    }

    @Test func `a load with an unreadable catalog reports the status -1, and the previous listing remains`()
        async throws
    {
        let file = try folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "catalog.plist")
        let manager = try await makeManager(catalog: .file(file))
        await manager.loadProducts()
        let before = manager.listing
        try folder.write("<html>Not found</html>", to: "catalog.plist")

        let events = try await events(of: manager) { #expect(await manager.loadProducts() == .listLoadFailed) }
        #expect(events.statuses == [0, -1])
        #expect(manager.status.rawValue == -1)
        #expect(manager.listing == before)
        #expect(
            events.contains {
                if case .loading(.catalogFailed(let error)) = $0 { error.code == .notAPropertyList } else { false }
            })
    }

    @Test func `a load with an unavailable store reports the status -2, and the last store response remains in use`()
        async throws
    {
        let (base, isDown) = (voyager.store, Recorder<Bool>())
        var store = InterceptedStore(base)
        store.onProducts = { identifiers async throws(StoreError) in
            guard isDown.values.isEmpty else { throw StoreError(code: .unavailable, reason: "no network") }
            return try await base.products(for: identifiers)
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        let before = manager.listing
        isDown.record(true)

        let events = try await events(of: manager) { #expect(await manager.loadProducts() == .productsLoadFailed) }
        #expect(events.statuses == [0, 1, -2])
        #expect(manager.listing == before)
        #expect(manager.products.count == 10)
    }

    @Test func `without any store response, all products are listed and none is offered`() async throws {
        var store = InterceptedStore(voyager.store)
        store.onProducts = { _ throws(StoreError) in throw StoreError(code: .unavailable, reason: "no network") }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()

        #expect(manager.listing.count == 12)
        #expect(manager.products.isEmpty)
        #expect(manager.listing.allSatisfy { $0.offer == .notOffered(.productsNotLoaded) })
        #expect(try listing("lisbon", of: manager).title == "Lisbon")
        #expect(await buy("lisbon", with: manager) == "not-offered")
    }

    @Test func `a call to load during another load shares it or is followed by one more load, and both calls succeed`()
        async throws
    {
        let gate = Gate()
        let (base, calls) = (voyager.store, Recorder<Int>())
        var store = InterceptedStore(base)
        store.onProducts = { identifiers async throws(StoreError) in
            calls.record(identifiers.count)
            await gate.pass()
            return try await base.products(for: identifiers)
        }
        let manager = try await makeManager(store: store)
        async let first = manager.loadProducts()
        await gate.arrival()
        async let second = manager.loadProducts()
        await gate.open()

        #expect(await [first, second] == [.productsLoaded, .productsLoaded])
        #expect(calls.values == [12] || calls.values == [12, 12])
    }

    @Test func `a load after a finished load runs again and reports every loading status`() async throws {
        let manager = try await makeManager()
        for _ in 0..<20 {
            async let first = manager.loadProducts()
            await manager.loadProducts()
            let again = manager.events()
            await manager.loadProducts()
            _ = await first
            var statuses: [Int] = []
            for await event in again {
                if case .loading(.statusChanged(let status)) = event { statuses.append(status.rawValue) }
                if statuses.last == 2 { break }
            }
            #expect(statuses == [0, 1, 2])
        }
    }

    @Test
    func `a product that was never requested from the store is reported as not loaded, not as unknown to the store`()
        async throws
    {
        let file = try folder.write(
            String(contentsOf: Repository.sample("ProductIDs.plist"), encoding: .utf8), to: "catalog.plist")
        let (base, isDown) = (voyager.store, Recorder<Bool>())
        var store = InterceptedStore(base)
        store.onProducts = { identifiers async throws(StoreError) in
            guard isDown.values.isEmpty else { throw StoreError(code: .unavailable, reason: "no network") }
            return try await base.products(for: identifiers)
        }
        let manager = try await makeManager(catalog: .file(file), store: store)
        await manager.loadProducts()
        isDown.record(true)
        try folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "catalog.plist")
        await manager.loadProducts()

        #expect(try listing("lisbon", of: manager).isOffered)
        #expect(try listing("coins50", of: manager).offer == .notOffered(.productsNotLoaded))
    }

    @Test(arguments: [true, false])
    func
        `removing a child from a bundle ends its ownership for granted bundles, but not for purchased ones`(
            isBought: Bool
        ) async throws
    {
        let file = try folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "catalog.plist")
        let manager = try await makeManager(catalog: .file(file))
        await manager.loadProducts()
        if isBought {
            #expect(await buy("everything", with: manager) == "charged")
        } else {
            try await manager.unlock(.voyager("everything"))
        }
        try folder.write(
            String(contentsOf: file, encoding: .utf8)
                .replacing(
                    "<string>com.example.voyager.iberia</string>\n\t\t\t<string>com.example.voyager.vienna</string>",
                    with: "<string>com.example.voyager.vienna</string>"),
            to: "catalog.plist")
        let events = try await events(of: manager) { await manager.loadProducts() }

        let taken = [["lisbon", "porto", "madrid", "iberia"].map(String.voyager)]
        #expect(events.ownershipChanges == (isBought ? [] : taken))
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned == isBought)
        #expect(manager.ownership(of: .voyager("vienna")).isOwned)
    }

    @Test func `products with catalog errors are left out, and the other products are sold`() async throws {
        let catalog = Catalog(products: [
            CatalogProduct(identifier: .voyager("lisbon"), kind: .nonConsumable),
            CatalogProduct(identifier: .voyager("coins50"), kind: .consumable),
        ])
        let manager = try await makeManager(catalog: .catalog(catalog))
        await manager.loadProducts()

        #expect(manager.products.map(\.id) == [.voyager("lisbon")])
        #expect(await buy("coins50", with: manager) == "not-in-catalog")
    }
}
