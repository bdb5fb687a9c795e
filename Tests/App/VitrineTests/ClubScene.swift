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

    init() async throws {
        folder = try TemporaryFolder()
        store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.file("Catalogs/Club.storekit")),
            bundleIdentifier: "com.example.club", seed: 0)
        try await store.useVirtualClock(at: Self.start)
    }

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

    func makeManager(
        selling other: (any Store)? = nil, choosing choices: (inout ManagerOptions) -> Void = { _ in }
    ) async throws -> CatalogManager {
        let clock = store.clock
        let products = Catalog(products: [
            CatalogProduct(identifier: "coins", kind: .consumable, storageKey: "coins", productValue: 10),
            CatalogProduct(identifier: "map", kind: .nonConsumable),
            CatalogProduct(identifier: "club.silver", kind: .autoRenewableSubscription),
            CatalogProduct(identifier: "club.gold", kind: .autoRenewableSubscription, childProducts: ["map"]),
        ])
        return try await CatalogManager(
            catalog: .catalog(products), store: other ?? store.launched,
            verifier: SignedDataVerifier(
                roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
                environment: .sandbox, now: { clock.now }),
            home: Home(url: folder["home"]),
            options: ManagerOptions(choosing: {
                $0.loading.schedule = .never
                $0.clock = ManagerOptions.Clock(now: { clock.now }, sleepUntil: { try await clock.sleep(until: $0) })
                choices(&$0)
            }))
    }
}
