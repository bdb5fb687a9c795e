import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrineEntitlements
import VitrineMigration
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// One-time import of another library's records.
extension CatalogManagerTests {
    private func preferences(coins: Int = 550) -> MemoryPreferences {
        MemoryPreferences([
            "coins": .integer(coins),
            "VTAInAppPurchasesInstantUnlockKey": .array([.string(.voyager("porto"))]),
        ])
    }

    private func makeManager(
        after preferences: MemoryPreferences, catalog: CatalogSource = .file(Repository.sample("Voyager.plist"))
    ) async throws -> CatalogManager {
        let (documents, caches) = (folder["Documents"], folder["Caches"])
        return try await makeManager(catalog: catalog) { options in
            options.mirror = PreferenceMirror(preferences: preferences)
            options.legacyData = LegacyDataSource(
                [.vtaInAppPurchases], preferences: preferences, documents: documents, caches: caches)
        }
    }

    @Test func `records of a legacy library are imported once, before the manager writes preferences`() async throws {
        let preferences = preferences()
        let first = try await makeManager(after: preferences)
        let events = try await events(of: first) { await first.loadProducts() }
        #expect(first.wallets.balance(for: "coins") == .known(550))
        #expect(first.ownedProducts == [.voyager("porto")])
        #expect(preferences.value(forKey: "coins") == .integer(550))
        #expect(
            events.contains {
                if case .ledger(.legacyLibraryImported(.vtaInAppPurchases, _)) = $0 { true } else { false }
            })
        let before = try await first.ledger.history()

        // What stands in the preferences now was written by Vitrine, or by somebody who would like more.
        preferences.set(10_000, forKey: "coins")
        let second = try await makeManager(after: preferences)
        await second.loadProducts()
        #expect(try await second.ledger.history() == before)
        #expect(second.wallets.balance(for: "coins") == .known(550))
        #expect(preferences.value(forKey: "coins") == .integer(550))
    }

    @Test func `an unreadable balance of a legacy library is reported, and not overwritten until the app removes it`()
        async throws
    {
        let preferences = MemoryPreferences(["coins": .string("two hundred")])
        let first = try await makeManager(after: preferences)
        let events = try await events(of: first) {
            await first.loadProducts()
            _ = await buy("coins50", with: first)
        }
        #expect(
            events.contains {
                guard case .ledger(.legacyLibraryImported(_, let state)) = $0 else { return false }
                return state.unreadable.map(\.source) == ["\"coins\" in the preferences"]
            })
        #expect(preferences.value(forKey: "coins") == .string("two hundred"))

        preferences.removeValue(forKey: "coins")
        let second = try await makeManager(after: preferences)
        await second.loadProducts()
        #expect(second.wallets.balance(for: "coins") == .known(50))
        #expect(preferences.value(forKey: "coins") == .integer(50))
    }

    @Test func `managers that start at the same time import the records of a legacy library once`() async throws {
        let preferences = preferences()
        let managers = [try await makeManager(after: preferences), try await makeManager(after: preferences)]
        await withTaskGroup { group in
            for manager in managers { group.addTask { _ = await manager.loadProducts() } }
        }

        for manager in managers { #expect(manager.wallets.balance(for: "coins") == .known(550)) }
    }

    @Test func `with a catalog that has errors, no legacy records are imported and no preferences are written`()
        async throws
    {
        let preferences = preferences()
        let broken = Catalog(products: [
            CatalogProduct(
                identifier: .voyager("coins50"), kind: .consumable, storageKey: "coins", productValue: 50),
            CatalogProduct(identifier: .voyager("porto"), kind: .nonConsumable, childProducts: ["no such thing"]),
        ])
        let first = try await makeManager(after: preferences, catalog: .catalog(broken))
        await first.loadProducts()
        #expect(try await first.ledger.history().isEmpty)
        #expect(preferences.value(forKey: "coins") == .integer(550))

        let second = try await makeManager(after: preferences)
        await second.loadProducts()
        #expect(second.wallets.balance(for: "coins") == .known(550))
        #expect(second.ownedProducts == [.voyager("porto")])
    }

    @Test func `the absence of legacy records is remembered, and records that appear later are not imported`()
        async throws
    {
        let preferences = MemoryPreferences()
        let first = try await makeManager(after: preferences)
        await first.loadProducts()
        #expect(try await first.ledger.history().map(\.fact.kind) == [.note, .note])

        preferences.set(550, forKey: "coins")
        let second = try await makeManager(after: preferences)
        await second.loadProducts()
        #expect(second.wallets.balance(for: "coins") == .known(0))
    }
}
