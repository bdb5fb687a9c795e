import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

/// Order of the store's statements about a purchase: the one that was signed last counts.
extension LedgerContractTests {
    private var afterwards: Date { Date(timeIntervalSince1970: 1_790_200_000) }

    private func pack(_ amount: Int = 50, _ policy: RefundPolicy = .clawback, signed: Date? = nil) -> [Fact] {
        [
            .bought("coins", transaction: "1", kind: .consumable, signed: signed ?? date),
            .credited(amount, transaction: "1", policy: policy),
        ]
    }

    private func coins(of ledger: any Ledger) async throws -> Int? { try await ledger.summary().balances["coins"] }

    @Test(arguments: Implementation.allCases)
    func `a copy of a transaction signed before its refund does not restore the purchase`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(pack() + [.revoked("coins", transaction: "1")], at: date)
        #expect(try await ledger.isRevoked("1"))

        for signed in [date, Date(timeIntervalSince1970: 1_790_100_000)] {
            let error = await #expect(throws: LedgerError.self) {
                try await ledger.append(pack(signed: signed), at: date)
            }
            #expect(error?.code == .revoked)
        }
        #expect(try await ledger.isRevoked("1"))
        #expect(try await coins(of: ledger) == 0)
    }

    @Test(arguments: Implementation.allCases)
    func `a valid copy of a transaction signed after its refund restores the debited units once`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            pack() + [.spent(20, token: "map"), .revoked("coins", transaction: "1")], at: date)

        let again = pack(signed: afterwards)
        let entries = try await ledger.append(again, at: date)
        #expect(entries.map(\.fact) == [.credited("coins", transaction: "1", units: 30, signed: afterwards)])
        #expect(try await ledger.append(again, at: date).isEmpty)
        #expect(try await !ledger.isRevoked("1"))
        #expect(try await coins(of: ledger) == 30)
    }

    @Test(arguments: Implementation.allCases)
    func `reversing the refund of a purchase without a recorded credit adds no units to the wallet`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.revoked("coins", transaction: "1")], at: date)

        let entries = try await ledger.append(pack(signed: afterwards), at: date)
        #expect(entries.map(\.fact.kind) == [.reinstatement, .purchase])
        #expect(entries.first?.fact == .credited("coins", transaction: "1", signed: afterwards))
        #expect(try await ledger.append(pack(signed: afterwards), at: date).isEmpty)
        #expect(try await coins(of: ledger) == nil)
    }

    @Test(arguments: Implementation.allCases)
    func `a purchase that was refunded before its delivery is credited when the refund is reversed`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.note(.undelivered("1"))], at: date)
        _ = try await ledger.append([.revoked("coins", transaction: "1")], at: date)

        let entries = try await ledger.append(pack(signed: afterwards), at: date)
        #expect(entries.map(\.fact.kind) == [.reinstatement, .purchase, .credit])
        #expect(try await coins(of: ledger) == 50)
    }

    @Test(arguments: Implementation.allCases)
    func `a credit is not recorded if its purchase was already recorded without a credit`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.bought("coins", transaction: "1", kind: .consumable)], at: date)

        #expect(try await ledger.append(pack(), at: date).isEmpty)
        #expect(try await coins(of: ledger) == nil)
    }

    // MARK: Statements that change nothing

    @Test(arguments: Implementation.allCases)
    func `a refund is ignored if a copy of the transaction signed later shows that the purchase is valid`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(pack(), at: date)
        #expect(try await ledger.append(pack(signed: afterwards), at: date).isEmpty)

        let reopened = try implementation.reopen(ledger, in: folder)
        let refund = Fact.revoked("coins", transaction: "1", signed: Date(timeIntervalSince1970: 1_790_150_000))
        #expect(try await reopened.append([refund], at: date).isEmpty)
        #expect(try await !reopened.isRevoked("1"))
        let later = Fact.revoked("coins", transaction: "1", signed: Date(timeIntervalSince1970: 1_790_250_000))
        #expect(try await reopened.append([later], at: date).count == 1)
    }

    @Test(arguments: Implementation.allCases)
    func `a copy of a transaction signed between two refunds of it does not restore the purchase`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(pack() + [.revoked("coins", transaction: "1")], at: date)
        #expect(
            try await ledger.append([.revoked("coins", transaction: "1", signed: afterwards)], at: date).isEmpty)

        let reopened = try implementation.reopen(ledger, in: folder)
        let between = Date(timeIntervalSince1970: 1_790_150_000)
        let error = await #expect(throws: LedgerError.self) {
            try await reopened.append(pack(signed: between), at: date)
        }
        #expect(error?.code == .revoked)
        #expect(try await reopened.isRevoked("1"))
    }

    // MARK: Partial refunds

    @Test(
        arguments: Implementation.allCases,
        [(30_000, 15), (33_333, 16), (1, 0), (100_000, 50), (nil, 50), (250_000, 50), (-1, 50)] as [(Int?, Int)])
    func `a refund of a part of the price debits the same part of the units, rounded down`(
        _ implementation: Implementation, part: (percentage: Int?, units: Int)
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(pack(), at: date)
        guard case .revocation(var refund) = Fact.revoked("coins", transaction: "1") else { return }
        refund.percentage = part.percentage
        let entries = try await ledger.append([.revocation(refund)], at: date)

        refund.debited = part.units > 0 ? WalletAmount(wallet: "coins", amount: part.units) : nil
        #expect(entries.map(\.fact) == [.revocation(refund)])
        #expect(try await coins(of: ledger) == 50 - part.units)
        _ = try await ledger.append(pack(signed: afterwards), at: date)
        #expect(try await coins(of: ledger) == 50)
    }

    @Test(arguments: Implementation.allCases)
    func `a refund signed before the signing date of the recorded purchase is ignored`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(pack(signed: afterwards), at: date)

        #expect(try await ledger.append([.revoked("coins", transaction: "1")], at: date).isEmpty)
        #expect(try await !ledger.isRevoked("1"))
        #expect(try await coins(of: ledger) == 50)
    }

    @Test(arguments: Implementation.allCases)
    func `a refund signed before the reversal of an earlier refund is ignored`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(pack() + [.revoked("coins", transaction: "1")], at: date)
        _ = try await ledger.append(pack(signed: afterwards), at: date)

        for signed in [date + 1, Date(timeIntervalSince1970: 1_790_100_000), afterwards - 1] {
            let taken = Fact.revoked("coins", transaction: "1", signed: signed)
            #expect(try await ledger.append([taken], at: date).isEmpty)
        }
        #expect(try await !ledger.isRevoked("1"))
    }

    @Test(arguments: Implementation.allCases)
    func `a reinstatement of a purchase that was not revoked is ignored`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(pack(), at: date)

        let given = Fact.credited("coins", transaction: "1", units: 50, signed: afterwards)
        #expect(try await ledger.append([given], at: date).isEmpty)
        #expect(try await coins(of: ledger) == 50)
    }

    @Test(arguments: Implementation.allCases)
    func `a reinstatement restores the units that the revocation debited, not the units that it states`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            pack() + [.spent(20, token: "map"), .revoked("coins", transaction: "1", units: 1_000)], at: date)
        #expect(try await coins(of: ledger) == 0)

        let given = Fact.credited("coins", transaction: "1", units: 1_000, signed: afterwards)
        #expect(try await ledger.append([given, given], at: date).count == 1)
        #expect(try await coins(of: ledger) == 30)
    }

    @Test(arguments: Implementation.allCases)
    func `a purchase refunded, reinstated and refunded again gives the same entries in one append as in three`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let again = Fact.revoked("coins", transaction: "1", signed: afterwards + 1)
        let story = pack() + [.revoked("coins", transaction: "1")] + pack(signed: afterwards) + [again]
        let entries = try await ledger.append(story, at: date)

        #expect(entries.map(\.fact.kind) == [.purchase, .credit, .revocation, .reinstatement, .revocation])
        #expect(entries.last?.fact == .revoked("coins", transaction: "1", units: 50, signed: afterwards + 1))
        #expect(try await ledger.isRevoked("1"))
        let elsewhere = try TemporaryFolder()
        defer { withExtendedLifetime(elsewhere) {} }
        let other = try implementation.make(in: elsewhere)
        for facts in [pack() + [.revoked("coins", transaction: "1")], pack(signed: afterwards), [again]] {
            _ = try await other.append(facts, at: date)
        }
        #expect(try await other.entries(after: 0) == entries)
    }

    struct Policy: Sendable, CustomTestStringConvertible {
        let policy: RefundPolicy
        let spent: Int
        let taken: Int?
        let left: Int
        var testDescription: String { "\(policy.rawValue) with \(spent) of 50 spent" }
    }

    @Test(
        arguments: Implementation.allCases,
        [
            Policy(policy: .clawback, spent: 0, taken: 50, left: 0),
            Policy(policy: .clawback, spent: 45, taken: 5, left: 0),
            Policy(policy: .clawback, spent: 50, taken: nil, left: 0),
            Policy(policy: .debt, spent: 0, taken: 50, left: 0),
            Policy(policy: .debt, spent: 45, taken: 50, left: -45),
            Policy(policy: .debt, spent: 50, taken: 50, left: -50),
            Policy(policy: .ignore, spent: 0, taken: nil, left: 50),
            Policy(policy: .ignore, spent: 45, taken: nil, left: 5),
        ]
    )
    func `a refund debits units according to the credit's refund policy, and its reversal restores them`(
        _ implementation: Implementation, _ test: Policy
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let spending: [Fact] = test.spent > 0 ? [.spent(test.spent, token: "map")] : []
        _ = try await ledger.append(pack(50, test.policy) + spending, at: date)

        let entries = try await ledger.append([.revoked("coins", transaction: "1")], at: date)
        #expect(entries.map(\.fact) == [.revoked("coins", transaction: "1", units: test.taken)])
        #expect(try await coins(of: ledger) == test.left)
        _ = try await ledger.append(pack(50, test.policy, signed: afterwards), at: date)
        #expect(try await coins(of: ledger) == 50 - test.spent)
    }

    @Test(arguments: Implementation.allCases)
    func `a wallet in debt cannot be debited until deposits exceed the debt`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            pack(50, .debt) + [.spent(50, token: "map"), .revoked("coins", transaction: "1")], at: date)

        await #expect(
            throws: LedgerError.insufficientFunds(.init(token: "a", wallet: "coins", amount: 1), balance: -50)
        ) {
            try await ledger.append([.spent(1, token: "a")], at: date)
        }
        _ = try await ledger.append([.deposited(50, token: "present")], at: date)
        await #expect(throws: LedgerError.self) { try await ledger.append([.spent(1, token: "a")], at: date) }
        _ = try await ledger.append([.deposited(1, token: "other present")], at: date)
        #expect(try await ledger.append([.spent(1, token: "a")], at: date).count == 1)
    }

    @Test(arguments: Implementation.allCases)
    func `a refund with the clawback policy does not increase the debt of a wallet`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            pack(50, .debt) + [
                .bought("coins", transaction: "2", kind: .consumable), .credited(10, transaction: "2"),
                .spent(60, token: "map"), .revoked("coins", transaction: "1"),
            ], at: date)

        let entries = try await ledger.append([.revoked("coins", transaction: "2")], at: date)
        #expect(entries.map(\.fact) == [.revoked("coins", transaction: "2")])
        #expect(try await coins(of: ledger) == -50)
    }

    @Test(arguments: Implementation.allCases)
    func `a refund or reversal that overflows a 64-bit balance is refused and not recorded`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        for id in ["1", "2"] {
            _ = try await ledger.append(
                [
                    .bought("coins", transaction: id, kind: .consumable),
                    .credited(Int.max, transaction: id, policy: .debt), .spent(Int.max, token: id),
                ], at: date)
        }
        _ = try await ledger.append([.revoked("coins", transaction: "1")], at: date)
        #expect(try await coins(of: ledger) == -Int.max)
        let tooDeep = await #expect(throws: LedgerError.self) {
            try await ledger.append([.revoked("coins", transaction: "2")], at: date)
        }
        #expect(tooDeep?.code == .invalidFact)
        #expect(try await !ledger.isRevoked("2"))

        for token in ["a", "b"] { _ = try await ledger.append([.deposited(Int.max, token: token)], at: date) }
        #expect(try await coins(of: ledger) == Int.max)
        let tooHigh = await #expect(throws: LedgerError.self) {
            try await ledger.append(
                [.bought("coins", transaction: "1", kind: .consumable, signed: afterwards)], at: date)
        }
        #expect(tooHigh?.code == .invalidFact)
        #expect(try await ledger.isRevoked("1"))
    }
}
