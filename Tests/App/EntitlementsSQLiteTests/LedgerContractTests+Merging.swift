import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineSupport
import VitrineTestSupport

/// Merging of facts from other devices, the same in every ledger.
extension LedgerContractTests {
    private func merge(
        _ facts: [(Fact, TimeInterval)], from device: String = "b", into ledger: any Ledger,
        overdrafts policy: OverdraftPolicy = .forgiven
    ) async throws -> LedgerMerge {
        try await ledger.merge(
            facts.map { ExchangedFact(fact: $0, moment: date + $1, device: device) }, adjusting: [],
            overdrafts: policy, at: date + 1_000)
    }

    private func coins(_ ledger: any Ledger) async throws -> Int? { try await ledger.summary().balances["coins"] }

    @Test(arguments: Implementation.allCases)
    func `a fact merged from another device names that device, and the next local fact is ordered after it`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.deposited(10, token: "a")], at: date)
        let merge = try await merge([(.deposited(5, token: "b"), 100)], into: ledger)
        let own = try await ledger.append([.spent(1, token: "c")], at: date + 1)

        #expect(merge.entries.map(\.device) == ["b"])
        #expect(merge.entries.map(\.moment) == [date + 100])
        #expect(own.map(\.device) == [nil])
        #expect(own.map(\.recordedAt) == [date + 1])
        #expect(own.map { $0.moment.timeIntervalSince(date) > 100 } == [true])
        let reopened = try implementation.reopen(ledger, in: folder)
        #expect(try await reopened.entries(after: 0).suffix(2) == merge.entries + own)
        #expect(try await coins(reopened) == 14)
    }

    @Test(arguments: Implementation.allCases, [("enrolled-1", 0), ("server-1", 0), ("b", 100)])
    func `a debit before its credit counts in full if it is of the app's server, and is forgiven to another device`(
        _ implementation: Implementation, _ spender: (device: String, balance: Int)
    ) async throws {
        for isDebitFirst in [true, false] {
            let other = try TemporaryFolder()
            defer { withExtendedLifetime(other) {} }
            let ledger = try implementation.make(in: other)
            let debit = [(Fact.spent(100, token: "order"), TimeInterval(10))]
            let deposit = [(Fact.deposited(100, token: "start"), TimeInterval(20))]
            for (facts, device) in isDebitFirst
                ? [(debit, spender.device), (deposit, "server-2")] : [(deposit, "server-2"), (debit, spender.device)]
            {
                _ = try await merge(facts, from: device, into: ledger)
            }
            #expect(try await coins(ledger) == spender.balance)
        }
    }

    @Test(arguments: Implementation.allCases)
    func `an overdraft by two devices that spent the same units is forgiven or becomes a debt, depending on the policy`(
        _ implementation: Implementation
    ) async throws {
        for (policy, balance) in [(OverdraftPolicy.forgiven, 0), (.owed, -50)] {
            let other = try TemporaryFolder()
            defer { withExtendedLifetime(other) {} }
            let ledger = try implementation.make(in: other)
            _ = try await ledger.append([.deposited(100, token: "start"), .spent(80, token: "a")], at: date + 10)
            let merge = try await merge(
                [(.deposited(100, token: "start"), 0), (.spent(70, token: "b"), 5)], into: ledger, overdrafts: policy)

            #expect(try await coins(ledger) == balance)
            let adjustments = merge.entries.compactMap { entry in
                if case .adjustment(let adjustment) = entry.fact { adjustment } else { nil }
            }
            #expect(adjustments.map(\.overdrawn) == (policy == .forgiven ? [50] : []))
        }
    }

    @Test(arguments: Implementation.allCases)
    func `a fact that two devices recorded counts once, with the values of the earlier record`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.deposited(10, token: "start")], at: date)
        let later = try await merge([(.deposited(12, token: "start"), 5)], into: ledger)
        #expect(try await coins(ledger) == 10)
        #expect(later.problems.keys.sorted() == [0])

        _ = try await merge([(.deposited(12, token: "start"), -5)], into: ledger)
        #expect(try await coins(ledger) == 12)
        let again = try await merge([(.deposited(12, token: "start"), -5)], into: ledger)
        #expect(again.entries.isEmpty)
    }

    @Test(arguments: Implementation.allCases)
    func `a credit merged from another device is applied only once its purchase is merged`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let purchase = Fact.bought("pack", transaction: "1", kind: .consumable)
        let early = try await merge([(.credited(50, transaction: "1"), 1)], into: ledger)
        #expect(early.entries.isEmpty)
        guard case .waiting = early.problems[0] else {
            Issue.record("the credit does not wait")
            return
        }
        _ = try await merge([(.credited(50, transaction: "1"), 1), (purchase, 0)], into: ledger)
        #expect(try await coins(ledger) == 50)
    }

    @Test(arguments: Implementation.allCases)
    func `a refund removes the same units whether it is merged before or after its purchase`(
        _ implementation: Implementation
    ) async throws {
        let purchase = Fact.bought("pack", transaction: "1", kind: .consumable)
        let bought = [(purchase, -2), (Fact.credited(50, transaction: "1"), -1)]
        let refund = (Fact.revoked("pack", transaction: "1"), 1.0)
        for facts in [
            bought.map { ($0, TimeInterval($1)) } + [refund], [refund] + bought.map { ($0, TimeInterval($1)) },
        ] {
            let other = try TemporaryFolder()
            defer { withExtendedLifetime(other) {} }
            let ledger = try implementation.make(in: other)
            for fact in facts { _ = try await merge([fact], into: ledger) }
            #expect(try await coins(ledger) ?? 0 == 0)
            #expect(try await ledger.isRevoked("1"))
        }
    }

    @Test(arguments: Implementation.allCases)
    func `merged deposits that overflow a balance, are too large or negative are rejected, and others are recorded`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.deposited(.max, in: "gems", token: "own")], at: date)
        let most = 1 << 48
        let merge = try await merge(
            [
                (.deposited(most, token: "a"), 0), (.deposited(most + 1, token: "b"), 1),
                (.deposited(.max, token: "c"), 2), (.deposited(-1, token: "d"), 3), (.deposited(.min, token: "e"), 4),
                (.deposited(1, in: "gems", token: "f"), 5),
            ], into: ledger)
        #expect(merge.problems.keys.sorted() == [1, 2, 3, 4, 5])
        #expect(try await coins(ledger) == most)
        #expect(try await ledger.summary().balances["gems"] == .max)
    }

    @Test(arguments: Implementation.allCases)
    func `units leased by another device cannot be spent locally until a day after the lease expires`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.deposited(100, token: "start")], at: date)
        let end = date + 3_600
        let lease = Fact.lease(Fact.Lease(token: "l", wallet: "coins", amount: 60, expirationDate: end))
        _ = try await merge([(lease, 10), (.spent(15, token: "b"), 20)], into: ledger)

        // 85 are left, of which the other device has 45.
        await #expect { try await ledger.append([.spent(41, token: "a")], at: date + 30) } throws: {
            ($0 as? LedgerError)?.code == .insufficientFunds
        }
        _ = try await ledger.append([.spent(40, token: "a")], at: date + 30)
        await #expect { try await ledger.append([.spent(1, token: "c")], at: end + 86_399) } throws: {
            ($0 as? LedgerError)?.code == .insufficientFunds
        }
        _ = try await ledger.append([.spent(1, token: "c")], at: end + 86_400)
        #expect(try await coins(ledger) == 44)
    }

    @Test(arguments: Implementation.allCases)
    func `a device can lease only units that are not leased, and can lease units that another device has released`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.deposited(100, token: "start")], at: date)
        func lease(_ amount: Int, _ token: String) -> Fact {
            .lease(Fact.Lease(token: token, wallet: "coins", amount: amount, expirationDate: date + 3_600))
        }
        _ = try await merge([(lease(60, "theirs"), 10)], into: ledger)
        _ = try await ledger.append([lease(30, "mine")], at: date + 20)
        await #expect { try await ledger.append([lease(11, "more")], at: date + 20) } throws: {
            ($0 as? LedgerError)?.code == .insufficientFunds
        }
        await #expect { try await ledger.append([.release(Fact.Release(token: "theirs"))], at: date + 20) } throws: {
            ($0 as? LedgerError)?.code == .invalidFact
        }
        _ = try await merge([(.release(Fact.Release(token: "theirs")), 30)], into: ledger)
        _ = try await ledger.append([lease(70, "more")], at: date + 40)
        #expect(try await coins(ledger) == 100)
    }

    @Test(arguments: Implementation.allCases)
    func `concurrent debits that require a lease never spend more than the leased units`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let lease = Fact.lease(Fact.Lease(token: "l", wallet: "coins", amount: 50, expirationDate: date + 3_600))
        _ = try await ledger.append([.deposited(100, token: "start"), lease], at: date)
        let date = date
        let spent = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let debit = DatedFact(fact: .spent(20, token: "\(number)"), date: date + 60, requiresLease: true)
                    return (try? await ledger.append([debit])) != nil
                }
            }
            return await group.reduce(0) { $1 ? $0 + 1 : $0 }
        }
        #expect(spent == 2)
        #expect(try await coins(ledger) == 60)
    }

    @Test(arguments: Implementation.allCases)
    func `debits that require a lease are bounded by it although the clock of another device is far ahead`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let lease = Fact.lease(Fact.Lease(token: "l", wallet: "coins", amount: 50, expirationDate: date + 3_600))
        _ = try await ledger.append([.deposited(500, token: "start"), lease], at: date)
        func spend(_ amount: Int, _ token: String) async throws {
            let debit = DatedFact(fact: .spent(amount, token: token), date: date + 60, requiresLease: true)
            _ = try await ledger.append([debit])
        }
        try await spend(30, "a")
        // In the order of all devices, the next debits come after this one, and after the end of the lease.
        _ = try await merge([(.spent(1, token: "b"), 5_000_000)], into: ledger)
        try await spend(20, "c")
        await #expect { try await spend(20, "d") } throws: { ($0 as? LedgerError)?.code == .insufficientFunds }
        #expect(try await coins(ledger) == 449)

        // A later lease counts until a debit has used it.
        let later = Fact.lease(Fact.Lease(token: "m", wallet: "coins", amount: 40, expirationDate: date + 7_200))
        _ = try await ledger.append([later], at: date + 120)
        try await spend(40, "e")
        await #expect { try await spend(1, "f") } throws: { ($0 as? LedgerError)?.code == .insufficientFunds }
        #expect(try await coins(ledger) == 409)
    }

    @Test(arguments: Implementation.allCases)
    func `debits of a device with two leases use up the units of the lease that expires first`(
        _ implementation: Implementation
    )
        async throws
    {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.deposited(100, token: "start")], at: date)
        func lease(_ token: String, hours: Double) -> Fact {
            .lease(Fact.Lease(token: token, wallet: "coins", amount: 50, expirationDate: date + hours * 3_600))
        }
        _ = try await merge(
            [(lease("short", hours: 1), 10), (lease("long", hours: 900), 20), (.spent(50, token: "b"), 30)],
            into: ledger)
        // The short one is over, and the long one is whole.
        await #expect { try await ledger.append([.spent(1, token: "a")], at: date + 200_000) } throws: {
            ($0 as? LedgerError)?.code == .insufficientFunds
        }
        await #expect { try await ledger.append([lease("past", hours: 0)], at: date + 1) } throws: {
            ($0 as? LedgerError)?.code == .invalidFact
        }
    }

    @Test(arguments: Implementation.allCases)
    func `a grant that two devices recorded ends at the date in the earlier record`(_ implementation: Implementation)
        async throws
    {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.given("guide", token: "trial", until: date + 10_000)], at: date)
        _ = try await merge([(.given("guide", token: "trial", until: date + 7_000), -5)], into: ledger)
        let entries = try await ledger.entries(after: 0)
        for (moment, isOwned) in [(6_999.0, true), (7_001, false)] {
            let snapshot = try EntitlementSnapshot(catalog: nil, entries: entries, at: date + moment)
            #expect(snapshot.isOwned("guide") == isOwned)
        }
    }

    @Test(arguments: Implementation.allCases)
    func `the last signed of several renewal statements applies, regardless of the order in which they arrive`(
        _ implementation: Implementation
    ) async throws {
        let statements = [(true, 1.0), (false, 2), (true, 3)].map { isRenewing, second in
            (Fact.renewed("club", transaction: "1", isRenewing: isRenewing, signed: date + second), second)
        }
        for order in [[0, 1, 2], [0, 2, 1], [2, 0, 1], [1, 2, 0]] {
            let other = try TemporaryFolder()
            defer { withExtendedLifetime(other) {} }
            let ledger = try implementation.make(in: other)
            for index in order { _ = try await merge([statements[index]], into: ledger) }
            guard
                case .renewal(let last) = try await ledger.entries(after: 0).last(where: { $0.fact.kind == .renewal })?
                    .fact
            else {
                Issue.record("there is no statement")
                return
            }
            #expect(last.isRenewing, "\(order)")
        }
    }
}
