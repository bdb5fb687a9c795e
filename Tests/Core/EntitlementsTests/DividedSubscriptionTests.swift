import Foundation
import Testing
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

/// The documented table of the store's statements, for a subscription whose periods belong to two customers.
@Suite(.hangLimit) struct DividedSubscriptionTests {
    private typealias Table = SubscriptionStatementTests

    /// Rows in which each renewal statement is about the product of its period.
    private static let rows = Table.rows.filter { !$0.testDescription.contains(" of 1 best") }

    /// Returns the facts that a ledger records of statements.
    private static func record(_ facts: [Fact], in ledger: MemoryLedger) async throws -> [Fact] {
        for fact in facts {
            do throws(LedgerError) {
                _ = try await ledger.append([fact], at: fact.origin?.signedDate ?? .distantPast)
            } catch {
                // A copy that was signed before the refund.
                #expect(error.code == .revoked)
            }
        }
        return await ledger.entries(after: 0).map(\.fact)
    }

    @Test(arguments: rows)
    func `two customers together own what one customer with all periods of a subscription would own`(
        _ row: SubscriptionStatementTests.Row
    ) async throws {
        let facts = try row.statements.map(Table.fact)
        let latest = try #require(facts.compactMap(\.origin?.signedDate).max())
        for (isReversed, second) in [(false, "1"), (false, "2"), (true, "1"), (true, "2")] {
            let ordered = isReversed ? facts.reversed() : facts
            let parts = [true, false].map { isSecond in
                ordered.filter { ($0.origin?.transactionID == second) == isSecond }
            }
            let ledgers = [MemoryLedger(), MemoryLedger()]
            let recorded = try await [
                Self.record(parts[0], in: ledgers[0]), Self.record(parts[1], in: ledgers[1]),
            ]
            for date in (0...160).map({ Table.day(Double($0) / 2) }) where date >= latest {
                let snapshots = [
                    EntitlementSnapshot(
                        catalog: Table.catalog, summary: await ledgers[0].summary(), elsewhere: recorded[1], at: date),
                    EntitlementSnapshot(
                        catalog: Table.catalog, summary: await ledgers[1].summary(), elsewhere: recorded[0], at: date),
                ]
                for (product, end) in row.ends {
                    let isOwned = end.map { date < Table.day($0) } ?? false
                    #expect(
                        snapshots.contains { $0.isOwned(product) } == isOwned,
                        "\(product) on \(date), \(parts.map { $0.map(\.key) })")
                }
            }
        }
    }

    @Test func `a period of another customer ends a period, and unlocks and explains nothing`() throws {
        let own = try Table.fact("1 basic 0–30")
        let others = try [Table.fact("2 best 10–40"), Table.fact("refund 2 best signed 12")]
        func snapshot(_ elsewhere: [Fact]) -> EntitlementSnapshot {
            let entry = LedgerEntry(sequence: 1, recordedAt: Table.day(0), fact: own)
            return EntitlementSnapshot(
                catalog: Table.catalog, summary: LedgerSummary(lastSequence: 1, entries: [entry], balances: [:]),
                elsewhere: elsewhere, at: Table.day(20))
        }
        #expect(snapshot([]).owned == ["basic"])
        let ended = snapshot([others[0]])
        #expect(ended.owned == [])
        #expect(ended.explanation(of: "best").ended.isEmpty)
        let refunded = snapshot(others)
        #expect(refunded.owned == [])
        #expect(!refunded.hasRevocations)
        #expect(refunded.explanation(of: "best").revocations.isEmpty)
    }
}
