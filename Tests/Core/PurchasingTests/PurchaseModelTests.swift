import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Random operations, after each of which all components must match a simple model.
///
/// Tens of thousands of operations use a store and a verifier without signatures, and test the queue, the ledger's rules
/// and the snapshot. Some thousands more use the simulated store, with real signatures and a ledger on disk. A failed
/// run can be repeated with its seed in the environment variable `VITRINE_MODEL_SEED`.
@Suite(.hangLimit) struct PurchaseModelTests {
    static let onlySeed = ProcessInfo.processInfo.environment["VITRINE_MODEL_SEED"].flatMap(UInt64.init)
    /// Number of seeds: 150, or more by `make model-soak`.
    static let count = ProcessInfo.processInfo.environment["MODEL_SOAK"].flatMap(UInt64.init) ?? 150
    static let seeds = onlySeed.map { [$0] } ?? Array(0..<count)
    static let seedsOnDisk = onlySeed.map { [$0] } ?? Array(1...16)

    @Test(arguments: seeds)
    func `the customer's entitlements match a simple model after each of hundreds of random operations`(seed: UInt64)
        async throws
    {
        let clock = TestClock()
        let kinds = try VoyagerStore.catalog().products.map { ($0.identifier, $0.kind) }
        let run = PurchaseModelRun(
            store: PaperStore(selling: Dictionary(uniqueKeysWithValues: kinds), now: { clock.now }),
            verifier: PaperVerifier(), ledger: MemoryLedger(), clock: clock, seed: seed)
        try await Self.check(run, operations: 250, seed: seed)
    }

    @Test(arguments: seedsOnDisk)
    func `with signatures and a ledger on disk, the customer's entitlements match a simple model`(seed: UInt64)
        async throws
    {
        let voyager = try VoyagerStore()
        let run = PurchaseModelRun(
            store: voyager.store, verifier: try voyager.verifier(),
            ledger: try SQLiteLedger(url: voyager.folder["ledger.sqlite"]), clock: voyager.clock, seed: seed)
        try await Self.check(run, operations: 125, seed: seed)
    }

    private static func check(_ run: PurchaseModelRun, operations: Int, seed: UInt64) async throws {
        var run = run
        do {
            try await run.run(operations: operations, comparingRebuiltEvery: 100)
        } catch let difference as ModelDifference {
            Issue.record("VITRINE_MODEL_SEED=\(seed): \(difference)")
        }
    }
}
