import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Ledgers that became unreadable, and ledgers that are moved.
extension CatalogManagerTests {
    private var home: URL { folder["home"] }
    private var ledgerFile: URL { Home(url: home).ledger }

    private func damageLedger() throws -> Data {
        let rubbish = Data(repeating: 0x2A, count: 40_000)
        try replaceLedger(by: rubbish)
        return rubbish
    }

    private func replaceLedger(by bytes: Data) throws {
        for suffix in ["-wal", "-shm"] {
            let file = URL(filePath: ledgerFile.path() + suffix)
            if FileManager.default.fileExists(atPath: file.path()) { try FileManager.default.removeItem(at: file) }
        }
        try bytes.write(to: ledgerFile)
    }

    private func filesSetAside() throws -> [URL] {
        try FileManager.default.contentsOfDirectory(at: home, includingPropertiesForKeys: nil)
            .filter { $0.lastPathComponent.hasPrefix("ledger.damaged-") }
    }

    private func buyThingsAndStop() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        for name in ["iberia", "vienna", "coins50"] { #expect(await buy(name, with: manager) == "charged") }
        try await voyager.store.refund("2")
        await manager.purchases.deliverUnfinished()
        await manager.stop()
    }

    @Test
    func `a damaged ledger file is set aside unchanged, and a new ledger is rebuilt from the store's transactions`()
        async throws
    {
        try await buyThingsAndStop()
        let rubbish = try damageLedger()
        let manager = try await makeManager()
        #expect(manager.ledger.loss != nil)
        #expect(
            manager.ownership(of: .voyager("rome")) == .unknown(.ledgerLost(reason: manager.ledger.loss?.reason ?? "")))
        let aside = try filesSetAside()
        #expect(aside.count == 1)
        #expect(try aside.first.map { try Data(contentsOf: $0) } == rubbish)

