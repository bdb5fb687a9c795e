import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Products whose identifiers are given in code.
extension CatalogManagerTests {
    @Test @MainActor
    func `a product fetch returns products in the requested order, and lists identifiers that the store does not know`()
        async throws
    {
        let manager = try await makeManager()
        let (handled, delegate) = (CallListener(), CallListener())
        let identifiers = ["porto", "atlantis", "lisbon", "nothing", "porto"].map(String.voyager)
        manager.catalog.fetchProducts(identifiers) {
            handled.productsFetched($0.products, invalidIdentifiers: $0.invalidIdentifiers)
        } onFailure: {
            handled.productsFetchFailed($0)
        }
        #expect(await handled.next() == #"fetched ["porto", "lisbon"], not ["atlantis", "nothing"]"#)
        manager.catalog.fetchProducts([.voyager("nothing")], delegate: delegate)
        #expect(await delegate.next() == #"fetched [], not ["nothing"]"#)

        try await voyager.store.fail(.products)
        manager.catalog.fetchProducts(identifiers, delegate: delegate)
        #expect(await delegate.next() == "not fetched: unavailable")
        await #expect(throws: StoreError.self) { try await manager.catalog.fetchProducts(identifiers) }
    }

    @Test func `fetched products update the listing unless the call disables caching`() async throws {
        let (dear, base) = (Recorder<Bool>(), voyager.store)
        var store = InterceptedStore(base)
        store.onProducts = { identifiers throws(StoreError) in
            try await base.products(for: identifiers).map { product in
                guard !dear.values.isEmpty else { return product }
                return StoreProduct(
                    identifier: product.identifier, kind: product.kind, displayName: product.displayName,
                    description: product.description, price: 99, currencyCode: product.currencyCode,
                    displayPrice: "$99.00")
            }
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        dear.record(true)
        let before = manager.listing
        let fetched = try await manager.catalog.fetchProducts([.voyager("lisbon")], cachesResult: false)
        #expect(fetched.products.map(\.displayPrice) == ["$99.00"])
        #expect(manager.listing == before)

        _ = try await manager.catalog.fetchProducts([.voyager("lisbon")])
        #expect(manager.catalog.displayPrice(for: .voyager("lisbon")) == "$99.00")
        #expect(
            manager.catalog.displayPrice(for: .voyager("porto"))
                == before.first { $0.id == .voyager("porto") }?.displayPrice)
    }

    @Test func `a product removed from the cache is not sold until products are loaded again, and remains owned`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await buy("lisbon", with: manager) == "charged")
        await manager.catalog.removeFromCache(["lisbon", "porto"].map(String.voyager))
        #expect(try listing("porto", of: manager).offer == .notOffered(.productsNotLoaded))
        #expect(manager.catalog.storeProduct(for: .voyager("porto")) == nil)
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(try listing("vienna", of: manager).isOffered)
        #expect(await buy("porto", with: manager) == "not-offered")

        await manager.catalog.removeAllFromCache()
        #expect(manager.catalog.storeProducts.isEmpty)
        #expect(manager.products.isEmpty)
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        await manager.loadProducts()
        #expect(try listing("porto", of: manager).isOffered)
    }

    @Test func `removing products from the cache reports changed listings, but no new store response`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        let events = try await events(of: manager) {
            await manager.catalog.removeFromCache([.voyager("porto")])
            await manager.catalog.removeAllFromCache()
        }

        #expect(events.storeSnapshots == [])
        #expect(events.listingChanges.first?.contains("porto") == true)
        #expect(events.listingChanges.count == 2)
    }

    @Test func `products fetched before the first load can be bought, and other products cannot`()
        async throws
    {
        let manager = try await makeManager()
        let fetched = try await manager.catalog.fetchProducts([.voyager("lisbon")])
        #expect(fetched.products.map(\.identifier) == [.voyager("lisbon")])
        #expect(manager.catalog.storeProducts.map(\.identifier) == [.voyager("lisbon")])
        #expect(await buy("porto", with: manager) == "not-offered")

        #expect(await buy("lisbon", with: manager) == "charged")
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        try await voyager.store.fail(.products)
        await manager.loadProducts()
        #expect(manager.catalog.storeProducts.map(\.identifier) == [.voyager("lisbon")])
    }

    @Test(arguments: [true, false])
    func `a fetched product that is passed to a purchase can be bought without being cached`(isLoaded: Bool)
        async throws
    {
        let manager = try await makeManager()
        if isLoaded {
            await manager.loadProducts()
            await manager.catalog.removeAllFromCache()
        }
        let identifiers = ["coins50", "porto", "atlantis"].map(String.voyager)
        let fetched = try await manager.catalog.fetchProducts(identifiers, cachesResult: false).products
        #expect(fetched.map(\.identifier) == identifiers.dropLast())
        for (product, quantity) in zip(fetched, [2, 1]) {
            let answer = await manager.purchase(product: product, options: PurchaseOptions(quantity: quantity))
            #expect(answer.word == "charged")
        }

        #expect(manager.wallets.balance(for: "coins") == .known(100))
        #expect(manager.ownedProducts == [.voyager("porto")])
        #expect(manager.catalog.storeProducts.isEmpty)
        #expect(try listing("vienna", of: manager).offer == .notOffered(.productsNotLoaded))
        #expect(await manager.purchase(product: fetched[1]).word == "not charged again")
    }

    @Test func `a purchase of a fetched product is refused if it is owned or if the catalog does not contain it`()
        async throws
    {
        let manager = try await makeManager(catalog: .catalog(Catalog(identifiers: [.voyager("lisbon")])))
        let fetched = try await manager.catalog.fetchProducts(
            ["lisbon", "porto"].map(String.voyager), cachesResult: false
        ).products
        _ = try await manager.catalog.fetchProducts([.voyager("lisbon")])
        try await manager.unlock(.voyager("lisbon"))

        #expect(await manager.purchase(product: fetched[0]).word == "already-owned")
        #expect(await manager.purchase(product: fetched[1]).word == "not-in-catalog")
        let other = try await makeManager(catalog: .file(folder["none.plist"]))
        #expect(await other.purchase(product: fetched[0]).word == "not-offered")
    }

    @Test func `a fetched product that is not in the catalog is returned but cannot be bought`() async throws {
        let manager = try await makeManager(catalog: .catalog(Catalog(identifiers: [.voyager("lisbon")])))
        await manager.loadProducts()
        let fetched = try await manager.catalog.fetchProducts([.voyager("porto")])

        #expect(fetched.products.map(\.identifier) == [.voyager("porto")])
        #expect(manager.catalog.storeProducts.map(\.identifier) == [.voyager("lisbon")])
        #expect(await buy("porto", with: manager) == "not-in-catalog")
    }
}
