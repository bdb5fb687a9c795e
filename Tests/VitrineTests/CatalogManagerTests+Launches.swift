import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import StoreSimulator
import TestSupport
import Testing
import Vitrine

extension CatalogManagerTests {
    @Test func `what is owned is known at the next launch before anything is loaded`() async throws {
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

    @Test func `a purchase that was paid for and never seen is delivered by the next launch`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins500"), quantity: 1)
        let manager = try await makeManager(store: voyager.reopened())
        await manager.loadProducts()

        #expect(manager.wallets.balance(for: "coins") == .known(500))
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
    }

    @Test func `a transaction that comes before the catalog waits for it`() async throws {
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

    @Test func `a new home gets back what the store can restore`() async throws {
        let first = try await makeManager()
        await first.loadProducts()
        _ = await buy("iberia", with: first)
        _ = await buy("coins50", with: first)
        let clock = voyager.clock
        let second = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.store.launched,
            verifier: voyager.verifier(),
            home: Home(url: folder["new home"]), options: ManagerOptions(schedule: .never, now: { clock.now }))
        await second.loadProducts()
        #expect(second.ownedProducts.isEmpty)

        #expect(try await second.restore().restored == [.voyager("iberia")])
        #expect(second.ownership(of: .voyager("porto")).isOwned)
        #expect(second.wallets.balance(for: "coins") == .known(0))
    }

    @Test func `two managers on one home agree`() async throws {
        let (one, other) = (try await makeManager(), try await makeManager())
        await one.loadProducts()
        await other.loadProducts()
        _ = await buy("everything", with: one)

        #expect(await buy("lisbon", with: other) == "already-owned")
        #expect(other.ownership(of: .voyager("lisbon")).isOwned)
    }

    @Test func `a home that cannot be made is told`() async throws {
        try folder.write("a file", to: "home")
        let error = await #expect(throws: LedgerError.self) { try await makeManager() }
        #expect(error?.code == .unavailable)
    }
}
