import Foundation
import Testing
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineTestSupport

@testable import Vitrine

/// Ten devices that buy, spend and exchange at random, in any order, with losses and repetitions.
@Suite(.hangLimit) struct ExchangePropertyTests {
    /// Number of seeds: 200, or more by `make exchange-soak`.
    static let count = ProcessInfo.processInfo.environment["EXCHANGE_SOAK"].flatMap { UInt64($0) } ?? 200
    /// Seed of the only run; `nil` to run all seeds.
    static let onlySeed = ProcessInfo.processInfo.environment["EXCHANGE_SEED"].flatMap { UInt64($0) }

    static var seeds: [UInt64] { onlySeed.map { [$0] } ?? Array(0..<count) }

    @Test(arguments: stride(from: 0, to: count, by: 10).map { $0 })
    func `after random exchanges the balances and ownership of all devices agree with a reference model`(
        _ first: UInt64
    ) async throws {
        for seed in Self.seeds where (first..<first + 10).contains(seed) {
            try await expectAgreement(try await ExchangeLife(seed: seed), "seed \(seed)")
        }
    }

    @Test(arguments: 0..<4 as Range<UInt64>)
    func `after random exchanges devices with SQLite ledgers agree with a reference model`(_ seed: UInt64)
        async throws
    {
        let folder = try TemporaryFolder()
        let life = try await ExchangeLife(seed: seed) { try SQLiteLedger(url: folder["ledger\($0).sqlite"]) }
        try await expectAgreement(life, "seed \(seed)")
    }

    private func expectAgreement(_ life: ExchangeLife, _ seed: Comment) async throws {
        for _ in 0..<120 { try await life.step() }
        try await life.end()

        var own: [LedgerEntry] = []
        for device in life.devices { own += try await device.ledger.entries(after: 0).filter { $0.device == nil } }
        let model = ExchangeModel(own, life.policy)
        for device in life.devices {
            let snapshot = device.entitlements.snapshot
            #expect(snapshot.balances == model.balances, seed)
            #expect(Set(snapshot.owned) == model.owned, seed)
            let entries = try await device.ledger.entries(after: 0)
            let rebuilt = try EntitlementSnapshot(catalog: nil, entries: entries, at: snapshot.date)
            #expect(rebuilt.balances == snapshot.balances && rebuilt.owned == snapshot.owned, seed)
            #expect(WalletAudit(entries).problems.isEmpty, seed)
        }
        #expect(life.shownBelowZero.isEmpty, seed)
    }
}
