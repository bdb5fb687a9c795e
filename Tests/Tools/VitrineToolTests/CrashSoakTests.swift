import Foundation
import Testing
import VitrineTestSupport

/// Purchases in one home by processes that are killed at random times.
///
/// `CRASH_SOAK` is the number of purchases; `CRASH_SOAK_SEED` repeats the delays of a run.
@Suite(.blocksThreads, .hangLimit) struct CrashSoakTests {
    /// Number of purchases per home, so that its files stay small.
    private static let batchSize = 100
    private static let count = environment("CRASH_SOAK").map { Int($0) } ?? 300
    private static let seed = environment("CRASH_SOAK_SEED") ?? UInt64.random(in: 1...999_999)
    private static let batches = Array(0..<(count + batchSize - 1) / batchSize)

    private static func environment(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap { UInt64($0) }
    }

    @Test(arguments: batches)
    func `no purchase is lost or duplicated when vitrine is killed at a random time`(batch: Int) throws {
        var home = SoakHome(tool: try Tool.voyager(), seed: Self.seed + UInt64(batch))
        let count = min(Self.batchSize, Self.count - batch * Self.batchSize)
        let seed = Comment("CRASH_SOAK_SEED=\(Self.seed), batch \(batch)")
        for number in 1...count {
            if number % 25 == 1 { try home.check(seed) }
            try home.buy(seed)
        }
        try home.check(seed)
        print("\(seed): \(count) purchases, \(home.killed) killed, \(home.sold) sold")
    }
}

private struct SoakHome {
    private let tool: Tool
    private var generator: SeededGenerator
    /// Usual duration of a command in seconds.
    private var duration = 0.0
    /// Transactions that a command has reported as bought.
    private var acknowledged: Set<String> = []
    private(set) var killed = 0
    private(set) var sold = 0

    init(tool: Tool, seed: UInt64) {
        self.tool = tool
        generator = SeededGenerator(state: seed)
    }

    /// Buys coins, and kills the command at a random time within its usual duration.
    mutating func buy(_ comment: Comment) throws {
        let quantity = Int.random(in: 1...3, using: &generator)
        let delay = Double.random(in: 0...duration, using: &generator)
        let product = Bool.random(using: &generator) ? "coins50" : "coins500"
        let run = try tool.startUntilKilled(
            ["buy", .voyager(product), "--quantity", String(quantity), "--json"], after: delay)
        if run.isKilled { killed += 1 }
        // A command that was killed may have answered before.
        guard let answer = try? run.result.json else {
            #expect(run.isKilled, comment)
            return
        }
        #expect(answer["answer"] as? String == "success", comment)
        acknowledged.insert(try #require(answer["transaction"] as? String))
    }

    /// Launches the app without killing it, and checks the files of the home.
    mutating func check(_ comment: Comment) throws {
        let start = ContinuousClock.now
        let result = try tool.run("wallet", "coins", "--json")
        let elapsed = (ContinuousClock.now - start).components
        // A purchase does a little more than this.
        duration = 1.3 * (Double(elapsed.seconds) + Double(elapsed.attoseconds) * 1e-18)
        let audit = try HomeAudit(tool.home)
        #expect(audit.violations() == [], comment)
        #expect(audit.balance == audit.worth, comment)
        #expect(audit.entries(of: "credit").count == audit.sold.count, comment)
        #expect(acknowledged.isSubset(of: audit.finished), comment)
        let shown = (try result.json["wallets"] as? [[String: Any]])?.first?["balance"] as? Int
        #expect(shown == audit.balance, comment)
        sold = audit.sold.count
    }
}

/// Random number generator (SplitMix64) with the same sequence for the same seed.
private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}
