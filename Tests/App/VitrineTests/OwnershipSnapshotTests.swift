import Foundation
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Snapshot of ownership that an app writes for its extensions.
@Suite(.timeLimit(.minutes(45))) struct OwnershipSnapshotTests {
    private let folder: TemporaryFolder
    private let store: SimulatedStore
    private let key: OwnershipSnapshotKey
    private static let start = Date(timeIntervalSince1970: 2_210_112_000)
    private static let day: TimeInterval = 86_400

    init() async throws {
        folder = try TemporaryFolder()
        store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.file("Catalogs/Club.storekit")),
            bundleIdentifier: "com.example.club", seed: 0)
        try await store.useVirtualClock(at: Self.start)
        key = try OwnershipSnapshotKey(Data(repeating: 7, count: 32))
    }

    private var file: URL { folder["shared/ownership"] }

    private func makeManager(selling other: (any Store)? = nil) async throws -> CatalogManager {
        let clock = store.clock
        let products = Catalog(products: [
            CatalogProduct(identifier: "coins", kind: .consumable, storageKey: "coins", productValue: 10),
            CatalogProduct(identifier: "map", kind: .nonConsumable),
            CatalogProduct(identifier: "club.silver", kind: .autoRenewableSubscription),
        ])
        let manager = try await CatalogManager(
            catalog: .catalog(products), store: other ?? store.launched,
            verifier: SignedDataVerifier(
                roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
                environment: .sandbox, now: { clock.now }),
            home: Home(url: folder["home"]),
            options: ManagerOptions(choosing: {
                $0.loading.schedule = .never
                $0.snapshot = OwnershipSnapshotFile(url: file, key: key)
                $0.clock = ManagerOptions.Clock(now: { clock.now }, sleepUntil: { try await clock.sleep(until: $0) })
            }))
        await manager.loadProducts()
        return manager
    }

    /// Waits until the snapshot meets a condition.
    private func snapshot(where isWanted: (OwnershipSnapshot) -> Bool) async throws -> OwnershipSnapshot {
        while true {
            let snapshot = try OwnershipSnapshot(contentsOf: file, key: key)
            if isWanted(snapshot) { return snapshot }
            await Task.yield()
        }
    }

    @Test func `a snapshot follows purchases, debits and refunds`() async throws {
        let manager = try await makeManager()
        #expect(try OwnershipSnapshot(contentsOf: file, key: key).owned(at: Self.start) == [])
        guard case .success(let map, _) = await manager.purchase("map"),
            case .success = await manager.purchase("coins", quantity: 2)
        else {
            Issue.record("not bought")
            return
        }
        var snapshot = try await snapshot { $0.owns("map", at: Self.start) && $0.balances["coins"] == 20 }
        #expect(snapshot.owned(at: Self.start) == ["map"])
        #expect(snapshot.changeDates == [])

        try await manager.wallets.spend(5, from: "coins", token: "a hat")
        try await store.refund(map.payload.transactionID)
        snapshot = try await self.snapshot { $0.balances["coins"] == 15 && !$0.owns("map", at: Self.start) }
        #expect(snapshot.owned(at: Self.start) == [])
        await manager.stop()
    }

    @Test func `a subscription that renews is owned in the snapshot until the end of the leeway for its confirmation`()
        async throws
    {
        let manager = try await makeManager()
        _ = await manager.purchase("club.silver")
        let snapshot = try await snapshot { !$0.changeDates.isEmpty }
        let end = try #require(manager.subscriptions.first?.expirationDate)
        #expect(snapshot.owns("club.silver", at: end - 1))
        #expect(snapshot.owns("club.silver", at: end + 15 * Self.day))
        #expect(!snapshot.owns("club.silver", at: end + 17 * Self.day))
        #expect(snapshot.changeDates == [end + 16 * Self.day])
        // A clock that is set back takes nothing away.
        #expect(snapshot.owns("club.silver", at: Self.start - 100 * Self.day))
        await manager.stop()
    }

    @Test func `a subscription whose renewal is turned off ends in the snapshot with its period`() async throws {
        let manager = try await makeManager()
        _ = await manager.purchase("club.silver")
        try await store.setRenewal(false, of: "club.silver")
        let end = try #require(manager.subscriptions.first?.expirationDate)
        let snapshot = try await snapshot { $0.changeDates == [end] }
        #expect(snapshot.owns("club.silver", at: end - 1))
        #expect(!snapshot.owns("club.silver", at: end))
        await manager.stop()
    }

    @Test func `a snapshot is refused if it was changed or written with another key`() async throws {
        let manager = try await makeManager()
        _ = await manager.purchase("map")
        _ = try await snapshot { $0.owns("map", at: Self.start) }
        await manager.stop()
        let data = try Data(contentsOf: file)

        let other = try OwnershipSnapshotKey(Data(repeating: 8, count: 32))
        #expect(throws: OwnershipSnapshotError.self) { try OwnershipSnapshot(data: data, key: other) }
        for index in data.indices {
            var changed = data
            changed[index] ^= 1
            let error = #expect(throws: OwnershipSnapshotError.self) { try OwnershipSnapshot(data: changed, key: key) }
            #expect(error?.code == .untrusted)
        }
        for length in 0..<data.count {
            #expect(throws: OwnershipSnapshotError.self) { try OwnershipSnapshot(data: data.prefix(length), key: key) }
        }
    }

    @Test func `a missing snapshot and a short key are errors with advice`() throws {
        let missing = #expect(throws: OwnershipSnapshotError.self) {
            try OwnershipSnapshot(contentsOf: folder["nowhere"], key: key)
        }
        #expect(missing?.code == .unreadable)
        let short = #expect(throws: OwnershipSnapshotError.self) { try OwnershipSnapshotKey(Data(count: 31)) }
        #expect(short?.code == .shortKey)
    }

    @Test func `a snapshot that cannot be written is reported by an event, and the purchase succeeds`() async throws {
        try folder.write("a file", to: "shared")
        let manager = try await makeManager()
        let events = manager.events()
        guard case .success = await manager.purchase("map") else {
            Issue.record("not bought")
            return
        }
        await events.next { if case .ledger(.failed(let error)) = $0 { error.code == .unavailable } else { false } }
        await manager.stop()
    }

    @Test func `an owner whose ledger is lost keeps the earlier snapshot`() async throws {
        let manager = try await makeManager()
        _ = await manager.purchase("map")
        _ = try await snapshot { $0.owns("map", at: Self.start) }
        await manager.stop()
        for name in try FileManager.default.contentsOfDirectory(atPath: folder["home"].path())
        where name.hasPrefix("ledger.sqlite") {
            try Data("damaged".utf8).write(to: folder["home/\(name)"])
        }
        var silent = InterceptedStore(store)
        silent.onKnownTransactions = { () throws(StoreError) in throw StoreError(code: .network, reason: "no network") }
        let next = try await makeManager(selling: silent)
        #expect(!next.ownership(of: "map").isOwned)
        #expect(try OwnershipSnapshot(contentsOf: file, key: key).owns("map", at: Self.start))
        await next.stop()
    }
}
