import Foundation
import Testing
import VitrineCatalog
import VitrineDeviceExchange
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Snapshot of ownership that an app writes for its extensions.
@Suite(.hangLimit) struct OwnershipSnapshotTests {
    private let club: ClubScene
    private let key: OwnershipSnapshotKey
    private static let day: TimeInterval = 86_400

    init() async throws {
        club = try await ClubScene()
        key = try OwnershipSnapshotKey(Data(repeating: 7, count: 32))
    }

    private var file: URL { club.folder["shared/ownership"] }

    private func launch(selling other: (any Store)? = nil) async throws -> CatalogManager {
        try await club.launch(selling: other) { $0.snapshot = OwnershipSnapshotFile(url: file, key: key) }
    }

    /// Waits until the snapshot meets a condition.
    private func snapshot(where isWanted: (OwnershipSnapshot) -> Bool) async throws -> OwnershipSnapshot {
        while true {
            do throws(OwnershipSnapshotError) {
                let snapshot = try OwnershipSnapshot(contentsOf: file, key: key)
                if isWanted(snapshot) { return snapshot }
            } catch {
                guard error.code == .unreadable else { throw error }
            }
            await Task.yield()
        }
    }

    @Test func `a snapshot follows purchases, debits and refunds`() async throws {
        let manager = try await launch()
        #expect(try OwnershipSnapshot(contentsOf: file, key: key).owned(at: ClubScene.start) == [])
        guard case .success(let map, _) = await manager.purchase("map"),
            case .success = await manager.purchase("coins", quantity: 2)
        else {
            Issue.record("not bought")
            return
        }
        var snapshot = try await snapshot { $0.owns("map", at: ClubScene.start) && $0.balances["coins"] == 20 }
        #expect(snapshot.owned(at: ClubScene.start) == ["map"])
        #expect(snapshot.changeDates == [])

        try await manager.wallets.spend(5, from: "coins", token: "a hat")
        try await club.store.refund(map.payload.transactionID)
        snapshot = try await self.snapshot { $0.balances["coins"] == 15 && !$0.owns("map", at: ClubScene.start) }
        #expect(snapshot.owned(at: ClubScene.start) == [])
        await manager.stop()
    }

    @Test func `a subscription that renews is owned in the snapshot until the end of the leeway for its confirmation`()
        async throws
    {
        let manager = try await launch()
        _ = await manager.purchase("club.silver")
        let snapshot = try await snapshot { !$0.changeDates.isEmpty }
        let end = try #require(manager.subscriptions.first?.expirationDate)
        #expect(snapshot.owns("club.silver", at: end - 1))
        #expect(snapshot.owns("club.silver", at: end + 15 * Self.day))
        #expect(!snapshot.owns("club.silver", at: end + 17 * Self.day))
        #expect(snapshot.changeDates == [end + 16 * Self.day])
        // A clock that is set back takes nothing away.
        #expect(snapshot.owns("club.silver", at: ClubScene.start - 100 * Self.day))
        await manager.stop()
    }

    @Test func `the products of a subscription end in the snapshot with it`() async throws {
        let manager = try await launch()
        _ = await manager.purchase("club.gold")
        try await club.store.setRenewal(false, of: "club.gold")
        let end = try #require(manager.subscriptions.first?.expirationDate)
        let snapshot = try await snapshot { $0.changeDates == [end] }
        #expect(snapshot.owned(at: end - 1).sorted() == ["club.gold", "map"])
        #expect(snapshot.owned(at: end) == [])
        await manager.stop()
    }

    @Test func `a subscription whose renewal is turned off ends in the snapshot with its period`() async throws {
        let manager = try await launch()
        _ = await manager.purchase("club.silver")
        try await club.store.setRenewal(false, of: "club.silver")
        let end = try #require(manager.subscriptions.first?.expirationDate)
        let snapshot = try await snapshot { $0.changeDates == [end] }
        #expect(snapshot.owns("club.silver", at: end - 1))
        #expect(!snapshot.owns("club.silver", at: end))
        await manager.stop()
    }

