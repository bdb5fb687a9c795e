import Foundation
import Measuring
import VitrineEntitlements

/// Brings a snapshot up to date with one new fact after the other.
struct Changing {
    private var snapshot: EntitlementSnapshot
    /// A copy of the snapshot is kept while a fact is applied, as a reader of it would.
    private let isHeld: Bool
    private var times: [(name: String, milliseconds: [Double])] = []
    private let date = SampleLedger.lastDate + 60

    /// - Parameter rounds: Few: what was taken back stays in the snapshot.
    static func measure(_ snapshot: consuming EntitlementSnapshot, isHeld: Bool, rounds: Int = 9) throws {
        var changing = Changing(snapshot: snapshot, isHeld: isHeld)
        for round in 0..<rounds { try changing.applyEach(round) }
        changing.report()
    }

    private init(snapshot: consuming EntitlementSnapshot, isHeld: Bool) {
        self.snapshot = snapshot
        self.isHeld = isHeld
    }

    private mutating func applyEach(_ round: Int) throws {
        for (level, position, count) in [(0, 8_900 + round, 1), (1, 890 + round, 11), (2, 89, 111)] {
            let key = SampleLedger.key(Int(snapshot.lastSequence))
            let product = Shop.identifier(level, position)
            let description = count == 1 ? "a guide" : "a bundle that contains \(count - 1)"
            try apply(
                "\(description) is bought",
                .product(key, of: product, at: date, signedData: "", contents: Shop.contents(level, position)),
                newlyOwned: count)
            try apply("\(description) is taken back", .revoked(key, of: product, at: date), noLongerOwned: count)
        }
        let coins = Fact.coins(
            SampleLedger.key(Int(snapshot.lastSequence)), of: "com.example.shop.coins", amount: 50,
            wallet: "wallet 1", at: date, signedData: "")
        try apply("coins are bought", coins[0])
        try apply("coins are credited", coins[1])
    }

    private mutating func apply(
        _ name: String, _ fact: Fact, newlyOwned: Int = 0, noLongerOwned: Int = 0
    ) throws {
        let entry = LedgerEntry(sequence: snapshot.lastSequence + 1, recordedAt: date, fact: fact)
        let held = isHeld ? snapshot : nil
        let start = ContinuousClock.now
        let changes = try snapshot.apply([entry])
        let milliseconds = start.duration(to: .now).seconds * 1_000
        precondition(changes.newlyOwned.count == newlyOwned && changes.noLongerOwned.count == noLongerOwned)
        withExtendedLifetime(held) {}
        if let index = times.firstIndex(where: { $0.name == name }) {
            times[index].milliseconds.append(milliseconds)
        } else {
            times.append((name, [milliseconds]))
        }
    }

    private func report() {
        let held = isHeld ? "while a copy is held" : "no copy held"
        for (name, milliseconds) in times {
            let sorted = milliseconds.sorted()
            Owning.report("apply, \(held): \(name), ms", sorted[sorted.count / 2])
        }
        Owning.report(
            "apply, \(held): the slowest of \(times.reduce(0) { $0 + $1.milliseconds.count }), ms",
            times.flatMap(\.milliseconds).max() ?? 0)
    }
}
