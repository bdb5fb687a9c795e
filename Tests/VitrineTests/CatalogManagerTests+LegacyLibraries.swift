import CatalogLoading
import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import StoreSimulator
import TestSupport
import Testing
import Vitrine
import VitrineMigration

/// What another library had kept is taken over once.
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

    @Test func `what another library had kept is taken over before preferences are written, and once`() async throws {
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

    @Test func `a balance that cannot be read is reported, and not overwritten before the app removes it`() async throws
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

    @Test func `of managers that begin at once one takes over`() async throws {
        let preferences = preferences()
        let managers = [try await makeManager(after: preferences), try await makeManager(after: preferences)]
        await withTaskGroup { group in
            for manager in managers { group.addTask { _ = await manager.loadProducts() } }
        }

        for manager in managers { #expect(manager.wallets.balance(for: "coins") == .known(550)) }
    }

    @Test func `a catalog with errors takes nothing over, and writes nothing`() async throws {
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

    @Test func `where nothing was left, that is remembered too`() async throws {
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
