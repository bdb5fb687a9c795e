import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

extension CatalogManagerTests {
    @Test func `a listing merges the catalog's texts, the store's prices and the ownership of a product`() async throws
    {
        let manager = try await makeManager(languages: ["de-AT"])
        await manager.loadProducts()
        let guide = try listing("lisbon", of: manager)

        #expect(guide.kind == .nonConsumable)
        #expect(guide.title == "Lisbon Guide")
        #expect(guide.description == "Sieben Hügel, vierzig Spaziergänge und jede Straßenbahn.")
        #expect(guide.price == Decimal(string: "4.99"))
        #expect(guide.displayPrice == "$4.99")
        #expect(guide.currencyCode == "USD")
        #expect(guide.ownership == .notOwned)
        #expect(guide.isOffered)
        #expect(try listing("atlantis", of: manager).price == nil)
        #expect(try listing("atlantis", of: manager).title == "Atlantis")
    }

    @Test func `catalog entries that are only identifiers get their product kinds from the store`() async throws {
        let manager = try await makeManager(
            catalog: .catalog(Catalog(identifiers: ["lisbon", "coins50"].map(String.voyager))))
        await manager.loadProducts()

        #expect(try listing("lisbon", of: manager).kind == .nonConsumable)
        #expect(try listing("lisbon", of: manager).isOffered)
        #expect(try listing("coins50", of: manager).offer == .notOffered(.noWallet))
        #expect(await buy("lisbon", with: manager) == "charged")
    }

    @Test func `a product whose kind differs between the catalog and the store is not offered`() async throws {
        let manager = try await makeManager(
            catalog: .catalog(
                Catalog(products: [
                    CatalogProduct(identifier: .voyager("porto"), kind: .autoRenewableSubscription),
                    CatalogProduct(identifier: .voyager("coins50"), kind: .nonConsumable),
                ])))
        await manager.loadProducts()

        #expect(
            try listing("porto", of: manager).offer
                == .notOffered(.kindMismatch(catalog: .autoRenewableSubscription, store: .nonConsumable)))
        #expect(
            try listing("coins50", of: manager).offer
                == .notOffered(.kindMismatch(catalog: .nonConsumable, store: .consumable)))
        #expect(manager.products.isEmpty)
    }

    @Test func `a non-consumable with units is not sold, and the balance under its storage key is unchanged`()
        async throws
    {
        let preferences = MemoryPreferences(["slots": .integer(5)])
        let guide = CatalogProduct(
            identifier: .voyager("lisbon"), kind: .nonConsumable, storageKey: "slots", productValue: 5)
        let manager = try await makeManager(catalog: .catalog(Catalog(products: [guide]))) {
            $0.mirror = PreferenceMirror(preferences: preferences)
        }
        await manager.loadProducts()

        #expect(try listing("lisbon", of: manager).offer == .notOffered(.uncreditedValue))
        #expect(try listing("lisbon", of: manager).pricePerUnit == nil)
        #expect(await buy("lisbon", with: manager) != "charged")
        #expect(try await voyager.store.knownTransactions().isEmpty)
        #expect(preferences.value(forKey: "slots") == .integer(5))
    }

    @Test func `a bundle is no longer offered once maxChildren of its children are owned`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await buy("lisbon", with: manager) == "charged")
        #expect(try listing("iberia", of: manager).isOffered)
        #expect(await buy("madrid", with: manager) == "charged")

        #expect(
            try listing("iberia", of: manager).offer
                == .notOffered(.enoughChildrenOwned(owned: 2, children: 3, limit: 2)))
        #expect(await buy("iberia", with: manager) == "not-offered")
        #expect(try await voyager.store.transactions().count == 2)
    }
}
