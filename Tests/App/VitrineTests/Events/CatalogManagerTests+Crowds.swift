import Foundation
import Testing
import Vitrine
import VitrineEntitlements
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Events of many concurrent changes.
extension CatalogManagerTests {
    @Test func `after concurrent changes, the last event of each kind agrees with the state of the manager`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        let events = manager.events()
        let before = manager.listing
        let names = ["lisbon", "porto", "madrid", "vienna", "premium", "iberia"]
        try await withThrowingTaskGroup { group in
            for round in 0..<8 {
                for name in names {
                    group.addTask {
                        if round.isMultiple(of: 2) {
                            try await manager.unlock(.voyager(name))
                        } else {
                            try await manager.lock(.voyager(name))
                        }
                    }
                }
                group.addTask { _ = await manager.purchase(.voyager(round.isMultiple(of: 2) ? "coins50" : "rome")) }
                group.addTask {
                    try await manager.wallets.deposit(1, in: "coins", token: "\(round)", because: "a test")
                }
            }
            try await group.waitForAll()
        }
        await manager.stop()

        var listing = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0) })
        var (owned, balance, isAnswered) = (Set<String>(), WalletBalance.known(0), 0)
        for await event in events {
            switch event {
            case .listingChanged(let changed): for product in changed { listing[product.id] = product }
            case .entitlements(.ownershipChanged(let changed)): owned.formSymmetricDifference(changed)
            case .entitlements(.walletChanged("coins", let now)): balance = now
            case .purchase(.answered): isAnswered += 1
            default: break
            }
        }
        let reported = manager.listing.compactMap { listing[$0.id] }
        #expect(reported == manager.listing)
        #expect(owned == Set(manager.ownedProducts))
        #expect(balance == manager.wallets.balance(for: "coins"))
        #expect(isAnswered == 8)
    }
}
