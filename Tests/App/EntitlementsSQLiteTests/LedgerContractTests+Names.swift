import Foundation
import Testing
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

extension LedgerContractTests {
    @Test(arguments: Implementation.allCases)
    func `wallet names and tokens are equal in composed and decomposed Unicode spelling`(
        _ implementation: Implementation
    ) async throws {
        let (one, two) = ("caf\u{E9}", "cafe\u{301}")
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            [.deposited(50, in: one, token: "a"), .deposited(50, in: two, token: "b")], at: date)
        #expect(try await ledger.append([.spent(80, from: two, token: one)], at: date).count == 1)
        #expect(try await ledger.append([.spent(80, from: one, token: two)], at: date).isEmpty)

        #expect(try await ledger.summary().balances == [one: 20])
        #expect(try await ledger.entry(of: .debit, key: two) != nil)
    }

    @Test(
        arguments: Implementation.allCases,
        [
            Fact.deposited(5, in: "coins\0x", token: "a"), .deposited(5, in: "", token: "a"),
            .spent(5, token: "a\0"), .given("premium\0", token: "a"), .given("", token: "a"),
        ])
    func `a fact with a name that is empty or contains U+0000 is refused`(
        _ implementation: Implementation, _ fact: Fact
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let error = await #expect(throws: LedgerError.self) { try await ledger.append([fact], at: date) }
        #expect(error?.code == .invalidFact)
        #expect(try await ledger.entries(after: 0).isEmpty)
    }

    @Test(arguments: Implementation.allCases)
    func `a credit for a product that is not a consumable is refused`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        let error = await #expect(throws: LedgerError.self) {
            try await ledger.append([.bought("guide", transaction: "1"), .credited(9, transaction: "1")], at: date)
        }
        #expect(error?.code == .invalidFact)
    }
}
