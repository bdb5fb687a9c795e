import Foundation
import Testing
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

/// Ledgers that contain numbers as large as they can be.
extension LedgerContractTests {
    @Test(arguments: Implementation.allCases, [OverdraftPolicy.forgiven, .owed])
    func `a ledger with the largest amounts takes further facts and can be spent from`(
        _ implementation: Implementation, _ policy: OverdraftPolicy
    ) async throws {
        let ledger = try implementation.make(in: folder)
        for token in ["a", "b"] {
            _ = try await ledger.append([.deposited(.max, token: token)], at: date)
            _ = try await ledger.append([.spent(.max, token: "spent \(token)")], at: date)
        }
        // The earlier units and the largest deposit do not fit together.
        for (token, moment) in [("early", -10.0), ("late", 10)] {
            let merge = try await ledger.merge(
                [ExchangedFact(fact: .deposited(100, token: token), moment: date + moment, device: "b")],
                adjusting: [], overdrafts: policy, at: date + 20)
            #expect(merge.problems.isEmpty)
        }

        let reopened = try implementation.reopen(ledger, in: folder)
        #expect(try await reopened.summary().balances["coins"] == 100)
        _ = try await reopened.append([.spent(60, token: "map")], at: date + 30)
        #expect(try await reopened.summary().balances["coins"] == 40)
        let entries = try await reopened.entries(after: 0)
        #expect(try EntitlementSnapshot(catalog: nil, entries: entries, at: date + 30).balance(of: "coins").units == 40)
    }

    @Test func `leases of more units in all than a number can count leave nothing to spend, and end`() async throws {
        let ledger = MemoryLedger()
        _ = try await ledger.append([.deposited(100, token: "start")], at: date)
        let end = date + 3_600
        let leases = (0..<33_000).map { number in
            ExchangedFact(
                fact: .lease(
                    Fact.Lease(
                        token: "\(number)", wallet: "coins", amount: Fact.Lease.largestAmount, expirationDate: end)),
                moment: date + 1, device: "b")
        }
        let merge = try await ledger.merge(leases, adjusting: [], overdrafts: .forgiven, at: date + 2)
        #expect(merge.problems.isEmpty)
        let lease = Fact.lease(Fact.Lease(token: "own", wallet: "coins", amount: 1, expirationDate: end))
        for fact in [Fact.spent(1, token: "map"), lease] {
            let error = await #expect(throws: LedgerError.self) { try await ledger.append([fact], at: date + 3) }
            #expect(error?.code == .insufficientFunds)
        }
        _ = try await ledger.append([.spent(1, token: "map")], at: end + Fact.Lease.grace)
        #expect(await ledger.summary().balances["coins"] == 99)
    }
}