        let events = try await events(of: manager) { await manager.loadProducts() }
        #expect(events.contains { if case .restore(.found) = $0 { true } else { false } })
        #expect(manager.ownership(of: .voyager("iberia")).isOwned)
        #expect(manager.ownership(of: .voyager("rome")) == .notOwned)
        #expect(manager.purchases.revocations(of: .voyager("vienna")).count == 1)
        #expect(manager.wallets.balance(for: "coins") == .unknown(atLeast: 0))
        try await expectWellOnceSettled(manager)
    }

    @Test
    func `a ledger in a pre-release format is set aside unchanged, and a new ledger is rebuilt and records the loss`()
        async throws
    {
        try await buyThingsAndStop()
        try await SQLiteLedger(url: ledgerFile).checkpoint()
        let older = try Data(contentsOf: ledgerFile).markedAsUnreleased()
        try replaceLedger(by: older)
        let manager = try await makeManager()
        let reason = "the ledger was written by an unreleased version of Vitrine, whose format is no longer read"
        let aside = try filesSetAside()
        #expect(manager.ledger.loss?.reason == "\(reason); the old file is kept in \(aside[0].lastPathComponent)")
        #expect(aside.count == 1)
        #expect(try Data(contentsOf: aside[0]) == older)

        await manager.loadProducts()
        #expect(manager.ownership(of: .voyager("iberia")).isOwned)
        #expect(manager.purchases.revocations(of: .voyager("vienna")).count == 1)
        #expect(manager.wallets.balance(for: "coins") == .unknown(atLeast: 0))
        try await expectWellOnceSettled(manager)
    }

    /// Checks that the new ledger has no fault except the unsettled loss, and none after the loss is settled.
    private func expectWellOnceSettled(_ manager: CatalogManager) async throws {
        var check = try await manager.ledger.check()
        #expect(check.loss == manager.ledger.loss)
        #expect(check.loss != nil)
        #expect(!check.isGood)
        try await manager.ledger.settleLoss(because: "asked the customer")
        check = try await manager.ledger.check()
        #expect(check.isGood, "\(check)")
    }

    @Test
    func `after a ledger loss, no starting balance is deposited again, and preferences stay until it is settled`()
        async throws
    {
        let preferences = MemoryPreferences()
        let catalog = Catalog(
            products: [
                CatalogProduct(
                    identifier: .voyager("coins50"), kind: .consumable, storageKey: "coins", productValue: 50)
            ],
            wallets: ["coins": CatalogWallet(startingBalance: 25)])
        let first = try await makeManager(catalog: .catalog(catalog)) {
            $0.mirror = PreferenceMirror(preferences: preferences)
        }
        await first.loadProducts()
        #expect(await buy("coins50", with: first) == "charged")
        #expect(preferences.value(forKey: "coins") == .integer(75))
        await first.stop()
        try removeLedger()

        let second = try await makeManager(catalog: .catalog(catalog)) {
            $0.mirror = PreferenceMirror(preferences: preferences)
        }
        #expect(second.ledger.loss?.reason == "the ledger is missing or empty")
        await second.loadProducts()
        #expect(second.wallets.balance(for: "coins") == .unknown(atLeast: 0))
        #expect(preferences.value(forKey: "coins") == .integer(75))

        try await second.ledger.settleLoss(because: "asked the customer")
        #expect(second.wallets.balance(for: "coins") == .known(0))
        #expect(preferences.value(forKey: "coins") == .integer(0))
    }

    private func removeLedger() throws {
        for suffix in ["", "-wal", "-shm"] {
            let path = ledgerFile.path() + suffix
            if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        }
    }

    @Test func `a purchase fails if the open ledger was deleted, and the next purchase is recorded in a new ledger`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await buy("coins50", with: manager) == "charged")
        try removeLedger()

        #expect(await buy("coins50", with: manager) == "ledger")
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
        #expect(manager.ledger.loss?.reason == "the ledger is missing or empty")
        #expect(manager.wallets.balance(for: "coins") == .unknown(atLeast: 0))
        #expect(await buy("coins50", with: manager) == "charged")
        #expect(manager.wallets.balance(for: "coins") == .unknown(atLeast: 50))
        try await expectWellOnceSettled(manager)
    }

    @Test func `a purchase approved after the ledger was deleted is recorded in the new ledger and finished`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        try await voyager.store.setAsksToBuy(true)
        _ = await buy("coins50", with: manager)
        try removeLedger()
        try await voyager.store.approve("1")

        await manager.purchases.deliverUnfinished()
        _ = try await manager.purchases.retryPending()
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
        #expect(manager.wallets.balance(for: "coins") == .unknown(atLeast: 50))
        #expect(try await manager.ledger.history().contains { $0.fact.kind == .credit })
    }

    @Test func `balances are unknown and cannot be spent until the ledger loss is settled`() async throws {
        try await buyThingsAndStop()
        _ = try damageLedger()
        let first = try await makeManager()
        await first.loadProducts()
        _ = await buy("coins500", with: first)
        #expect(first.wallets.balance(for: "coins") == .unknown(atLeast: 500))
        await #expect {
            try await first.wallets.spend(100, from: "coins", token: "map")
        } throws: { ($0 as? LedgerError)?.code == .balanceUnknown }
        #expect(first.wallets.balances == ["coins": .unknown(atLeast: 500)])

        #expect(try await first.ledger.settleLoss(because: "asked the customer", by: "support"))
        #expect(try await !first.ledger.settleLoss(because: "asked again"))
        #expect(first.wallets.balance(for: "coins") == .known(500))
        #expect(try await first.wallets.spend(100, from: "coins", token: "map") == .known(400))
        let second = try await makeManager()
        #expect(second.ledger.loss == nil)
        #expect(second.wallets.balance(for: "coins") == .known(400))
        #expect(try filesSetAside().count == 1)
    }

    @Test func `a ledger that replaces a damaged one receives no second starting balance`() async throws {
        let catalog = CatalogSource.catalog(
            Catalog(
                products: [
                    CatalogProduct(
                        identifier: .voyager("coins50"), kind: .consumable, storageKey: "coins", productValue: 50)
                ], wallets: ["coins": CatalogWallet(startingBalance: 25)]))
        let first = try await makeManager(catalog: catalog)
        await first.loadProducts()
        await first.stop()
        _ = try damageLedger()
        let second = try await makeManager(catalog: catalog)
        await second.loadProducts()

        #expect(second.wallets.balance(for: "coins") == .unknown(atLeast: 0))
        try await second.ledger.settleLoss(because: "looked at")
        await second.loadProducts()
        #expect(second.wallets.balance(for: "coins") == .known(0))
    }

    @Test func `after a ledger loss, ownership is unknown and products are not sold until the store answers`()
        async throws
    {
        try await buyThingsAndStop()
        _ = try damageLedger()
        var store = InterceptedStore(voyager.store)
        store.onKnownTransactions = { () throws(StoreError) in throw StoreError(code: .network, reason: "no network") }
        let first = try await makeManager(store: store)
        await first.loadProducts()
        #expect(try listing("rome", of: first).offer == .notOffered(.purchasesNotRead))
        #expect(await buy("rome", with: first) == "network")
        guard case .unknown(.ledgerLost) = first.ownership(of: .voyager("iberia")) else {
            Issue.record("it is known")
            return
        }
        await first.stop()

        let second = try await makeManager()
        await second.loadProducts()
        #expect(second.ownership(of: .voyager("iberia")).isOwned)
        #expect(await buy("rome", with: second) == "charged")
    }

    // MARK: Moving

    @Test func `an exported ledger with refunds and their reversals is imported completely on another device`()
        async throws
    {
        let first = try await makeManager()
        await first.loadProducts()
        for name in ["lisbon", "coins50", "porto"] { #expect(await buy(name, with: first) == "charged") }
        for id in ["1", "2"] { try await voyager.store.refund(id) }
        await first.purchases.deliverUnfinished()
        voyager.clock.advance(by: 60)
        try await voyager.store.reverseRefund("2")
        await first.purchases.deliverUnfinished()
        try await first.unlock(.voyager("rome"))
        let document = try LedgerDocument(json: try await first.ledger.export().json())
        #expect(try await first.ledger.importDocument(document) == 0)

        let clock = voyager.clock
        let second = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.unlisted,
            verifier: voyager.verifier(),
            home: Home(url: folder["other home"]), options: ManagerOptions(schedule: .never, now: { clock.now }))
        await second.loadProducts()
        #expect(try await second.ledger.importDocument(document) { $0.fact.kind == .grant } == document.entries.count)
        #expect(second.ownedProducts == first.ownedProducts)
        #expect(second.wallets.balance(for: "coins") == .known(50))
        #expect(try await second.ledger.history().map(\.fact) == first.ledger.history().map(\.fact))
    }
}