    @Test func `a snapshot is refused if it was changed or written with another key`() async throws {
        let manager = try await launch()
        _ = await manager.purchase("map")
        _ = try await snapshot { $0.owns("map", at: ClubScene.start) }
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
            try OwnershipSnapshot(contentsOf: club.folder["nowhere"], key: key)
        }
        #expect(missing?.code == .unreadable)
        let short = #expect(throws: LedgerSealKeyError.self) { try OwnershipSnapshotKey(Data(count: 31)) }
        #expect(short?.code == .tooShort)
    }

    @Test func `a snapshot that cannot be written is reported by an event, and the purchase succeeds`() async throws {
        try club.folder.write("a file", to: "shared")
        let manager = try await launch()
        let events = manager.events()
        guard case .success = await manager.purchase("map") else {
            Issue.record("not bought")
            return
        }
        await events.next { if case .ledger(.failed(let error)) = $0 { error.code == .unavailable } else { false } }
        await manager.stop()
    }

    @Test func `an owner whose ledger is lost keeps the earlier snapshot`() async throws {
        let manager = try await launch()
        _ = await manager.purchase("map")
        _ = try await snapshot { $0.owns("map", at: ClubScene.start) }
        await manager.stop()
        for name in try FileManager.default.contentsOfDirectory(atPath: club.folder["home"].path())
        where name.hasPrefix("ledger.sqlite") {
            try Data("damaged".utf8).write(to: club.folder["home/\(name)"])
        }
        var silent = InterceptedStore(club.store)
        silent.onKnownTransactions = { () throws(StoreError) in throw StoreError(code: .network, reason: "no network") }
        let next = try await launch(selling: silent)
        #expect(!next.ownership(of: "map").isOwned)
        #expect(try OwnershipSnapshot(contentsOf: file, key: key).owns("map", at: ClubScene.start))
        await next.stop()
    }

    // MARK: Undecided products

    /// Catalog with an atlas that old customers have received, and a globe.
    private static func catalog(isGrandfathered: Bool) -> Catalog {
        let rules = isGrandfathered ? [GrandfatheringRule(beforeBuild: VersionNumber("200"))] : []
        return Catalog(
            products: ClubScene.catalog.products + [
                CatalogProduct(identifier: "atlas", kind: .nonConsumable, grandfathered: rules),
                CatalogProduct(identifier: "globe", kind: .nonConsumable),
            ])
    }

    @Test func `a snapshot follows a purchase and its refund while the ownership of another product is undecided`()
        async throws
    {
        let manager = try await club.makeManager(catalog: .catalog(Self.catalog(isGrandfathered: true))) {
            $0.snapshot = OwnershipSnapshotFile(url: file, key: key)
        }
        await manager.loadProducts()
        #expect(manager.ownership(of: "atlas") == .unknown(.grandfathering(product: "atlas")))
        guard case .success(let map, _) = await manager.purchase("map") else {
            Issue.record("not bought")
            return
        }
        _ = try await snapshot { $0.owns("map", at: ClubScene.start) }
        try await club.store.refund(map.payload.transactionID)
        _ = try await snapshot { !$0.owns("map", at: ClubScene.start) }
        await manager.stop()
    }

    @Test func `an undecided product keeps its state of the earlier snapshot, and a decided one does not`() throws {
        let (start, end) = (ClubScene.start, ClubScene.start + 30 * Self.day)
        let granted = ["atlas", "globe"].enumerated().map { index, product in
            let grant = Fact.Grant(
                token: product, productIdentifier: product, reason: "a gift", expirationDate: end)
            return LedgerEntry(sequence: Int64(index + 1), recordedAt: start, fact: .grant(grant))
        }
        let earlier = OwnershipSnapshot(
            of: try EntitlementSnapshot(catalog: Self.catalog(isGrandfathered: false), entries: granted, at: start))
        #expect(earlier.owned(at: start) == ["atlas", "globe"])

        let present = try EntitlementSnapshot(
            catalog: Self.catalog(isGrandfathered: true), entries: [], at: start + Self.day)
        var snapshot = OwnershipSnapshot(of: present)
        snapshot.retain(earlier, unknownTo: present)
        #expect(snapshot.owned(at: start + Self.day) == ["atlas"])
        #expect(snapshot.changeDates == [end])
        #expect(snapshot.owned(at: end) == [])
    }
}
