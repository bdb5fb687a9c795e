import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrineSupport
import VitrineTestSupport

/// Contract of every ledger, in memory or in a file.
@Suite(.hangLimit) struct LedgerContractTests {
    enum Implementation: String, CaseIterable, Sendable {
        case memory, sqlite

        func make(in folder: TemporaryFolder) throws -> any Ledger {
            switch self {
            case .memory: MemoryLedger()
            case .sqlite: try SQLiteLedger(url: folder["ledger.sqlite"])
            }
        }

        /// Opens the same ledger again, as another process would. A ledger in memory is returned unchanged.
        func reopen(_ ledger: any Ledger, in folder: TemporaryFolder) throws -> any Ledger {
            self == .memory ? ledger : try make(in: folder)
        }
    }

    let folder: TemporaryFolder
    let date = Date(timeIntervalSince1970: 1_790_000_000)

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: Implementation.allCases)
    func `facts are stored in order, with sequence numbers and dates`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        let facts: [Fact] = [
            .bought("guide", transaction: "1"), .bought("coins", transaction: "2", kind: .consumable, quantity: 3),
            .credited(150, transaction: "2"), .spent(30, token: "map"), .given("pack", token: "raffle"),
        ]
        let first = try await ledger.append(Array(facts[..<3]), at: date)
        let second = try await ledger.append(Array(facts[3...]), at: date + 1)

        let entries = try await ledger.entries(after: 0)
        #expect(entries == first + second)
        #expect(entries.map(\.fact) == facts)
        #expect(entries.map(\.recordedAt) == [date, date, date, date + 1, date + 1])
        #expect(entries.map(\.sequence) == entries.map(\.sequence).sorted())
        #expect(try await ledger.entries(after: first[2].sequence) == second)
        #expect(try await ledger.entries(after: second[1].sequence).isEmpty)
        #expect(try await ledger.checkWritable() == second[1].sequence)
    }

    @Test(arguments: Implementation.allCases)
    func `a grant or lock is not recorded if another one of its product was recorded after it was decided`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        func append(_ fact: Fact, decidedAfter last: Int64) async throws -> [LedgerEntry] {
            var dated = DatedFact(fact: fact, date: date)
            dated.decidedAfter = last
            return try await ledger.append([dated])
        }
        let first = try #require(try await append(.given("guide", token: "a"), decidedAfter: 0).first)
        #expect(try await append(.given("guide", token: "b"), decidedAfter: 0).isEmpty)
        #expect(try await append(.locked("guide", token: "c"), decidedAfter: 0).isEmpty)
        #expect(try await append(.given("map", token: "d"), decidedAfter: 0).count == 1)
        _ = try await ledger.append([.bought("guide", transaction: "1")], at: date)
        #expect(try await append(.locked("guide", token: "e"), decidedAfter: first.sequence).count == 1)
        #expect(try await append(.given("guide", token: "f"), decidedAfter: first.sequence).isEmpty)
    }

    @Test(arguments: Implementation.allCases)
    func `a new ledger has no entries`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)

        #expect(try await ledger.entries(after: 0).isEmpty)
        #expect(try await ledger.checkWritable() == 0)
    }

    @Test(arguments: Implementation.allCases)
    func `a fact that is appended twice is recorded once`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        let facts: [Fact] = [
            .bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1"),
            .spent(20, token: "map"), .given("pack", token: "raffle"),
        ]
        #expect(try await ledger.append(facts, at: date).count == 4)
        #expect(try await ledger.append(facts, at: date + 1).isEmpty)
        #expect(try await ledger.append([facts[2], facts[2]], at: date + 2).isEmpty)
        #expect(try await ledger.entries(after: 0).count == 4)
    }

    @Test(arguments: Implementation.allCases)
    func `a purchase that is appended again with another amount retains the amount that it credited first`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let purchase = Fact.bought("coins", transaction: "1", kind: .consumable)
        _ = try await ledger.append([purchase, .credited(50, transaction: "1")], at: date)

        #expect(try await ledger.append([purchase, .credited(60, transaction: "1")], at: date).isEmpty)
        #expect(try await ledger.entries(after: 0).last?.fact == .credited(50, transaction: "1"))
    }

    @Test(arguments: Implementation.allCases)
    func `a ledger entry is found by the kind and key of its fact`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        let entries = try await ledger.append([.bought("guide", transaction: "1")], at: date)

        #expect(try await ledger.entry(of: .purchase, key: "1") == entries[0])
        #expect(try await ledger.entry(of: .purchase, key: "2") == nil)
        #expect(try await ledger.entry(of: .grant, key: "1") == nil)
    }

    @Test(arguments: Implementation.allCases)
    func `a wallet is never overdrawn`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            [.bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1")], at: date)

        await #expect(
            throws: LedgerError.insufficientFunds(.init(token: "a", wallet: "coins", amount: 51), balance: 50)
        ) {
            try await ledger.append([.spent(51, token: "a")], at: date)
        }
        await #expect(
            throws: LedgerError.insufficientFunds(.init(token: "c", wallet: "coins", amount: 20), balance: 10)
        ) {
            try await ledger.append([.spent(40, token: "b"), .spent(20, token: "c")], at: date)
        }
        #expect(try await ledger.append([.spent(50, token: "d")], at: date).count == 1)
        #expect(try await ledger.entries(after: 0).count == 3)
    }

    @Test(arguments: Implementation.allCases)
    func `a revocation debits the units of its purchase only once`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            [
                .bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1"),
                .bought("coins", transaction: "2", kind: .consumable), .credited(500, transaction: "2"),
            ], at: date)

        let entries = try await ledger.append([.revoked("coins", transaction: "1")], at: date)
        #expect(entries.map(\.fact) == [.revoked("coins", transaction: "1", units: 50)])
        #expect(try await ledger.append([.revoked("coins", transaction: "1")], at: date).isEmpty)
        #expect(try await ledger.entries(after: 0).last?.fact == .revoked("coins", transaction: "1", units: 50))
    }

    @Test(arguments: Implementation.allCases)
    func `a revocation debits no more units than the wallet holds`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            [
                .bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1"),
                .spent(45, token: "map"), .revoked("coins", transaction: "1"),
            ], at: date)
        #expect(try await ledger.entries(after: 0).last?.fact == .revoked("coins", transaction: "1", units: 5))

        _ = try await ledger.append(
            [
                .bought("coins", transaction: "2", kind: .consumable), .credited(50, transaction: "2"),
                .spent(50, token: "other map"),
            ], at: date)
        _ = try await ledger.append([.revoked("coins", transaction: "2")], at: date)
        #expect(try await ledger.entries(after: 0).last?.fact == .revoked("coins", transaction: "2"))
        await #expect(throws: LedgerError.self) { try await ledger.append([.spent(1, token: "third")], at: date) }
    }

    @Test(arguments: Implementation.allCases)
    func `a purchase whose transaction was already revoked is refused`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.revoked("coins", transaction: "1")], at: date)

        let error = await #expect(throws: LedgerError.self) {
            try await ledger.append(
                [.bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1")], at: date)
        }
        #expect(error?.code == .revoked)
        #expect(try await ledger.entries(after: 0).count == 1)
    }

    @Test(arguments: Implementation.allCases)
    func `each distinct original purchase of the app is recorded once`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        let facts: [Fact] = [
            .firstGot(build: "150"), .firstGot(build: "500"), .firstGot(build: "150", platform: nil),
            .firstGot(build: "150", at: date), .firstGot(build: "150", signedDate: date + 1),
        ]
        #expect(try await ledger.append(facts + facts, at: date).map(\.fact) == facts)
        #expect(try await ledger.entries(after: 0).map(\.fact) == facts)
    }

    struct Refusal: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let facts: [Fact]
        let code: LedgerError.Code
    }

    @Test(
        arguments: Implementation.allCases,
        [
            Refusal(testDescription: "a debit of zero", facts: [.spent(0, token: "a")], code: .invalidFact),
            Refusal(testDescription: "a debit below zero", facts: [.spent(-5, token: "a")], code: .invalidFact),
            Refusal(testDescription: "a debit without token", facts: [.spent(5, token: "")], code: .invalidFact),
            Refusal(
                testDescription: "a credit without purchase", facts: [.credited(5, transaction: "9")],
                code: .invalidFact),
            Refusal(
                testDescription: "a credit of nothing",
                facts: [.bought("coins", transaction: "9", kind: .consumable), .credited(0, transaction: "9")],
                code: .invalidFact),
            Refusal(
                testDescription: "a purchase of nothing", facts: [.bought("guide", transaction: "9", quantity: 0)],
                code: .invalidFact),
            Refusal(
                testDescription: "a wallet past 64 bits",
                facts: [.bought("coins", transaction: "9", kind: .consumable), .credited(Int.max, transaction: "9")],
                code: .invalidFact),
            Refusal(
                testDescription: "a wallet past 64 bits by a deposit", facts: [.deposited(Int.max, token: "a")],
                code: .invalidFact),
            Refusal(
                testDescription: "a wallet past 64 bits by two of one call",
                facts: [
                    .deposited(Int.max, in: "gems", token: "a"), .deposited(1, in: "gems", token: "b"),
                ], code: .invalidFact),
            Refusal(
                testDescription: "the least number as an amount", facts: [.spent(Int.min, token: "a")],
                code: .invalidFact),
            Refusal(
                testDescription: "a deposit of nothing", facts: [.deposited(0, token: "a")], code: .invalidFact),
            Refusal(
                testDescription: "a deposit below zero", facts: [.deposited(-1, token: "a")], code: .invalidFact),
            Refusal(
                testDescription: "a deposit without token", facts: [.deposited(1, token: "")], code: .invalidFact),
            Refusal(
                testDescription: "a purchase without transaction", facts: [.bought("guide", transaction: "")],
                code: .invalidFact),
            Refusal(
                testDescription: "a gift without token", facts: [.given("guide", token: "")], code: .invalidFact),
            Refusal(
                testDescription: "a lock without token", facts: [.locked("guide", token: "")], code: .invalidFact),
            Refusal(
                testDescription: "a loss without token", facts: [.loss(.init(token: "", reason: "gone"))],
                code: .invalidFact),
            Refusal(
                testDescription: "a settlement without token",
                facts: [.settlement(.init(token: "", reason: "looked at"))], code: .invalidFact),
            Refusal(
                testDescription: "a note without token", facts: [.note(.init(token: "", reason: "seen"))],
                code: .invalidFact),
            Refusal(testDescription: "content of no product", facts: [.installed("")], code: .invalidFact),
            Refusal(
                testDescription: "content without version", facts: [.installed("guide", version: "")],
                code: .invalidFact),
            Refusal(
                testDescription: "content with a digest that is none", facts: [.installed("guide", digest: "A5")],
                code: .invalidFact),
            Refusal(
                testDescription: "other content whose key is the same",
                facts: [.installed("a b", version: "c"), .installed("a", version: "b c")], code: .conflict),
            Refusal(
                testDescription: "a term without subscription",
                facts: [
                    .termed(
                        "month", transaction: "9", signed: Date(timeIntervalSince1970: 1_790_000_000),
                        until: .init(expirationDate: Date(timeIntervalSince1970: 1_790_000_000)))
                ], code: .invalidFact),
            Refusal(
                testDescription: "a term of what lasts for ever",
                facts: [
                    .termed(
                        "coins", transaction: "1", signed: Date(timeIntervalSince1970: 1_790_000_001),
                        until: .init(expirationDate: Date(timeIntervalSince1970: 1_790_000_000)))
                ], code: .invalidFact),
            Refusal(
                testDescription: "a debit of a wallet that nothing was put into",
                facts: [.spent(1, from: "gems", token: "a")], code: .insufficientFunds),
            Refusal(
                testDescription: "a purchase that was taken back", facts: [.bought("gone", transaction: "3")],
                code: .revoked),
            Refusal(
                testDescription: "another product under a transaction that was taken back",
                facts: [.revoked("map", transaction: "3")], code: .conflict),
            Refusal(
                testDescription: "another deposit under the same token",
                facts: [.deposited(2, in: "hints", token: "used")], code: .conflict),
            Refusal(
                testDescription: "a deposit in another wallet under the same token",
                facts: [.deposited(1, in: "gems", token: "used")], code: .conflict),
            Refusal(
                testDescription: "a lock of another product under the same token",
                facts: [.locked("map", token: "used")], code: .conflict),
            Refusal(
                testDescription: "another product under the same transaction",
                facts: [.bought("map", transaction: "1")], code: .conflict),
            Refusal(
                testDescription: "another spending under the same token", facts: [.spent(11, token: "used")],
                code: .conflict),
            Refusal(
                testDescription: "a revocation of another product", facts: [.revoked("map", transaction: "1")],
                code: .conflict),
            Refusal(
                testDescription: "another gift under the same token", facts: [.given("map", token: "used")],
                code: .conflict),
        ]
    )
    func `an append with an invalid or conflicting fact is refused as a whole`(
        _ implementation: Implementation, _ refusal: Refusal
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            [
                .bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1"),
                .spent(10, token: "used"), .given("guide", token: "used"), .locked("guide", token: "used"),
                .deposited(1, in: "hints", token: "used"), .revoked("gone", transaction: "3"),
            ], at: date)
        let before = try await ledger.entries(after: 0)

        let error = await #expect(throws: LedgerError.self) {
            try await ledger.append(
                [.given("pack", token: "before"), .deposited(1, token: "before")] + refusal.facts, at: date)
        }
        #expect(error?.code == refusal.code)
        #expect(try await ledger.entries(after: 0) == before)
        #expect(try await ledger.summary().balances == ["coins": 40, "hints": 1])
    }

    @Test(arguments: Implementation.allCases)
    func `a purchase that a hundred tasks append concurrently is recorded once`(_ implementation: Implementation)
        async throws
    {
        let ledger = try implementation.make(in: folder)
        let date = date
        let new = try await withThrowingTaskGroup { group in
            for _ in 0..<100 {
                group.addTask {
                    try await ledger.append(
                        [.bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1")],
                        at: date
                    ).count
                }
            }
            return try await group.reduce(0, +)
        }

        #expect(new == 2)
        #expect(try await ledger.entries(after: 0).count == 2)
    }

    @Test(arguments: Implementation.allCases)
    func `a hundred concurrent debits succeed only as often as the balance allows`(_ implementation: Implementation)
        async throws
    {
        let ledger = try implementation.make(in: folder)
        let date = date
        _ = try await ledger.append(
            [.bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1")], at: date)
        let spent = await withTaskGroup { group in
            for index in 0..<100 {
                group.addTask {
                    do {
                        return try await ledger.append([.spent(5, token: "\(index)")], at: date).count
                    } catch {
                        return 0
                    }
                }
            }
            return await group.reduce(0, +)
        }

        #expect(spent == 10)
    }
}
