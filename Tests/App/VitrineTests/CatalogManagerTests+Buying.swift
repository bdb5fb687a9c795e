import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

extension CatalogManagerTests {
    @Test func `buying a bundle makes its children and their children owned`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        let events = try await events(of: manager) {
            #expect(await buy("everything", with: manager) == "charged")
        }

        #expect(
            events.ownershipChanges
                == [
                    [
                        "lisbon", "porto", "madrid", "vienna", "rome", "athens", "iberia", "everything",
                    ].map(String.voyager)
                ])
        #expect(manager.ownership(of: .voyager("madrid")) == .owned(because: [.bundle(identifier: .voyager("iberia"))]))
        #expect(
            manager.ownership(of: .voyager("iberia")) == .owned(because: [.bundle(identifier: .voyager("everything"))]))
        #expect(
            manager.ownership(of: .voyager("everything"))
                == .owned(because: [.transaction(.init(id: "1", purchaseDate: voyager.clock.now))]))
        #expect(await buy("madrid", with: manager) == "already-owned")
        #expect(try await voyager.store.transactions().count == 1)
    }

    @Test(arguments: ["lisbon", "coins50"])
    func `buying a product without content makes three calls to the ledger`(product: String) async throws {
        let ledger = InterceptedLedger(MemoryLedger())
        let manager = try await makeManager(ledger: ledger) { _ in }
        await manager.loadProducts()
        let before = ledger.calls.values.count

        #expect(await buy(product, with: manager) == "charged")
        // The App Store account is stored meanwhile, because it was not known before.
        let calls = ledger.calls.values[before...].filter { $0 != "setValue" }
        #expect(calls == ["entries", "checkWritable", "append"])
    }

    @Test func `a second purchase of a non-consumable is sent to the store and not charged again`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()

        #expect(await buy("lisbon", with: manager) == "charged")
        #expect(try listing("lisbon", of: manager).offer == .notOffered(.alreadyOwned))
        #expect(await buy("lisbon", with: manager) == "not charged again")
        #expect(try await voyager.store.transactions().count == 1)
    }

    @Test(
        arguments: [("coins50", 0), ("coins50", 11), ("lisbon", 2)]
    )
    func `an invalid quantity is refused before the store is asked`(name: String, quantity: Int) async throws {
        var store = InterceptedStore(voyager.store)
        store.onPurchase = { _, _ throws(StoreError) in
            Issue.record("the store was asked")
            return .cancelled
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        guard case .failed(let failure) = await manager.purchase(.voyager(name), quantity: quantity) else {
            Issue.record("it was not refused")
            return
        }
        #expect(failure.code == .invalidQuantity)
    }

    @Test func `a purchase before the first load of products is refused`() async throws {
        #expect(await buy("lisbon", with: try await makeManager()) == "not-offered")
    }

    @Test func `purchased coins are credited, a debit with the same token counts once, and no debit overdraws`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        _ = await manager.purchase(.voyager("coins50"), quantity: 2)
        #expect(manager.wallets.balance(for: "coins") == .known(100))

        #expect(try await manager.wallets.spend(30, from: "coins", token: "map") == .known(70))
        #expect(try await manager.wallets.spend(30, from: "coins", token: "map") == .known(70))
        await #expect(throws: LedgerError.self) { try await manager.wallets.spend(71, from: "coins", token: "other") }
        await #expect(throws: LedgerError.self) { try await manager.wallets.spend(1, from: "rubies", token: "third") }
        #expect(manager.wallets.balances == ["coins": .known(70)])
        #expect(manager.wallets.balance(for: "rubies") == .known(0))
    }

    @Test func `a product that the store calls a consumable cannot be granted, even if the catalog states no kind`()
        async throws
    {
        let manager = try await makeManager(catalog: .catalog(Catalog(identifiers: [.voyager("coins50")])))
        await manager.loadProducts()
        let error = await #expect(throws: UnlockError.self) { try await manager.unlock(.voyager("coins50")) }

        #expect(error?.code == .consumable)
    }

    private struct Delivering: DeliveryHandler {
        let delivered: Recorder<String>

        func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision {
            delivered.record(transaction.payload.productIdentifier)
            return .delivered
        }
    }

    @Test(arguments: [true, false])
    func `a consumable that the catalog lists only by identifier is sold only if the app has a delivery handler`(
        delivers: Bool
    ) async throws {
        let delivered = Recorder<String>()
        let manager = try await makeManager(catalog: .catalog(Catalog(identifiers: [.voyager("coins50")]))) {
            if delivers { $0.purchases.hooks.delivery = Delivering(delivered: delivered) }
        }
        await manager.loadProducts()

        #expect(try listing("coins50", of: manager).isOffered == delivers)
        #expect(await buy("coins50", with: manager) == (delivers ? "charged" : "not-offered"))
        #expect(delivered.values == (delivers ? [.voyager("coins50")] : []))
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
    }

    @Test func `a non-consumable whose type only the store states is sold, although it has a storageKey`()
        async throws
    {
        let product = CatalogProduct(identifier: .voyager("lisbon"), storageKey: "lisbon")
        let manager = try await makeManager(catalog: .catalog(Catalog(products: [product])))
        await manager.loadProducts()

        #expect(try listing("lisbon", of: manager).isOffered)
        #expect(await buy("lisbon", with: manager) == "charged")
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        #expect(manager.wallets.balance(for: "lisbon") == .known(0))
    }

    @Test func `a granted product is owned, with the reason of the first grant`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        try await manager.unlock(.voyager("atlantis"), because: "found it")
        try await manager.unlock(.voyager("atlantis"), because: "found it again")

        #expect(
            manager.ownership(of: .voyager("atlantis"))
                == .owned(because: [
                    .grant(reason: "found it", author: "", date: voyager.clock.now, expirationDate: nil)
                ]))
        await #expect(throws: UnlockError.self) { try await manager.unlock("no.such.product") }
        await #expect(throws: UnlockError.self) { try await manager.unlock(.voyager("coins50")) }
    }
}
