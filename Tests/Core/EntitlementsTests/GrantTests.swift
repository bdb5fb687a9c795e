import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Grants of products outside the store, and locks that end them.
@Suite(.hangLimit) struct GrantTests {
    private let start = Date(timeIntervalSince1970: 1_790_000_000)
    private let catalog = Catalog(products: [
        CatalogProduct(identifier: "filters", kind: .nonConsumable),
        CatalogProduct(
            identifier: "premium", kind: .nonConsumable, childProducts: ["filters"],
            grandfathered: [GrandfatheringRule(beforeBuild: VersionNumber("200"))]),
        CatalogProduct(identifier: "guide", kind: .nonConsumable),
    ])

    private func entries(_ facts: [Fact], after sequence: Int64 = 0) -> [LedgerEntry] {
        facts.enumerated().map { index, fact in
            let number = sequence + Int64(index + 1)
            return LedgerEntry(
                sequence: number, recordedAt: start, fact: fact, moment: start + TimeInterval(number) / 1_000)
        }
    }

    private func snapshot(_ facts: [Fact]) throws -> EntitlementSnapshot {
        try EntitlementSnapshot(catalog: catalog, entries: entries(facts), at: start)
    }

    @Test func `a product with a temporary grant is owned until the grant expires`() throws {
        var snapshot = try snapshot([.given("guide", token: "a", until: start + 10)])
        let reason = Ownership.Reason.grant(
            reason: "a gift", author: "", date: start, expirationDate: start + 10)
        #expect(snapshot.ownership(of: "guide") == .owned(because: [reason]))
        #expect(snapshot.nextEnd == start + 10)

        #expect(snapshot.set(date: start + 10).noLongerOwned == ["guide"])
        #expect(!snapshot.hasGrant(of: "guide"))
        #expect(snapshot.ended(of: "guide").map(\.reason) == [reason])
    }

    @Test func `a lock ends all earlier grants of a product and affects no purchase`() throws {
        var snapshot = try snapshot([
            .given("guide", token: "a"), .given("guide", token: "b", until: start + 10),
            .bought("filters", transaction: "1"), .given("filters", token: "c"),
        ])
        let changes = try snapshot.apply(
            entries([.locked("guide", token: "d"), .locked("filters", token: "e")], after: 4))

        #expect(changes.noLongerOwned == ["guide"])
        #expect(snapshot.owned == ["filters"])
        #expect(!snapshot.hasGrant(of: "filters"))
        #expect(snapshot.nextEnd == nil)
        #expect(snapshot.ended(of: "guide").isEmpty)
        #expect(snapshot.locks(of: "guide").map(\.lock.token) == ["d"])
    }

    @Test func `a grant after a lock makes the product owned again`() throws {
        var snapshot = try snapshot([.given("guide", token: "a"), .locked("guide", token: "b")])
        #expect(snapshot.ownership(of: "guide") == .notOwned)
        #expect(try snapshot.apply(entries([.given("guide", token: "c")], after: 2)).newlyOwned == ["guide"])

        _ = try snapshot.apply(entries([.locked("guide", token: "d")], after: 3))
        #expect(snapshot.ownership(of: "guide") == .notOwned)
        #expect(snapshot.locks(of: "guide").map(\.lock.token) == ["d", "b"])
    }

    @Test func `a lock before the first grant of a product has no effect`() throws {
        #expect(try snapshot([.locked("guide", token: "a"), .given("guide", token: "b")]).owned == ["guide"])
    }

    @Test func `a grandfathering grant that a lock has ended is not given again by its rule`() throws {
        let before = try snapshot([.firstGot(build: "150")])
        let grant = try #require(before.missingGrandfatheringGrants.first)
        let snapshot = try snapshot([
            .firstGot(build: "150"), .grant(grant), .locked("premium", token: "a"), .firstGot(build: "140"),
        ])

        #expect(snapshot.ownership(of: "premium") == .notOwned)
        #expect(snapshot.ownership(of: "filters") == .notOwned)
        #expect(snapshot.unknownReason == nil)
        #expect(snapshot.missingGrandfatheringGrants.isEmpty)
        #expect(snapshot.with(catalog: catalog).ownership(of: "premium") == .notOwned)
    }

    // MARK: Losses

    @Test func `after a ledger loss, balances are unknown until the loss is settled`() throws {
        let loss = Fact.Loss(token: "a", reason: "the file was no ledger")
        var snapshot = try snapshot([.loss(loss), .deposited(5, token: "b")])
        #expect(snapshot.balance(of: "coins") == .unknown(atLeast: 5))
        #expect(snapshot.balance(of: "hints") == .unknown(atLeast: 0))
        #expect(snapshot.loss == loss)
        #expect(snapshot.isSuccessor)

        _ = try snapshot.apply(
            entries([.settlement(.init(token: "z", reason: "another loss"))], after: 2))
        #expect(snapshot.loss == loss)
        let changes = try snapshot.apply(
            entries([.settlement(.init(token: "a", reason: "asked the customer"))], after: 3))
        #expect(changes.isLossChanged)
        #expect(snapshot.balance(of: "coins") == .known(5))
        #expect(snapshot.loss == nil)
        #expect(snapshot.isSuccessor)
    }

    @Test func `until a lost ledger's purchases are read again, products without a purchase have unknown ownership`()
        throws
    {
        var snapshot = try snapshot([
            .loss(.init(token: "a", reason: "gone")), .firstGot(build: "500"), .bought("guide", transaction: "1"),
        ])
        #expect(snapshot.ownership(of: "premium") == .notOwned)
        snapshot.isIncomplete = true

        #expect(snapshot.ownership(of: "premium") == .unknown(.ledgerLost(reason: "gone")))
        #expect(snapshot.ownership(of: "guide").isOwned)
        #expect(snapshot.unknownReason == .ledgerLost(reason: "gone"))
        #expect(snapshot.with(catalog: nil).ownership(of: "premium") == .unknown(.ledgerLost(reason: "gone")))
        _ = try snapshot.apply(entries([.settlement(.init(token: "a", reason: "looked at"))], after: 3))
        #expect(snapshot.ownership(of: "premium") == .unknown(.purchasesNotRead))
        snapshot.isIncomplete = false
        #expect(snapshot.ownership(of: "premium") == .notOwned)
    }

    @Test func `a ledger entry that is only a note changes no entitlements`() throws {
        var snapshot = try snapshot([])
        #expect(try snapshot.apply(entries([.note(.init(token: "a", reason: "taken over"))])) == .init())
        #expect(snapshot.lastSequence == 1)
    }
}
