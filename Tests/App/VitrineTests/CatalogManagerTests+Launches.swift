import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

extension CatalogManagerTests {
    @Test func `owned products are known at the next launch before the catalog is loaded`() async throws {
        let first = try await makeManager()
        await first.loadProducts()
        _ = await buy("everything", with: first)
        let second = try await makeManager()

        #expect(second.ownership(of: .voyager("everything")).isOwned)
        #expect(second.ownership(of: .voyager("madrid")).isOwned)
        #expect(second.ownership(of: .voyager("premium")) == .unknown(.noCatalog))
        let events = try await events(of: second) { await second.loadProducts() }
        #expect(events.ownershipChanges.isEmpty)
        #expect(
            second.ownership(of: .voyager("madrid")) == .owned(because: [.bundle(identifier: .voyager("iberia"))]))
    }

    @Test func `a paid purchase that the app has never processed is delivered at the next launch`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins500"), quantity: 1)
        let manager = try await makeManager(store: voyager.reopened())
        await manager.loadProducts()

        #expect(manager.wallets.balance(for: "coins") == .known(500))
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
    }

    @Test func `a transaction received before the catalog is loaded is recorded after the load`() async throws {
        let manager = try await makeManager()
        let stream = manager.events()
        try await voyager.store.purchaseElsewhere(.voyager("lisbon"))
        _ = await stream.first {
            if case .transaction(.waiting) = $0 { true } else { false }
        }
        #expect(!manager.ownership(of: .voyager("lisbon")).isOwned)

        await manager.loadProducts()
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
    }

    @Test func `restoring into a new storage directory recovers non-consumable purchases, but no units of consumables`()
        async throws
    {
        let first = try await makeManager()
        await first.loadProducts()
        _ = await buy("iberia", with: first)
        _ = await buy("coins50", with: first)
        let clock = voyager.clock
        let second = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.unlisted,
            verifier: voyager.verifier(),
            home: Home(url: folder["new home"]), options: ManagerOptions(schedule: .never, now: { clock.now }))
        await second.loadProducts()
        #expect(second.ownedProducts.isEmpty)

        #expect(try await second.restore().restored == [.voyager("iberia")])
        #expect(second.ownership(of: .voyager("porto")).isOwned)
        #expect(second.wallets.balance(for: "coins") == .known(0))
    }

    @Test func `two managers with one storage directory agree on what is owned`() async throws {
        let (one, other) = (try await makeManager(), try await makeManager())
        await one.loadProducts()
        await other.loadProducts()
        _ = await buy("everything", with: one)

        #expect(await buy("lisbon", with: other) == "already-owned")
        #expect(other.ownership(of: .voyager("lisbon")).isOwned)
    }

    @Test func `creating a manager fails if its storage directory cannot be created`() async throws {
        try folder.write("a file", to: "home")
        let error = await #expect(throws: LedgerError.self) { try await makeManager() }
        #expect(error?.code == .unavailable)
    }
}
