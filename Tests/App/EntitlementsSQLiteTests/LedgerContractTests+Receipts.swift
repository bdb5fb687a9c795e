import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

/// Facts that were read from app receipts.
extension LedgerContractTests {
    private var later: Date { date + 86_400 }

    @Test(arguments: Implementation.allCases)
    func `a receipt is recorded once, before the first fact that was read from it`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let guide = Fact.bought("guide", transaction: "1").read(from: "a")
        let map = Fact.revoked("map", transaction: "2").read(from: "a")

        #expect(try await ledger.append([.receipt("a"), guide], at: date).map(\.fact) == [.receipt("a"), guide])
        #expect(try await ledger.append([.receipt("a"), guide, map], at: date).map(\.fact) == [map])
        #expect(try await ledger.entries(after: 0).map(\.fact) == [.receipt("a"), guide, map])
        #expect(try await ledger.entry(of: .receipt, key: "a")?.fact == .receipt("a"))
    }

    @Test(arguments: Implementation.allCases)
    func `a receipt whose facts are already recorded is not recorded`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append([.bought("guide", transaction: "1")], at: date)

        let again = Fact.bought("guide", transaction: "1", signed: later).read(from: "a")
        #expect(try await ledger.append([.receipt("a"), again], at: date).isEmpty)
        #expect(try await ledger.append([.receipt("a")], at: date).isEmpty)
        #expect(try await ledger.checkWritable() == 1)
    }

    @Test(arguments: Implementation.allCases)
    func `facts from an unrecorded receipt, and consumables from any receipt, are refused`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        for facts in [
            [Fact.bought("guide", transaction: "1").read(from: "a")],
            [.receipt("b"), .bought("guide", transaction: "1").read(from: "a")],
            [.receipt("a"), .firstGot(build: "1").read(from: "b")],
            [.receipt("a"), .bought("coins", transaction: "1", kind: .consumable).read(from: "a")],
        ] {
            let error = await #expect(throws: LedgerError.self) { try await ledger.append(facts, at: date) }
            #expect(error?.code == .invalidFact)
        }
        #expect(try await ledger.checkWritable() == 0)
    }

    @Test(arguments: Implementation.allCases)
    func `facts from a receipt and from signed transactions are applied in the order of their signing dates`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let receipt = [Fact.receipt("a"), .bought("guide", transaction: "1", signed: later).read(from: "a")]
        _ = try await ledger.append(
            [.bought("guide", transaction: "1"), .revoked("guide", transaction: "1", signed: later + 1)], at: date)

        let error = await #expect(throws: LedgerError.self) { try await ledger.append(receipt, at: date) }
        #expect(error?.code == .revoked)
        #expect(try await ledger.isRevoked("1"))
        let newer = [Fact.receipt("b"), .bought("guide", transaction: "1", signed: later + 2).read(from: "b")]
        #expect(try await ledger.append(newer, at: date).map(\.fact.kind) == [.receipt, .reinstatement])
        let older = [
            Fact.receipt("c"), .revoked("guide", transaction: "1", signed: later + 1.5).read(from: "c"),
        ]
        #expect(try await ledger.append(older, at: date).isEmpty)
        #expect(try await !ledger.isRevoked("1"))
    }

    @Test(arguments: Implementation.allCases)
    func `an older period in a receipt does not undo a recorded upgrade or later expiration date`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        let end = date + 100.5
        let periods = [
            "1": Fact.Period(expirationDate: end, isUpgraded: true),
            "2": Fact.Period(expirationDate: end),
        ]
        for (id, period) in periods {
            _ = try await ledger.append(
                [.bought("club", transaction: id, kind: .autoRenewableSubscription, until: period)], at: date)
            let said = Fact.bought(
                "club", transaction: id, kind: .autoRenewableSubscription, signed: later,
                until: Fact.Period(expirationDate: date + 100)
            ).read(from: "a")
            #expect(try await ledger.append([.receipt("a"), said], at: date).isEmpty, "\(id)")
        }
        let extended = Fact.bought(
            "club", transaction: "1", kind: .autoRenewableSubscription, signed: later,
            until: Fact.Period(expirationDate: date + 200)
        ).read(from: "a")
        let recorded = try await ledger.append([.receipt("a"), extended], at: date)
        guard case .term(let term)? = recorded.last?.fact else {
            Issue.record("no term was recorded")
            return
        }
        #expect(term.period == Fact.Period(expirationDate: date + 200, isUpgraded: true))
    }

    @Test(arguments: Implementation.allCases)
    func `a receipt never shortens a recorded subscription period`(_ implementation: Implementation) async throws {
        let ledger = try implementation.make(in: folder)
        _ = try await ledger.append(
            [
                .bought(
                    "club", transaction: "1", kind: .autoRenewableSubscription,
                    until: Fact.Period(expirationDate: date + 200))
            ], at: date)
        let said = Fact.bought(
            "club", transaction: "1", kind: .autoRenewableSubscription, signed: later,
            until: Fact.Period(expirationDate: date + 100)
        ).read(from: "a")

        #expect(try await ledger.append([.receipt("a"), said], at: date).isEmpty)
    }

    @Test(arguments: Implementation.allCases)
    func `the original app version is read from the app transaction, or else from the latest receipt`(
        _ implementation: Implementation
    ) async throws {
        let ledger = try implementation.make(in: folder)
        func version(after facts: [Fact]) async throws -> String? {
            _ = try await ledger.append(facts, at: date)
            let whole = try EntitlementSnapshot(catalog: nil, entries: await ledger.entries(after: 0), at: date)
            let snapshot = EntitlementSnapshot(catalog: nil, summary: try await ledger.summary(), at: date)
            #expect(whole.appPurchase?.original == snapshot.appPurchase?.original)
            return snapshot.appPurchase?.original.version
        }
        func receipt(_ build: String, _ digest: String, signed: Date) -> [Fact] {
            [.receipt(digest), .firstGot(build: build, signedDate: signed).read(from: digest)]
        }

        #expect(try await version(after: receipt("20", "a", signed: date)) == "20")
        #expect(try await version(after: receipt("10", "b", signed: date - 1)) == "20")
        #expect(try await version(after: receipt("30", "c", signed: date + 1)) == "30")
        #expect(try await version(after: [.firstGot(build: "40", signedDate: date)]) == "40")
        #expect(try await version(after: receipt("50", "d", signed: later)) == "40")
    }
}
