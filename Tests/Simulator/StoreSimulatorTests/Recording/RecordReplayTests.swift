import Foundation
import Testing
import VitrineTestSupport

@testable import VitrineStoreSimulator

/// Random histories that are recorded, and replayed in another store.
///
/// `RECORDING_SOAK` is the number of histories, and `RECORDING_SOAK_SEED` the seed of the first one.
@Suite(.hangLimit) struct RecordReplayTests {
    private static let batchSize: UInt64 = 10
    private static let count = environment("RECORDING_SOAK") ?? 40
    private static let seed = environment("RECORDING_SOAK_SEED") ?? UInt64.random(in: 1...999_999)
    private static let batches = Array(0..<(count + batchSize - 1) / batchSize)

    private static func environment(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test(arguments: batches)
    func `a recorded random purchase history ends in the same state when it is replayed`(batch: UInt64) async throws {
        let first = Self.seed + batch * Self.batchSize
        for seed in first..<min(first + Self.batchSize, Self.seed + Self.count) { try await liveAndReplay(seed) }
        print("RECORDING_SOAK_SEED=\(first)")
    }

    /// Records a random history from its beginning, or from its middle, and replays it.
    private func liveAndReplay(_ seed: UInt64) async throws {
        var life = try RecordedLife(seed: seed)
        let isFromMiddle = !seed.isMultiple(of: 2)
        if isFromMiddle {
            try await life.begin()
            try await life.live(15)
        }
        let recorded = try await RecordedStore(life.store)
        if !isFromMiddle { try await life.begin() }
        try await life.live(15)
        try await recorded.recorder.append()
        try await life.live(15)
        do {
            try await recorded.expectSameReplay("RECORDING_SOAK=1 RECORDING_SOAK_SEED=\(seed)")
        } catch {
            Issue.record(error, "RECORDING_SOAK=1 RECORDING_SOAK_SEED=\(seed)")
        }
    }
}
