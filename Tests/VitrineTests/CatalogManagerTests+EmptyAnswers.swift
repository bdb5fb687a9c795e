import Foundation
import ProductCatalog
import Purchasing
import StoreSimulator
import TestSupport
import Testing
import Vitrine

extension CatalogManagerTests {
    @Test func `a store that answers without a product takes nothing away that is owned, and sells again later`()
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
        answers.record([])
        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(manager.products.isEmpty)
        #expect(manager.invalidIdentifiers.count == manager.catalog?.products.count)
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(await buy("porto", with: manager) == "not-offered")

        answers.record(try await simulated.products(for: offered))
        await manager.loadProducts()
        #expect(Set(manager.products.map(\.id)) == Set(offered).subtracting([.voyager("lisbon")]))
    }
}
