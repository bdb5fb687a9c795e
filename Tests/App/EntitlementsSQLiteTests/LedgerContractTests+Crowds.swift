import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

/// Concurrent callers of a ledger, each of whom gets the result of its own call.
extension LedgerContractTests {
    private enum Outcome: Hashable, Sendable {
        case recorded(Int)
        case refused(LedgerError.Code)
    }

    private func outcome(of facts: [Fact], in ledger: any Ledger) async -> Outcome {
        do {
            return .recorded(try await ledger.append(facts, at: date).count)
        } catch {
            return .refused(error.code)
        }
    }

    @Test(arguments: Implementation.allCases)
    func `a hundred concurrent appends each return the result of their own facts`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            [
                .bought("guide", transaction: "known"), .revoked("gone", transaction: "gone"),
                .deposited(1_000, token: "start"), .spent(1, token: "used"),
            ], at: date)
        let cases: [(facts: @Sendable (Int) -> [Fact], outcome: Outcome)] = [
            ({ [.bought("map", transaction: "\($0)", contents: ["guide"])] }, .recorded(1)),
            (
                { [.bought("coins", transaction: "\($0)", kind: .consumable), .credited(1, transaction: "\($0)")] },
                .recorded(2)
            ),
            ({ _ in [.bought("guide", transaction: "known")] }, .recorded(0)),
            ({ [.bought("map", transaction: "known"), .given("map", token: "\($0)")] }, .refused(.conflict)),
            ({ [.given("map", token: "\($0)"), .bought("gone", transaction: "gone")] }, .refused(.revoked)),
            ({ [.given("map", token: "\($0)"), .spent(10_000, token: "\($0)")] }, .refused(.insufficientFunds)),
            ({ [.deposited(1, token: "\($0)"), .spent(0, token: "\($0)")] }, .refused(.invalidFact)),
            ({ _ in [.spent(2, token: "used")] }, .refused(.conflict)),
            ({ [.spent(1, token: "\($0)")] }, .recorded(1)),
            ({ [.given("tour", token: "\($0)"), .locked("tour", token: "\($0)")] }, .recorded(2)),
        ]
        let answers = await withTaskGroup(of: (Int, Outcome).self) { group in
            for index in 0..<100 {
                group.addTask {
                    (index, await self.outcome(of: cases[index % cases.count].facts(index), in: ledger))
                }
            }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }

        for (index, answer) in answers { #expect(answer == cases[index % cases.count].outcome) }
        #expect(answers.count == 100)
        let entries = try await ledger.entries(after: 0)
        #expect(entries.count == 64)
        #expect(entries.map(\.sequence) == entries.map(\.sequence).sorted())
        #expect(Set(entries.map(\.sequence)).count == entries.count)
        #expect(try await ledger.summary().balances == ["coins": 999])
    }
}
