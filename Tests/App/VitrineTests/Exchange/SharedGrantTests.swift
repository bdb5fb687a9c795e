import Foundation
import Testing
import Vitrine
import VitrineEntitlements
import VitrineStoreSimulator
import VitrineTestSupport

/// Grants and locks that two devices of a customer record independently of each other.
@Suite(.hangLimit) struct SharedGrantTests: ManagerScene {
    /// Way in which the devices exchange.
    enum Way: String, CaseIterable, Sendable { case documents, sums }

    enum Step: Sendable { case unlock(Int), lock(Int), exchange }

    struct Sequence: Sendable, CustomTestStringConvertible {
        let id: String
        let steps: [Step]
        let isOwned: Bool

        var testDescription: String { id }
    }

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

    private func makeDevices() async throws -> [CatalogManager] {
        let clock = voyager.clock
        var devices: [CatalogManager] = []
        for name in ["phone", "tablet"] {
            let device = try await CatalogManager(
                catalog: .file(Repository.sample("Voyager.plist")), store: voyager.store.device(name).launched,
                verifier: voyager.verifier(), home: Home(url: folder[name]),
                options: ManagerOptions(now: { clock.now }))
            await device.loadProducts()
            devices.append(device)
        }
        return devices
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

    private func areOwned(_ devices: [CatalogManager]) -> [Bool] {
        devices.map { $0.ownership(of: .voyager("porto")).isOwned }
    }

    private static let sequences = [
        Sequence(
            id: "a lock after a lock and a grant of the other device",
            steps: [.unlock(0), .exchange, .lock(0), .unlock(0), .lock(1)], isOwned: false),
        Sequence(
            id: "a grant after a grant and a lock of the other device",
            steps: [.unlock(0), .exchange, .lock(0), .exchange, .unlock(0), .lock(0), .unlock(1)], isOwned: true),
        Sequence(
            id: "a first grant after a grant and a lock of the other device",
            steps: [.unlock(0), .lock(0), .unlock(1)], isOwned: true),
        Sequence(
            id: "a lock after the grants of both devices",
            steps: [.unlock(0), .unlock(1), .exchange, .lock(1)], isOwned: false),
    ]

    @Test(arguments: sequences, Way.allCases)
    func `after an exchange the last lock or grant counts, whichever device has recorded it`(
        _ sequence: Sequence, _ way: Way
    ) async throws {
        let devices = try await makeDevices()
        for step in sequence.steps {
            voyager.clock.advance(by: 60)
            switch step {
            case .unlock(let number): try await devices[number].unlock(.voyager("porto"))
            case .lock(let number): #expect(try await devices[number].lock(.voyager("porto")))
            case .exchange: try await exchange(devices, by: way)
            }
        }
        try await exchange(devices, by: way)
        #expect(areOwned(devices) == [sequence.isOwned, sequence.isOwned])
    }

    @Test(arguments: 0..<4 as Range<UInt64>, Way.allCases)
    func `after random grants, locks and exchanges both devices own what was granted last and not locked since`(
        _ seed: UInt64, _ way: Way
    ) async throws {
        let devices = try await makeDevices()
        var (random, isOwned) = (SeededGenerator(seed: seed), false)
        for step in 0..<60 {
            voyager.clock.advance(by: 60)
            let device = devices[Int.random(in: 0..<2, using: &random)]
            switch Int.random(in: 0..<5, using: &random) {
            case 0, 1:
                // A repeated call records nothing, so that it comes after nothing that the other device has recorded.
                if !device.ownership(of: .voyager("porto")).isOwned { isOwned = true }
                try await device.unlock(.voyager("porto"))
            case 2, 3: if try await device.lock(.voyager("porto")) { isOwned = false }
            default:
                try await exchange(devices, by: way)
                #expect(areOwned(devices) == [isOwned, isOwned], "step \(step)")
            }
        }
    }

    @Test func `concurrent calls of unlock in two processes record one grant`() async throws {
        let managers = [try await makeManager(), try await makeManager()]
        for manager in managers { await manager.loadProducts() }
        try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask { try await managers[number % 2].unlock(.voyager("porto")) }
            }
            try await group.waitForAll()
        }
        let grants = try await managers[0].ledger.history().filter { $0.fact.kind == .grant }
        #expect(grants.count == 1)
        #expect(try await managers[1].lock(.voyager("porto")))
        #expect(try await !managers[0].lock(.voyager("porto")))
    }
}
