import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Effects of the storefront, and differences between devices.
extension CatalogManagerTests {
    @Test func `a change of storefront removes all prices at once, and then loads the prices of the new country`()
        async throws
    {
        let (isMoved, gate) = (Recorder<Void>(), Gate())
        var store = InterceptedStore(voyager.store)
        let simulated = voyager.store
        store.onProducts = { identifiers async throws(StoreError) in
            if !isMoved.values.isEmpty { await gate.pass() }
            return try await simulated.products(for: identifiers)
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        #expect(try listing("lisbon", of: manager).currencyCode == "USD")
        let loaded = manager.events()
        isMoved.record(())
        try await voyager.store.setStorefront("DEU")
        await gate.arrival()
        #expect(try listing("lisbon", of: manager).displayPrice == nil)
        #expect(try listing("lisbon", of: manager).offer == .notOffered(.productsNotLoaded))
        #expect(try listing("lisbon", of: manager).title != "Lisbon Guide")
        await gate.open()
        await loaded.next { if case .loading(.statusChanged(.productsLoaded)) = $0 { true } else { false } }

        #expect(manager.catalog.storefront == "DEU")
        #expect(try listing("lisbon", of: manager).currencyCode == "EUR")
        #expect(try listing("lisbon", of: manager).isOffered)
    }

    @Test func `a change of storefront before the first load does not start a load`() async throws {
        let asked = Recorder<[String]>()
        var store = InterceptedStore(voyager.store)
        let simulated = voyager.store
        store.onProducts = { identifiers async throws(StoreError) in
            asked.record(identifiers)
            return try await simulated.products(for: identifiers)
        }
        let manager = try await makeManager(store: store)
        try await voyager.store.setStorefront("JPN")
        await manager.stop()

        #expect(asked.values.isEmpty)
        #expect(manager.listing.isEmpty)
    }

    @Test
    func `if payments become forbidden, the next load or return to the foreground ends all offers`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(try listing("lisbon", of: manager).isOffered)
        try await voyager.store.setPaymentRestriction("a parent has forbidden purchases")
        await manager.enterForeground()
        #expect(
            try listing("lisbon", of: manager).offer
                == .notOffered(.purchasesNotAllowed("a parent has forbidden purchases")))
        #expect(manager.products.isEmpty)
        #expect(await buy("lisbon", with: manager) == "not-allowed")

        try await voyager.store.setPaymentRestriction(nil)
        await manager.loadProducts()
        #expect(try listing("lisbon", of: manager).isOffered)
    }

    @Test func `a product that requires a later version of the app is not offered`() async throws {
        let catalog = Catalog(products: [
            CatalogProduct(
                identifier: .voyager("lisbon"), kind: .nonConsumable, minimumAppVersion: VersionNumber("2.10")),
            CatalogProduct(identifier: .voyager("porto"), kind: .nonConsumable),
        ])
        let manager = try await makeManager(catalog: .catalog(catalog)) { $0.appVersion = "2.9" }
        await manager.loadProducts()

        #expect(manager.products.map(\.id) == [.voyager("porto")])
        #expect(await buy("lisbon", with: manager) == "not-offered")
        #expect(try await voyager.store.transactions().isEmpty)
    }
}
