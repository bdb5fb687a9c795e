import Foundation
import Testing
import VitrineEntitlements
import VitrineTestSupport

/// Units of leases that the debits of their devices have left.
@Suite(.hangLimit) struct LeaseTests {
    private static let start = Date(timeIntervalSince1970: 1_790_000_000)

    private static func lease(
        _ amount: Int, token: String, of device: String, from start: TimeInterval, to end: TimeInterval
    ) -> LedgerEntry {
        LedgerEntry(
            sequence: 1, recordedAt: Self.start + start,
            fact: .lease(
                Fact.Lease(token: token, wallet: "coins", amount: amount, expirationDate: Self.start + end)),
            device: device)
    }

    private static func debit(_ amount: Int, by device: String, at moment: TimeInterval) -> LedgerEntry {
        LedgerEntry(
            sequence: 1, recordedAt: start + moment, fact: .spent(amount, token: "f"), device: device)
    }

    // Comparing each lease with each debit would take longer than the time limit.
    @Test func `the units left of a hundred thousand leases are counted after as many debits`() {
        let count = 100_000
        let leases = (0..<count).map {
            Self.lease(2, token: "\($0)", of: "tablet", from: TimeInterval($0), to: 1_000_000 - TimeInterval($0))
        }
        let debits = (0..<count).map { Self.debit(1, by: "tablet", at: TimeInterval(200_000 + $0)) }
        let left = leases.unitsLeft(after: debits, released: [:], at: Self.start, grace: 0)
        #expect(left == count)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `each debit uses the leases that its device has at its moment, beginning with the one that ends first`(
        seed: UInt64
    ) {
        var random = SeededGenerator(seed: seed)
        func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }
        let devices = ["phone", "tablet"]
        var leases: [LedgerEntry] = []
        var releases: [String: Date] = [:]
        for number in 0..<12 {
            let start = TimeInterval(below(20))
            // The ends differ, so that the order of the leases is certain.
            let end = start + 1 + TimeInterval(below(20)) + TimeInterval(number) / 100
            leases.append(
                Self.lease(1 + below(9), token: "\(number)", of: devices[below(2)], from: start, to: end))
            if below(3) == 0 { releases["\(number)"] = Self.start + TimeInterval(below(40)) }
        }
        let debits = (0..<12).map {
            Self.debit(1 + below(9), by: devices[below(2)], at: TimeInterval(below(40)) + TimeInterval($0) / 100)
        }
        for grace in [0, 5] as [TimeInterval] {
            for date in [0, 15, 30] as [TimeInterval] {
                #expect(
                    leases.unitsLeft(after: debits, released: releases, at: Self.start + date, grace: grace)
                        == Self.unitsLeft(leases, debits, releases, at: Self.start + date, grace))
            }
        }
    }

    /// Returns the units that are left, unit by unit.
    private static func unitsLeft(
        _ leases: [LedgerEntry], _ debits: [LedgerEntry], _ releases: [String: Date], at date: Date,
        _ grace: TimeInterval
    ) -> Int {
        func isOpen(_ lease: LedgerEntry, at date: Date) -> Bool {
            guard case .lease(let fact) = lease.fact else { return false }
            return fact.expirationDate + grace > date
        }
        func end(_ lease: LedgerEntry) -> Date {
            if case .lease(let fact) = lease.fact { fact.expirationDate } else { .distantPast }
        }
        var units: [String: Int] = [:]
        for lease in leases { units[lease.fact.key] = lease.fact.positiveAmount }
        for debit in debits.sorted(by: { $0.moment < $1.moment }) {
            for _ in 0..<(debit.fact.positiveAmount ?? 0) {
                let used = leases.filter { lease in
                    lease.device == debit.device && lease.moment < debit.moment && isOpen(lease, at: debit.moment)
                        && releases[lease.fact.key] ?? .distantFuture > debit.moment
                        && units[lease.fact.key, default: 0] > 0
                }
                guard let first = used.min(by: { end($0) < end($1) }) else { break }
                units[first.fact.key, default: 0] -= 1
            }
        }
        return leases.filter { releases[$0.fact.key] == nil && isOpen($0, at: date) }
            .reduce(0) { $0 + units[$1.fact.key, default: 0] }
    }
}
