import Foundation
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Random histories of subscribers, after which the simulated store and its model must have the same state.
///
/// `STORE_SOAK` is the number of histories, and `STORE_SOAK_SEED` the seed of the first one. A single history is
/// repeated with its seed and `STORE_SOAK=1`.
@Suite(.hangLimit) struct RandomLifeTests {
    private static let batchSize: UInt64 = 25
    private static let count = environment("STORE_SOAK") ?? 150
    private static let seed = environment("STORE_SOAK_SEED") ?? UInt64.random(in: 1...999_999)
    private static let batches = Array(0..<(count + batchSize - 1) / batchSize)

    private static func environment(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test(arguments: batches)
    func `random purchase histories end as the model predicts, whether time advances at once or in steps`(batch: UInt64)
        async throws
    {
        let first = Self.seed + batch * Self.batchSize
        let last = min(first + Self.batchSize, Self.seed + Self.count)
        var events = 0
        for seed in first..<last { events += try await live(seed) }
        print("STORE_SOAK_SEED=\(first): \(last - first) lives, \(events) events")
    }

    /// Performs a random history.
    ///
    /// - Returns: Number of events of the history.
    private func live(_ seed: UInt64) async throws -> Int {
        let isVerified = seed.isMultiple(of: 100)
        let life = RandomLife(seed: seed, finishes: !isVerified)
        let store = try await LivedStore(life, .atOnce)
        let end = try await store.end()
        let cutEnd = try await LivedStore(life, .inSteps).end()
        let (found, expected) = (end.lines(from: life.start), life.lines)
        #expect(end == cutEnd, "\(comment(life, cutEnd.lines(from: life.start), found))")
        #expect(Set(found) == Set(expected) && found.count == expected.count, "\(comment(life, found, expected))")
        if isVerified { try await store.verify("\(comment(life))") }
        return end.timeline.count
    }

    private func comment(_ life: RandomLife, _ found: [String] = [], _ expected: [String] = []) -> String {
        let lines =
            ["STORE_SOAK=1 STORE_SOAK_SEED=\(life.seed)"] + life.description
            + Set(found).subtracting(expected).sorted().map { "found: \($0)" }
            + Set(expected).subtracting(found).sorted().map { "expected: \($0)" }
        return lines.joined(separator: "\n")
    }
}
