import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrineEntitlements
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Wallets with a starting balance and a refund policy, and the preferences to which balances are written.
extension CatalogManagerTests {
    private func catalog(start: Int = 25, policy: RefundPolicy = .clawback, value: Int = 50) -> CatalogSource {
        .catalog(
            Catalog(
                products: [
                    CatalogProduct(
                        identifier: .voyager("coins50"), kind: .consumable, storageKey: "coins", productValue: value),
                    CatalogProduct(identifier: .voyager("lisbon"), kind: .nonConsumable),
                ],
                wallets: ["coins": CatalogWallet(startingBalance: start, refundPolicy: policy)]))
    }

    @Test func `the starting balance of a wallet is deposited once for each customer`() async throws {
        let first = try await makeManager(catalog: catalog())
        #expect(first.wallets.balance(for: "coins") == .known(0))
        await first.loadProducts()
        await first.loadProducts()
        #expect(first.wallets.balance(for: "coins") == .known(25))
        try await first.wallets.spend(20, from: "coins", token: "map")

        // Another catalog says something else about a customer who has begun.
        let second = try await makeManager(catalog: catalog(start: 100))
        await second.loadProducts()
        #expect(second.wallets.balance(for: "coins") == .known(5))
        #expect(try await second.ledger.history().map(\.fact.kind) == [.deposit, .debit])
    }

    @Test func `a purchase with more units than the wallet can hold is not offered`() async throws {
        let manager = try await makeManager(catalog: catalog(value: Int.max / 2))
        await manager.loadProducts()
        #expect(await buy("coins50", with: manager) == "charged")

        for quantity in [2, 3] {
            guard case .failed(let failure) = await manager.purchase(.voyager("coins50"), quantity: quantity) else {
                Issue.record("sold")
                return
            }
            #expect(failure.code == .notOffered)
        }
        #expect(try await voyager.store.transactions().count == 1)
    }

    @Test func `managers that start at the same time deposit the starting balance once`() async throws {
        let managers = [try await makeManager(catalog: catalog()), try await makeManager(catalog: catalog())]
        await withTaskGroup { group in
            for manager in managers { group.addTask { _ = await manager.loadProducts() } }
        }

        for manager in managers { #expect(manager.wallets.balance(for: "coins") == .known(25)) }
    }

    @Test(arguments: [(RefundPolicy.clawback, 0), (.debt, -15), (.ignore, 35)])
    func `a refund follows the refund policy of the wallet, and its reversal restores the balance`(
        policy: RefundPolicy, left: Int
    ) async throws {
        let manager = try await makeManager(catalog: catalog(policy: policy))
        await manager.loadProducts()
        #expect(await buy("coins50", with: manager) == "charged")
        try await manager.wallets.spend(40, from: "coins", token: "map")
        try await voyager.store.refund("1")
        await manager.purchases.deliverUnfinished()
        #expect(manager.wallets.balance(for: "coins") == .known(left))

        voyager.clock.advance(by: 60)
        try await voyager.store.reverseRefund("1")
        await manager.purchases.deliverUnfinished()
        #expect(manager.wallets.balance(for: "coins") == .known(35))
        #expect(try await manager.ledger.check().isGood)
    }

    @Test func `a negative balance cannot be spent, and later deposits pay it off`() async throws {
        let manager = try await makeManager(catalog: catalog(policy: .debt))
        await manager.loadProducts()
        _ = await buy("coins50", with: manager)
        try await manager.wallets.spend(75, from: "coins", token: "map")
        try await voyager.store.refund("1")
        await manager.purchases.deliverUnfinished()
        #expect(manager.wallets.balance(for: "coins") == .known(-50))

        await #expect(throws: LedgerError.self) { try await manager.wallets.spend(1, from: "coins", token: "other") }
        #expect(try await manager.wallets.deposit(60, in: "coins", token: "sorry", because: "a mistake") == .known(10))
        #expect(try await manager.wallets.deposit(60, in: "coins", token: "sorry", because: "a mistake") == .known(10))
        #expect(try await manager.wallets.spend(10, from: "coins", token: "other") == .known(0))
    }

    // MARK: The mirror

    @Test func `balances and ownership are written to preferences and never read from them`() async throws {
        let preferences = MemoryPreferences(["coins": .integer(9_999), "owned lisbon": .boolean(true)])
        let mirror = PreferenceMirror(
            preferences: preferences,
            ownershipKey: { $0.hasSuffix("lisbon") ? "owned lisbon" : nil })
        let manager = try await makeManager(catalog: catalog()) { $0.mirror = mirror }
        #expect(preferences.value(forKey: "coins") == .integer(9_999))
        await manager.loadProducts()
        #expect(preferences.value(forKey: "coins") == .integer(25))
        #expect(preferences.value(forKey: "owned lisbon") == .boolean(false))
        #expect(manager.ownedProducts.isEmpty)

        _ = await buy("lisbon", with: manager)
        #expect(preferences.value(forKey: "owned lisbon") == .boolean(true))
        preferences.set(1_000_000, forKey: "coins")
        #expect(manager.wallets.balance(for: "coins") == .known(25))
        await #expect(throws: LedgerError.self) { try await manager.wallets.spend(26, from: "coins", token: "map") }
        try await manager.wallets.spend(5, from: "coins", token: "other")
        #expect(preferences.value(forKey: "coins") == .integer(20))
        try await voyager.store.refund("1")
        await manager.purchases.deliverUnfinished()
        #expect(preferences.value(forKey: "owned lisbon") == .boolean(false))
    }

    // MARK: How the app was got

    @Test func `the result of grandfathering is nil for products without a grandfathering rule`() async throws {
        let manager = try await makeManager()
        #expect(manager.purchases.isGrandfathered(for: .voyager("premium")) == nil)
        await manager.loadProducts()
        #expect(manager.purchases.isGrandfathered(for: .voyager("premium")) == .unknown)
        #expect(manager.purchases.isGrandfathered(for: .voyager("lisbon")) == nil)
        #expect(manager.purchases.isGrandfathered(for: "no.such.product") == nil)

        for (version, answer) in [("150", GrandfatheringRule.Answer.yes), ("500", .no)] {
            voyager.clock.advance(by: 60)
            try await voyager.store.setOriginalPurchase(
                OriginalPurchase(version: version, date: voyager.clock.now, platform: .iOS))
            await manager.loadProducts()
            #expect(manager.purchases.isGrandfathered(for: .voyager("premium")) == answer)
        }
        #expect(manager.ownership(of: .voyager("premium")).isOwned)
    }

    @Test func `a granted product can be locked and granted again, and a purchased product cannot be locked`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        try await manager.unlock(.voyager("lisbon"), because: "found it", by: "support")
        #expect(try await manager.lock(.voyager("lisbon"), because: "a mistake", by: "support"))
        #expect(manager.ownership(of: .voyager("lisbon")) == .notOwned)
        #expect(try await !manager.lock(.voyager("lisbon")))
        #expect(manager.ledger.explanation(of: .voyager("lisbon")).locks.map(\.lock.reason) == ["a mistake"])

        try await manager.unlock(.voyager("lisbon"), because: "no mistake")
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        _ = await buy("porto", with: manager)
        #expect(try await !manager.lock(.voyager("porto")))
        #expect(manager.ownership(of: .voyager("porto")).isOwned)
    }
}
