import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

/// Several statements of the store about one purchase: the one that was signed last counts, in whatever order they
/// arrive, and of those that were signed together the one that takes the most.
extension LedgerContractTests {
    /// Statement about a purchase, signed a number of seconds after it.
    struct Statement: Sendable {
        let signed: TimeInterval
        /// Seconds from the purchase to the refund; `nil` for a valid copy of the transaction.
        let refund: TimeInterval?
        /// Refunded part of the price, in thousandths of a percent; `nil` for the whole price.
        var part: Int?

        static func valid(_ signed: TimeInterval) -> Statement { Statement(signed: signed, refund: nil) }

        static func refund(_ signed: TimeInterval, _ part: Int? = nil, at date: TimeInterval = 50) -> Statement {
            Statement(signed: signed, refund: date, part: part)
        }
    }

    struct Statements: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let statements: [Statement]
        /// Units that are left of 1,000.
        let left: Int
        var isRevoked = true

        /// `true` if two refunds differ only in the dates at which they were signed.
        var hasRepetition: Bool {
            let refunds = statements.compactMap { statement in
                statement.refund.map { [$0, Double(statement.part ?? 0)] }
            }
            return Set(refunds).count < refunds.count
        }
    }

    private static let statements = [
        Statements(
            testDescription: "a part, then the whole price", statements: [.refund(60, 33_000), .refund(61)], left: 0),
        Statements(
            testDescription: "the whole price, then a part", statements: [.refund(60), .refund(61, 33_000)], left: 670),
        Statements(
            testDescription: "two parts and the whole price",
            statements: [.refund(60, 33_000), .refund(61), .refund(62, 10_000)], left: 900),
        Statements(
            testDescription: "another date", statements: [.refund(60, 33_000), .refund(61, 33_000, at: 55)], left: 670),
        Statements(
            testDescription: "another date and part",
            statements: [.refund(60, 33_000, at: 55), .refund(61, 50_000)], left: 500),
        Statements(
            testDescription: "a part and the whole price, signed together",
            statements: [.refund(60, 33_000), .refund(60), .refund(60, 50_000)], left: 0),
        Statements(
            testDescription: "the first part, stated again after another one",
            statements: [.refund(60, 33_000), .refund(61, 60_000), .refund(62, 33_000)], left: 670),
        Statements(
            testDescription: "a part stated again, and a smaller one signed together with it",
            statements: [.refund(60, 33_000), .refund(62, 33_000), .refund(62, 20_000)], left: 670),
        Statements(
            testDescription: "two refunds and their reversal",
            statements: [.refund(60, 33_000), .refund(61), .valid(62)], left: 1_000, isRevoked: false),
        Statements(
            testDescription: "a reversal between two refunds",
            statements: [.refund(60, 33_000), .valid(61), .refund(62, 50_000, at: 61)], left: 500),
        Statements(
            testDescription: "a refund and a valid copy, signed together",
            statements: [.refund(60, 33_000), .valid(60)], left: 670),
        Statements(
            testDescription: "a refund signed together with the reversal of another one",
            statements: [.refund(60), .valid(61), .refund(61, 40_000)], left: 600),
    ]

    /// Returns the facts of a statement about a consumable, which credits 1,000 units.
    private func facts(of statement: Statement, policy: RefundPolicy = .clawback) -> [Fact] {
        if let refund = statement.refund {
            return [
                .revoked(
                    "pack", transaction: "1", signed: date + statement.signed, at: date + refund,
                    percentage: statement.part)
            ]
        }
        return [
            .bought("pack", transaction: "1", kind: .consumable, signed: date + statement.signed),
            .credited(1_000, transaction: "1", policy: policy),
        ]
    }

    /// Records facts, or nothing if they were signed before a refund of the purchase.
    private func record(_ facts: [Fact], in ledger: any Ledger) async throws {
        do throws(LedgerError) {
            _ = try await ledger.append(facts, at: date + 100)
        } catch {
            #expect(error.code == .revoked)
        }
    }

    private func coins(of ledger: any Ledger) async throws -> Int? { try await ledger.summary().balances["coins"] }

    @Test(arguments: Implementation.allCases, statements)
    func `the refund that was signed last determines the debited units, in every order of the store's statements`(
        _ implementation: Implementation, _ test: Statements
    ) async throws {
        for order in test.statements.permutations {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let ledger = try implementation.make(in: folder)
            try await record(facts(of: .valid(0)), in: ledger)
            for statement in order { try await record(facts(of: statement), in: ledger) }

            let reopened = try implementation.reopen(ledger, in: folder)
            #expect(try await coins(of: reopened) == test.left, "\(order)")
            #expect(try await reopened.isRevoked("1") == test.isRevoked, "\(order)")
            try await record(facts(of: .valid(90)), in: reopened)
            #expect(try await coins(of: reopened) == 1_000, "\(order)")
        }
    }

    @Test(arguments: Implementation.allCases, statements)
    func `a product is owned unless the statement that was signed last refunds it, in every order`(
        _ implementation: Implementation, _ test: Statements
    ) async throws {
        for order in (test.statements + [.valid(0)]).permutations {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let ledger = try implementation.make(in: folder)
            for statement in order {
                let fact: Fact =
                    if let refund = statement.refund {
                        .revoked(
                            "guide", transaction: "1", signed: date + statement.signed, at: date + refund,
                            percentage: statement.part)
                    } else {
                        .bought("guide", transaction: "1", signed: date + statement.signed)
                    }
                try await record([fact], in: ledger)
            }
            let snapshot = EntitlementSnapshot(
                catalog: nil, summary: try await ledger.summary(), at: date + 1_000)
            #expect(snapshot.owned == (test.isRevoked ? [] : ["guide"]), "\(order)")
        }
    }

    struct Spending: Sendable, CustomTestStringConvertible {
        let policy: RefundPolicy
        let spent: Int
        let statements: [Statement]
        let left: Int
        var testDescription: String { "\(policy.rawValue), \(spent) spent, \(statements.map { $0.part ?? 100_000 })" }
    }

    @Test(
        arguments: Implementation.allCases,
        [
            Spending(policy: .clawback, spent: 800, statements: [.refund(60, 33_000), .refund(61)], left: 0),
            Spending(policy: .clawback, spent: 800, statements: [.refund(60), .refund(61, 33_000)], left: 0),
            Spending(policy: .clawback, spent: 500, statements: [.refund(60), .refund(61, 33_000)], left: 170),
            Spending(policy: .clawback, spent: 500, statements: [.refund(60, 33_000), .refund(61, 50_000)], left: 0),
            Spending(policy: .debt, spent: 800, statements: [.refund(60, 33_000), .refund(61)], left: -800),
            Spending(policy: .debt, spent: 800, statements: [.refund(60), .refund(61, 33_000)], left: -130),
            Spending(policy: .ignore, spent: 800, statements: [.refund(60, 33_000), .refund(61)], left: 200),
        ])
    func `a changed refund debits as many units as the later statement alone would, down to the policy's limit`(
        _ implementation: Implementation, _ test: Spending
    ) async throws {
        for order in test.statements.permutations {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let ledger = try implementation.make(in: folder)
            try await record(
                facts(of: .valid(0), policy: test.policy) + [.spent(test.spent, token: "map")], in: ledger)
            for statement in order { try await record(facts(of: statement), in: ledger) }

            #expect(try await coins(of: ledger) == test.left)
            try await record(facts(of: .valid(90), policy: test.policy), in: ledger)
            #expect(try await coins(of: ledger) == 1_000 - test.spent)
        }
    }

    @Test(arguments: Implementation.allCases)
    func `a refund that is stated again on another date debits no further units`(_ implementation: Implementation)
        async throws
    {
        let ledger = try implementation.make(in: folder)
        try await record(facts(of: .valid(0)) + [.spent(800, token: "map")], in: ledger)
        try await record(facts(of: .refund(60)), in: ledger)
        try await record([.deposited(500, token: "present")], in: ledger)
        try await record(facts(of: .refund(61, at: 55)), in: ledger)

        #expect(try await coins(of: ledger) == 500)
    }

    @Test(arguments: Implementation.allCases)
    func `a refund in a receipt does not change the refund that a transaction states`(_ implementation: Implementation)
        async throws
    {
        let ledger = try implementation.make(in: folder)
        let stated = Fact.revoked("guide", transaction: "1", signed: date + 60, at: date + 50.5, percentage: 33_000)
        let read = Fact.revoked("guide", transaction: "1", signed: date + 70, at: date + 50).read(from: "r")
        _ = try await ledger.append([.bought("guide", transaction: "1"), stated], at: date + 100)

        #expect(try await ledger.append([.receipt("r"), read], at: date + 100).isEmpty)
        let again = Fact.revoked("guide", transaction: "1", signed: date + 80, at: date + 50.5, percentage: 33_000)
        #expect(try await ledger.append([again], at: date + 100).isEmpty)
    }

    /// Statements that agree with the recorded facts are not exchanged, because they are no facts. Valid copies and
    /// repeated refunds are such statements, so that valid copies reach both devices, and repeated refunds are left out.
    @Test(arguments: Implementation.allCases, statements.filter { !$0.hasRepetition })
    func `two devices that exchange their facts agree on a refund, whichever of them heard which statement`(
        _ implementation: Implementation, _ test: Statements
    ) async throws {
        for split in 0..<(1 << test.statements.count) {
            let folders = [try TemporaryFolder(), try TemporaryFolder()]
            defer { withExtendedLifetime(folders) {} }
            let ledgers = try folders.map { try implementation.make(in: $0) }
            for (number, ledger) in ledgers.enumerated() {
                try await record(facts(of: .valid(0)), in: ledger)
                for (index, statement) in test.statements.enumerated()
                where statement.refund == nil || split >> index & 1 == number {
                    try await record(facts(of: statement), in: ledger)
                }
            }
            let exchanged = try await [ledgers[0].entries(after: 0), ledgers[1].entries(after: 0)]
            for (number, ledger) in ledgers.enumerated() {
                let facts = exchanged[1 - number].map {
                    ExchangedFact(fact: $0.fact, moment: $0.moment, device: "device \(1 - number)")
                }
                _ = try await ledger.merge(facts, adjusting: ["coins"], overdrafts: .forgiven, at: date + 200)
            }
            for ledger in ledgers {
                #expect(try await coins(of: ledger) == test.left, "split \(split)")
                #expect(try await ledger.isRevoked("1") == test.isRevoked, "split \(split)")
            }
        }
    }
}
