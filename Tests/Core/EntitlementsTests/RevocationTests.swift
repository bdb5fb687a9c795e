import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// State after a purchase is revoked.
@Suite(.hangLimit) struct RevocationTests {
    private static let catalog = Catalog(products: [
        CatalogProduct(identifier: "guide", kind: .nonConsumable),
        CatalogProduct(identifier: "map", kind: .nonConsumable),
        CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["guide", "map"]),
        CatalogProduct(identifier: "tour", kind: .nonConsumable),
        CatalogProduct(identifier: "all", kind: .nonConsumable, childProducts: ["pack", "tour"]),
    ])

    private func entries(_ facts: [Fact], after sequence: Int64 = 0) -> [LedgerEntry] {
        facts.enumerated().map { index, fact in
            LedgerEntry(
                sequence: sequence + Int64(index) + 1, recordedAt: Date(timeIntervalSince1970: 1_790_000_100),
                fact: fact)
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let facts: [Fact]
        let taken: Fact
        let lost: [String]
        let left: [String]
    }

    @Test(arguments: [
        Case(
            testDescription: "the only purchase", facts: [.bought("all", transaction: "1")],
            taken: .revoked("all", transaction: "1"), lost: ["guide", "map", "pack", "tour", "all"], left: []),
        Case(
            testDescription: "everything, with a guide bought by itself",
            facts: [.bought("guide", transaction: "1"), .bought("all", transaction: "2")],
            taken: .revoked("all", transaction: "2"), lost: ["map", "pack", "tour", "all"], left: ["guide"]),
        Case(
            testDescription: "a guide bought by itself, with everything",
            facts: [.bought("guide", transaction: "1"), .bought("all", transaction: "2")],
            taken: .revoked("guide", transaction: "1"), lost: [], left: ["guide", "map", "pack", "tour", "all"]),
        Case(
            testDescription: "the pack, with everything",
            facts: [.bought("pack", transaction: "1"), .bought("all", transaction: "2")],
            taken: .revoked("pack", transaction: "1"), lost: [], left: ["guide", "map", "pack", "tour", "all"]),
        Case(
            testDescription: "everything, with the pack",
            facts: [.bought("all", transaction: "1"), .bought("pack", transaction: "2")],
            taken: .revoked("all", transaction: "1"), lost: ["tour", "all"], left: ["guide", "map", "pack"]),
        Case(
            testDescription: "one of two purchases of the same",
            facts: [.bought("guide", transaction: "1"), .bought("guide", transaction: "2")],
            taken: .revoked("guide", transaction: "1"), lost: [], left: ["guide"]),
        Case(
            testDescription: "what was given too",
            facts: [.bought("guide", transaction: "1"), .given("guide", token: "t")],
            taken: .revoked("guide", transaction: "1"), lost: [], left: ["guide"]),
        Case(
            testDescription: "what was never bought", facts: [.bought("guide", transaction: "1")],
            taken: .revoked("guide", transaction: "9"), lost: [], left: ["guide"]),
        Case(
            testDescription: "what the catalog does not have", facts: [.bought("gone", transaction: "1")],
            taken: .revoked("gone", transaction: "1"), lost: ["gone"], left: []),
    ])
    func `a revocation removes exactly the products that no other purchase or grant supports`(_ test: Case) throws {
        var snapshot = try EntitlementSnapshot(catalog: Self.catalog, entries: entries(test.facts))
        let changes = try snapshot.apply(entries([test.taken], after: Int64(test.facts.count)))

        #expect(changes.noLongerOwned == test.lost)
        #expect(changes.newlyOwned.isEmpty)
        #expect(snapshot.owned == test.left)
        let rebuilt = try EntitlementSnapshot(catalog: Self.catalog, entries: entries(test.facts + [test.taken]))
        #expect(rebuilt.owned == test.left)
        for identifier in test.lost { #expect(snapshot.ownership(of: identifier) == .notOwned) }
    }

    @Test func `a revocation that is recorded before its purchase applies to the purchase`() throws {
        let snapshot = try EntitlementSnapshot(
            catalog: Self.catalog,
            entries: entries([.revoked("guide", transaction: "1"), .bought("guide", transaction: "1")]))

        #expect(snapshot.ownership(of: "guide") == .notOwned)
    }

    @Test func `a product that was revoked and purchased again is owned`() throws {
        let snapshot = try EntitlementSnapshot(
            catalog: Self.catalog,
            entries: entries([
                .bought("pack", transaction: "1"), .revoked("pack", transaction: "1"),
                .bought("pack", transaction: "2"),
            ]))

        #expect(snapshot.owned == ["guide", "map", "pack"])
        #expect(snapshot.revocations(of: "pack").map(\.origin.transactionID) == ["1"])
        #expect(snapshot.revocations(of: "guide").isEmpty)
    }

    @Test func `the revocation of a coin pack removes the units of that pack and no others`() throws {
        let snapshot = try EntitlementSnapshot(
            catalog: nil,
            entries: entries([
                .bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1"),
                .bought("coins", transaction: "2", kind: .consumable), .credited(500, transaction: "2"),
                .revoked("coins", transaction: "1", units: 50),
            ]))

        #expect(snapshot.balances == ["coins": 500])
    }

    @Test func `a catalog that is loaded later does not restore revoked products`() throws {
        let facts: [Fact] = [
            .bought("all", transaction: "1"), .bought("map", transaction: "2"), .revoked("all", transaction: "1"),
        ]
        let snapshot = try EntitlementSnapshot(catalog: nil, entries: entries(facts)).with(catalog: Self.catalog)

        #expect(snapshot.owned == ["map"])
    }

    @Test func `a purchase is valid until it is revoked`() throws {
        var snapshot = try EntitlementSnapshot(
            catalog: Self.catalog,
            entries: entries([.bought("pack", transaction: "1"), .bought("guide", transaction: "2")]))
        #expect(snapshot.counts("1", of: "pack"))
        #expect(snapshot.counts("2", of: "guide"))
        #expect(!snapshot.counts("1", of: "guide"))

        _ = try snapshot.apply(entries([.revoked("pack", transaction: "1")], after: 2))
        #expect(!snapshot.counts("1", of: "pack"))
        #expect(snapshot.counts("2", of: "guide"))
    }

    @Test(arguments: [
        (RefundPolicy.clawback, 90), (.debt, 60), (.ignore, 120),
    ])
    func `a refund that grows takes no units that the refund before it has left to the customer`(
        policy: RefundPolicy, balance: Int
    ) async throws {
        let ledger = MemoryLedger()
        let day = Date(timeIntervalSince1970: 1_790_100_000)
        let facts: [[Fact]] = [
            [
                .bought("pack", transaction: "1", kind: .consumable),
                .credited(100, transaction: "1", policy: policy),
            ],
            [.spent(80, token: "a map")],
            [.revoked("pack", transaction: "1", signed: day, at: day, percentage: 50_000)],
            [
                .bought("pack", transaction: "2", kind: .consumable),
                .credited(100, transaction: "2", policy: policy),
            ],
            [.revoked("pack", transaction: "1", signed: day + 60, at: day, percentage: 60_000)],
        ]
        for facts in facts { _ = try await ledger.append(facts, at: day + 100) }
        #expect(await ledger.summary().balances == ["coins": balance])
    }
}
