import Foundation
import Vitrine
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// App that sells the products of the club in a simulated store, whose clock stands still.
struct ClubScene {
    let folder: TemporaryFolder
    let store: SimulatedStore
    /// Initial date of the store's clock, 2040-01-14.
    static let start = Date(timeIntervalSince1970: 2_210_112_000)

    /// - Parameter isInFolder: `true` for a store in the folder `Store`, which several processes can open; `false` for one
    ///   in memory.
    init(isInFolder: Bool = false) async throws {
        folder = try TemporaryFolder()
        let configuration = try Data(contentsOf: Repository.file("Catalogs/Club.storekit"))
        let bundleIdentifier = "com.example.club"
        if isInFolder {
            try SimulatedStore.create(
                in: folder["Store"], configuration: configuration, bundleIdentifier: bundleIdentifier, seed: 0)
            store = try SimulatedStore(folder: folder["Store"])
        } else {
            store = try SimulatedStore.inMemory(
                configuration: configuration, bundleIdentifier: bundleIdentifier, seed: 0)
        }
        try await store.useVirtualClock(at: Self.start)
    }

    /// Catalog of most tests.
    static let catalog = Catalog(products: [
        CatalogProduct(identifier: "coins", kind: .consumable, storageKey: "coins", productValue: 10),
        CatalogProduct(identifier: "map", kind: .nonConsumable),
        CatalogProduct(identifier: "club.silver", kind: .autoRenewableSubscription),
        CatalogProduct(identifier: "club.gold", kind: .autoRenewableSubscription, childProducts: ["map"]),
    ])

    /// Catalog of subscriptions whose lower plan contains the map.
    static let plans = Catalog(products: [
        CatalogProduct(identifier: "map", kind: .nonConsumable),
        CatalogProduct(identifier: "club.silver", kind: .autoRenewableSubscription, childProducts: ["map"]),
        CatalogProduct(identifier: "club.gold", kind: .autoRenewableSubscription),
    ])

    /// Creates a manager, and loads its products.
    ///
    /// - Parameter other: Store in place of the simulated one.
    func launch(
        selling other: (any Store)? = nil, choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) async throws -> CatalogManager {
        let manager = try await makeManager(selling: other, choosing: choices)
        await manager.loadProducts()
        return manager
    }

    /// Creates a manager.
    ///
    /// - Parameters:
    ///   - other: Store in place of the simulated one.
    ///   - home: Name of the storage directory.
    ///   - lead: Lead of the device's clock over the store's, in seconds.
    func makeManager(
        catalog: CatalogSource = .catalog(Self.catalog), selling other: (any Store)? = nil, home: String = "home",
        ahead lead: TimeInterval = 0, choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) async throws -> CatalogManager {
        let clock = store.clock
        return try await CatalogManager(
            catalog: catalog, store: other ?? store.launched,
            verifier: SignedDataVerifier(
                roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
                environment: .sandbox, now: { clock.now }),
            home: Home(url: folder[home]),
            options: ManagerOptions(choosing: {
                $0.clock = ManagerOptions.Clock(
                    now: { clock.now + lead }, sleepUntil: { try await clock.sleep(until: $0 - lead) })
                choices(&$0)
            }))
    }
}
