import Foundation
import Testing
import Vitrine
import VitrineEntitlements
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

extension CatalogManagerTests {
    @Test func `a refund ends ownership only of products that no other purchase covers, and the change is reported`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        _ = await buy("lisbon", with: manager)
        _ = await buy("everything", with: manager)
        let events = try await events(of: manager) {
            try await voyager.store.refund("2")
            await manager.purchases.deliverUnfinished()
        }

        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(
            events.ownershipChanges
                == [["porto", "madrid", "vienna", "rome", "athens", "iberia", "everything"].map(String.voyager)])
        #expect(manager.purchases.revocations(of: .voyager("everything")).map(\.origin.transactionID) == ["2"])
        #expect(try listing("everything", of: manager).isOffered)
    }

    @Test func `the refund of a bundle changes no ownership while a larger bundle contains its products`() async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        _ = await buy("iberia", with: manager)
        _ = await buy("everything", with: manager)
        let before = manager.ownedProducts
        let events = try await events(of: manager) {
            try await voyager.store.refund("1")
            await manager.purchases.deliverUnfinished()
        }

        #expect(manager.ownedProducts == before)
        #expect(events.ownershipChanges.isEmpty)
        #expect(
            manager.ownership(of: .voyager("iberia")) == .owned(because: [.bundle(identifier: .voyager("everything"))]))
    }

    @Test func `the refund of a coin pack removes its coins from the wallet`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        _ = await buy("coins50", with: manager)
        _ = await buy("coins500", with: manager)
        try await manager.wallets.spend(20, from: "coins", token: "map")
        let events = try await events(of: manager) {
            try await voyager.store.refund("2")
            await manager.purchases.deliverUnfinished()
        }

        #expect(manager.wallets.balance(for: "coins") == .known(30))
        #expect(events.map(\.word).contains("wallet coins: 30"))
    }
}
