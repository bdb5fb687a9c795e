import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Facts that are not purchases, and the summary of a ledger.
extension LedgerContractTests {
    @Test(arguments: Implementation.allCases)
    func `each ledger entry has the date that is given with its fact`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        let facts = [
            DatedFact(fact: .bought("guide", transaction: "1"), date: date + 5),
            DatedFact(fact: .given("map", token: "a"), date: date),
            DatedFact(fact: .revoked("guide", transaction: "1"), date: date + 9),
        ]

        #expect(try await ledger.append(facts).map(\.recordedAt) == [date + 5, date, date + 9])
        #expect(try await ledger.entries(after: 0).map(\.recordedAt) == [date + 5, date, date + 9])
    }

    @Test(arguments: Implementation.allCases)
    func `a deposit, such as a starting balance, is recorded once for each token`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let start = Fact.deposit(
            .init(token: "starting-balance:coins", wallet: "coins", amount: 25, reason: "what everybody begins with"))
        let reworded = Fact.deposit(
            .init(token: "starting-balance:coins", wallet: "coins", amount: 25, reason: "a welcome"))
        _ = try await ledger.append([start, .deposited(5, token: "present")], at: date)

        #expect(try await ledger.append([start, reworded, .deposited(5, token: "present")], at: date).isEmpty)
        #expect(try await ledger.summary().balances == ["coins": 30])
        #expect(try await ledger.entry(of: .deposit, key: "starting-balance:coins")?.fact == start)
    }

    @Test(arguments: Implementation.allCases)
    func `grants, locks, ledger losses, settlements and notes are recorded once for each token`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let facts: [Fact] = [
            .given("map", token: "a", until: date + 60), .locked("map", token: "a"), .locked("map", token: "b"),
            .loss(.init(token: "a", reason: "the file was no ledger")),
            .settlement(.init(token: "a", reason: "asked the customer", author: "support")),
            .note(.init(token: "a", reason: "taken over")),
            .grant(.init(token: "b", productIdentifier: "map", reason: "a raffle", author: "marketing")),
        ]

        #expect(try await ledger.append(facts + facts, at: date).map(\.fact) == facts)
        #expect(try await ledger.append(facts, at: date).isEmpty)
        #expect(try await ledger.entries(after: 0).map(\.fact) == facts)
    }

    @Test(arguments: Implementation.allCases)
    func `installed content is recorded once for each product, version and digest, and gives no ownership`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let facts: [Fact] = [
            .installed("rome"), .installed("athens"), .installed("rome", version: "1.1"),
            .installed("rome", digest: String(repeating: "f", count: 64)), .installed("rome", digest: nil),
        ]
        let elsewhere = Fact.content(.init(productIdentifier: "rome", version: "1.0", path: "maps/rome"))

        #expect(try await ledger.append(facts + facts + [elsewhere], at: date).map(\.fact) == facts)
        #expect(try await ledger.entries(after: 0).map(\.fact) == facts)
        let summary = try await ledger.summary()
        #expect(summary.entries.isEmpty && summary.lastSequence == 5)
        let snapshot = try EntitlementSnapshot(catalog: nil, entries: try await ledger.entries(after: 0), at: date)
        #expect(snapshot.owned.isEmpty)
    }

    @Test(arguments: Implementation.allCases)
    func `a transaction counts as revoked only if the ledger has a revocation with its identifier`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            [
                .bought("guide", transaction: "1"), .bought("map", transaction: "2"),
                .revoked("map", transaction: "2"), .revoked("gone", transaction: "3"),
            ], at: date)

        for (id, isRevoked) in [("1", false), ("2", true), ("3", true), ("4", false), ("", false)] {
            #expect(try await ledger.isRevoked(id) == isRevoked)
        }
    }

    @Test(arguments: Implementation.allCases)
    func `ownership computed from a ledger summary equals ownership computed from all ledger entries`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let period = Fact.Period(expirationDate: date + 60)
        _ = try await ledger.append(
            [
                .bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1"),
                .bought("guide", transaction: "2", contents: ["map", "tour"], isFamilyShared: true),
                .deposited(5, in: "hints", token: "a"), .spent(5, from: "hints", token: "b"),
                .given("map", token: "c"), .locked("map", token: "d"), .firstGot(build: "150"),
                .bought("month", transaction: "3", kind: .autoRenewableSubscription, until: period, original: "0"),
                .termed("month", transaction: "3", signed: date + 1, until: .init(expirationDate: date + 90)),
                .revoked("coins", transaction: "1"), .revoked("guide", transaction: "2"),
                .loss(.init(token: "e", reason: "gone")), .settlement(.init(token: "f", reason: "looked at")),
                .note(.init(token: "g", reason: "seen")), .installed("map"),
                .bought("coins", transaction: "4", kind: .consumable),
            ], at: date)
        let all = try await ledger.entries(after: 0)
        let summary = try await ledger.summary()

        #expect(summary.lastSequence == all.last?.sequence)
        #expect(summary.balances == ["coins": 0, "hints": 0])
        let expected = all.filter { !$0.fact.isNoMatterOfOwnership }
        #expect(summary.entries.map(\.sequence) == expected.map(\.sequence))
        #expect(summary.entries.map(\.fact.withoutProof) == expected.map(\.fact.withoutProof))
        #expect(summary.entries.map(\.recordedAt) == expected.map(\.recordedAt))
        let (fromAll, fromSummary) = (
            try EntitlementSnapshot(catalog: nil, entries: all, at: date),
            EntitlementSnapshot(catalog: nil, summary: summary, at: date)
        )
        #expect(fromSummary.owned == fromAll.owned)
        #expect(fromSummary.balances == fromAll.balances)
        #expect(fromSummary.nextEnd == fromAll.nextEnd)
    }

    @Test(arguments: Implementation.allCases)
    func `the summary of an empty ledger is empty`(_ implementation: Implementation) async throws {
        let summary = try await implementation.make(in: folder).summary()

        #expect(summary == LedgerSummary(lastSequence: 0, entries: [], balances: [:]))
    }

    @Test(arguments: Implementation.allCases)
    func `wallet names with arbitrary characters and lengths are stored unchanged`(_ implementation: Implementation)
        async throws
    {
        let ledger = try implementation.make(in: folder)
        let names = [
            " ", "coins", "Coins", "coins ", "coins\n", "it's", "\"quoted\"", "%", "_", "?1", "münzen", "硬币",
            "🪙", "👩‍👩‍👧", "\u{202E}snioc", "a;DROP TABLE entry", String(repeating: "x", count: 10_000),
        ]
        for (index, name) in names.enumerated() {
            _ = try await ledger.append([.deposited(index + 2, in: name, token: "\(index)")], at: date)
            _ = try await ledger.append([.spent(1, from: name, token: "\(index)")], at: date)
        }

        let balances = try await ledger.summary().balances
        #expect(balances == Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0 + 1) }))
        #expect(try await ledger.entries(after: 0).compactMap(\.fact.walletChange?.wallet).count == names.count * 2)
    }

    @Test(arguments: Implementation.allCases)
    func `deposits under composed and decomposed Unicode spellings of a wallet name add to one balance`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.deposited(5, in: "m\u{FC}nzen", token: "a")], at: date)
        _ = try await ledger.append([.deposited(6, in: "mu\u{308}nzen", token: "b")], at: date)

        #expect(try await ledger.summary().balances == ["münzen": 11])
    }
}

extension Fact {
    /// Copy of the fact without its signed data.
    fileprivate var withoutProof: Fact {
        switch self {
        case .purchase(var purchase):
            purchase.origin.signedData = ""
            return .purchase(purchase)
        case .term(var term):
            term.origin.signedData = ""
            return .term(term)
        case .revocation(var revocation):
            revocation.origin.signedData = ""
            return .revocation(revocation)
        case .reinstatement(var reinstatement):
            reinstatement.origin.signedData = ""
            return .reinstatement(reinstatement)
        case .appPurchase(var purchase):
            purchase.signedData = ""
            return .appPurchase(purchase)
        default: return self
        }
    }
}
