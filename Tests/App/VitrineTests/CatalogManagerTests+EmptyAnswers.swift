import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

extension CatalogManagerTests {
    @Test func `an empty store response is a failed load, and the earlier products remain`() async throws {
        let answers = Recorder<[StoreProduct]>()
        var store = InterceptedStore(voyager.store)
        let simulated = voyager.store
        store.onProducts = { identifiers throws(StoreError) in
            if let answer = answers.values.last { return answer }
            return try await simulated.products(for: identifiers)
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        let offered = manager.products.map(\.id)
        let date = try #require(manager.catalog.storeSnapshotDate)
        answers.record([])
        voyager.clock.advance(by: 60)
        let events = try await events(of: manager) {
            #expect(await manager.loadProducts() == .productsLoadFailed)
            #expect(manager.catalog.nextLoad == voyager.clock.now + 15)
        }
        #expect(events.statuses == [0, 1, -2])
        #expect(
            events.contains {
                if case .loading(.productsFailed(let error)) = $0 {
                    error.code == .emptyAnswer
                        && error.reason.hasPrefix("the store knows none of the 12 requested products: ")
                } else {
                    false
                }
            })
        #expect(manager.products.map(\.id) == offered)
        #expect(manager.catalog.invalidIdentifiers == [.voyager("atlantis")])
        #expect(manager.catalog.storeSnapshotDate == date)
    }

    @Test
    func `the purchases of a new installation are read after an empty store response, when the store returns products`()
        async throws
    {
        let (simulated, isAnswering) = (voyager.store, Recorder<Bool>())
        _ = try await simulated.purchaseElsewhere(.voyager("lisbon"))
        let known = try await simulated.knownTransactions()
        var store = InterceptedStore(simulated)
        store.onUnfinished = { () throws(StoreError) in [] }
        store.onKnownTransactions = { () throws(StoreError) in isAnswering.values.isEmpty ? [] : known }
        store.onProducts = { identifiers throws(StoreError) in
            isAnswering.values.isEmpty ? [] : try await simulated.products(for: identifiers)
        }
        let manager = try await makeManager(store: store)
        #expect(await manager.loadProducts() == .productsLoadFailed)
        #expect(!manager.ownership(of: .voyager("lisbon")).isOwned)

        isAnswering.record(true)
        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
    }

    @Test func `if the store never returned any product, none is offered and all identifiers are listed as invalid`()
        async throws
    {
        var store = InterceptedStore(voyager.store)
        store.onProducts = { _ throws(StoreError) in [] }
        let manager = try await makeManager(store: store)

        #expect(await manager.loadProducts() == .productsLoadFailed)
        #expect(manager.listing.allSatisfy { $0.offer == .notOffered(.notReturnedByStore) })
        #expect(manager.catalog.invalidIdentifiers == manager.listing.map(\.id))
        #expect(manager.catalog.storeSnapshotDate == nil)
    }

    @Test func `a store response without some products does not end their ownership, and a later response sells them`()
        async throws
    {
        let answers = Recorder<[StoreProduct]>()
        var store = InterceptedStore(voyager.store)
        let simulated = voyager.store
        store.onProducts = { identifiers throws(StoreError) in
            if let answer = answers.values.last { return answer }
            return try await simulated.products(for: identifiers)
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        let offered = manager.products.map(\.id)
        #expect(await buy("lisbon", with: manager) == "charged")
        answers.record(try await simulated.products(for: [.voyager("rome")]))
        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(manager.products.map(\.id) == [.voyager("rome")])
        #expect(manager.catalog.invalidIdentifiers.count == 11)
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(await buy("porto", with: manager) == "not-offered")

        answers.record(try await simulated.products(for: offered))
        await manager.loadProducts()
        #expect(Set(manager.products.map(\.id)) == Set(offered).subtracting([.voyager("lisbon")]))
    }

    @Test func `a catalog without products is loaded without a request to the store`() async throws {
        let asked = Recorder<Int>()
        var store = InterceptedStore(voyager.store)
        store.onProducts = { identifiers throws(StoreError) in
            asked.record(identifiers.count)
            return []
        }
        let manager = try await makeManager(catalog: .catalog(Catalog(products: [])), store: store)

        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(asked.values.isEmpty)
        #expect(manager.catalog.nextLoad == nil)
    }
}
