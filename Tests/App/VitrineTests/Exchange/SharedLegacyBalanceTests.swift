import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineMigration
import VitrineStoreSimulator
import VitrineTestSupport

/// Balances that a legacy library has left on two devices of a customer.
@Suite(.hangLimit) struct SharedLegacyBalanceTests: ManagerScene {
    /// Way in which the devices exchange.
    enum Way: String, CaseIterable, Sendable { case documents, sums }

    let voyager: VoyagerStore
    let folder: TemporaryFolder
    private let key: LedgerSealKey
    private let sharedFolder: ExchangeFolder
    private let values = MemoryValues()

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
        key = try LedgerSealKey(Data.random(32))
        sharedFolder = ExchangeFolder(url: folder["Shared"])
        try FileManager.default.createDirectory(at: sharedFolder.url, withIntermediateDirectories: true)
    }

    /// Launches the app on a device where the legacy library has left coins.
    private func launch(_ name: String, coins: Int) async throws -> CatalogManager {
        let (clock, preferences) = (voyager.clock, MemoryPreferences(["coins": .integer(coins)]))
        var options = ManagerOptions(now: { clock.now })
        options.legacyData = LegacyDataSource(
            [.vtaInAppPurchases], preferences: preferences, documents: folder["\(name)-documents"],
            caches: folder["\(name)-caches"])
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.store.device(name).launched,
            verifier: voyager.verifier(), home: Home(url: folder[name]), options: options)
        await manager.loadProducts()
        #expect(manager.wallets.balance(for: "coins") == .known(coins))
        return manager
    }

    /// Exchanges until both devices know the facts of both.
    private func exchange(_ devices: [CatalogManager], by way: Way) async throws {
        for number in [0, 1, 0] {
            let options = ExchangeOptions(key: key, name: "device \(number)")
            switch way {
            case .documents: _ = try await devices[number].devices.exchange(at: sharedFolder, options)
            case .sums: _ = try await devices[number].devices.exchange(through: values, options)
            }
        }
    }

    @Test(arguments: Way.allCases)
    func `different balances that a legacy library has left on two devices are added by an exchange`(
        _ way: Way
    ) async throws {
        let devices = [try await launch("phone", coins: 200), try await launch("tablet", coins: 500)]
        try await exchange(devices, by: way)
        for device in devices {
            #expect(device.wallets.balance(for: "coins") == .known(700))
            // Later loads add no starting balance and no further units.
            await device.loadProducts()
            #expect(device.wallets.balance(for: "coins") == .known(700))
        }
    }

    @Test func `equal balances that a legacy library has left on two devices count once`() async throws {
        let devices = [try await launch("phone", coins: 200), try await launch("tablet", coins: 200)]
        try await exchange(devices, by: .documents)
        for device in devices { #expect(device.wallets.balance(for: "coins") == .known(200)) }
    }

    @Test(arguments: [0, 1])
    func `a wallet that a legacy library has left receives no starting balance, also if it has no units`(
        coins: Int
    ) async throws {
        let (clock, preferences) = (voyager.clock, MemoryPreferences(["coins": .integer(coins)]))
        var options = ManagerOptions(now: { clock.now })
        options.legacyData = LegacyDataSource(
            [.vtaInAppPurchases], preferences: preferences, documents: folder["documents"], caches: folder["caches"])
        let catalog = Catalog(
            products: try VoyagerStore.catalog().products, wallets: ["coins": CatalogWallet(startingBalance: 10)])
        let manager = try await CatalogManager(
            catalog: .catalog(catalog), store: voyager.unlisted, verifier: voyager.verifier(),
            home: Home(url: folder["phone"]), options: options)
        await manager.loadProducts()
        #expect(manager.wallets.balance(for: "coins") == .known(coins))
        await manager.stop()
    }

    @Test func `a ledger with an imported balance of a legacy library receives no starting balance`() async throws {
        let phone = try await launch("phone", coins: 200)
        let document = try await phone.ledger.export()
        let (clock, home) = (voyager.clock, Home(url: folder["other"]))
        func launchOther(startingBalance: Int) async throws -> CatalogManager {
            let catalog = Catalog(
                products: try VoyagerStore.catalog().products,
                wallets: ["coins": CatalogWallet(startingBalance: startingBalance)])
            let manager = try await CatalogManager(
                catalog: .catalog(catalog), store: voyager.unlisted, verifier: voyager.verifier(), home: home,
                options: ManagerOptions(now: { clock.now }))
            await manager.loadProducts()
            return manager
        }
        let other = try await launchOther(startingBalance: 0)
        #expect(try await other.ledger.importDocument(document, allowing: { _ in true }) == 1)
        await other.stop()
        let later = try await launchOther(startingBalance: 10)
        #expect(later.wallets.balance(for: "coins") == .known(200))
    }
}
