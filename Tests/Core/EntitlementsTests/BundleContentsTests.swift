import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Contents of a bought bundle, which remain owned with the purchase even if later catalogs change the bundle.
@Suite(.hangLimit) struct BundleContentsTests {
    private let date = Date(timeIntervalSince1970: 1_790_000_000)
    private let catalog = Catalog(products: [
        CatalogProduct(identifier: "guide", kind: .nonConsumable),
        CatalogProduct(identifier: "map", kind: .nonConsumable),
        CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["guide", "map"]),
        CatalogProduct(identifier: "all", kind: .nonConsumable, childProducts: ["pack"]),
    ])
    /// Later catalog, in which the pack contains a tour instead of the guide.
    private let later = Catalog(products: [
        CatalogProduct(identifier: "guide", kind: .nonConsumable),
        CatalogProduct(identifier: "map", kind: .nonConsumable),
        CatalogProduct(identifier: "tour", kind: .nonConsumable),
        CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["map", "tour"]),
    ])
    private let bought = Fact.bought("pack", transaction: "1", contents: ["guide", "map"])

    private func entries(_ facts: [Fact], after sequence: Int64 = 0) -> [LedgerEntry] {
        facts.enumerated().map { LedgerEntry(sequence: sequence + Int64($0 + 1), recordedAt: date, fact: $1) }
    }

    private func snapshot(_ facts: [Fact], catalog: Catalog?) throws -> EntitlementSnapshot {
        try EntitlementSnapshot(catalog: catalog, entries: entries(facts), at: date)
    }

    private func former(_ bundle: String) -> Ownership.Reason {
        .formerBundle(identifier: bundle, transactionID: "1", purchaseDate: date)
    }

    @Test func `a child that the catalog still lists in a purchased bundle has one ownership reason, the bundle`()
        throws
    {
        let snapshot = try snapshot([bought], catalog: catalog)

        #expect(snapshot.ownership(of: "guide") == .owned(because: [.bundle(identifier: "pack")]))
        #expect(snapshot.ownership(of: "map") == .owned(because: [.bundle(identifier: "pack")]))
    }

    @Test func `a child of a bundle in a purchased bundle has one ownership reason, the inner bundle`() throws {
        let all = Fact.bought("all", transaction: "1", contents: ["pack", "guide", "map"])
        let snapshot = try snapshot([all], catalog: catalog)

        #expect(snapshot.ownership(of: "guide") == .owned(because: [.bundle(identifier: "pack")]))
        #expect(snapshot.ownership(of: "pack") == .owned(because: [.bundle(identifier: "all")]))
    }

    @Test
    func `children that a later catalog removes from a purchased bundle remain owned, and added ones become owned`()
        throws
    {
        let snapshot = try snapshot([bought], catalog: catalog).with(catalog: later)

        #expect(snapshot.owned == ["guide", "map", "tour", "pack"])
        #expect(snapshot.ownership(of: "guide") == .owned(because: [former("pack")]))
        #expect(snapshot.ownership(of: "map") == .owned(because: [.bundle(identifier: "pack")]))
        #expect(snapshot.ownership(of: "tour") == .owned(because: [.bundle(identifier: "pack")]))
    }

    @Test func `children of a purchased bundle remain owned if a later catalog does not contain them`() throws {
        let none = Catalog(products: [CatalogProduct(identifier: "tour", kind: .nonConsumable)])
        let snapshot = try snapshot([bought], catalog: none)

        #expect(snapshot.owned == ["pack", "guide", "map"])
        #expect(snapshot.ownership(of: "guide") == .owned(because: [former("pack")]))
        #expect(snapshot.ownership(of: "tour") == .notOwned)
    }

    @Test func `owned products that the catalog lacks are listed by purchase, and sorted within a bundle`()
        throws
    {
        let names = (0..<50).map { "child \($0)" }.shuffled()
        let snapshot = try snapshot(
            [.bought("old", transaction: "1", contents: names), .bought("a", transaction: "2")], catalog: catalog)

        #expect(snapshot.owned == ["old"] + names.sorted() + ["a"])
    }

    @Test(arguments: [true, false])
    func `the contents of a bundle are lost with its refund and owned again when the refund is reversed`(isLater: Bool)
        throws
    {
        var snapshot = try snapshot([bought], catalog: isLater ? later : catalog)
        let all = isLater ? ["guide", "map", "tour", "pack"] : ["guide", "map", "pack"]
        let taken = try snapshot.apply(entries([.revoked("pack", transaction: "1")], after: 1))
        #expect(Set(taken.noLongerOwned) == Set(all) && taken.noLongerOwned.count == all.count)
        #expect(snapshot.owned.isEmpty)

        let given = try snapshot.apply(entries([.credited("pack", transaction: "1", signed: date + 9)], after: 2))
        #expect(Set(given.newlyOwned) == Set(all) && given.newlyOwned.count == all.count)
        #expect(snapshot.owned == all)
        #expect(snapshot.revocations(of: "pack").isEmpty)
    }

    @Test func `a child that was also purchased separately remains owned when its bundle is refunded`() throws {
        var snapshot = try snapshot([bought, .bought("guide", transaction: "2")], catalog: later)
        let taken = try snapshot.apply(entries([.revoked("pack", transaction: "1")], after: 2))

        #expect(snapshot.owned == ["guide"])
        #expect(!taken.noLongerOwned.contains("guide"))
    }

    @Test func `a refund and its reversal that are applied together cause no change`() throws {
        var snapshot = try snapshot([bought], catalog: catalog)
        let changes = try snapshot.apply(
            entries(
                [
                    .revoked("pack", transaction: "1"), .credited("pack", transaction: "1", signed: date + 9),
                    .bought("all", transaction: "2"), .revoked("all", transaction: "2"),
                ], after: 1))

        #expect(changes.changesNothing)
        #expect(snapshot.owned == ["guide", "map", "pack"])
    }

    @Test func `a bundle purchase that was recorded without contents follows the current catalog`() throws {
        let snapshot = try snapshot([.bought("pack", transaction: "1")], catalog: later)

        #expect(snapshot.owned == ["map", "tour", "pack"])
    }

    @Test func `the purchased children of a bundle remain owned if an error excludes the bundle from the catalog`()
        throws
    {
        let broken = Catalog(products: [
            CatalogProduct(identifier: "guide", kind: .nonConsumable),
            CatalogProduct(identifier: "map", kind: .nonConsumable),
            CatalogProduct(identifier: "tour", kind: .nonConsumable),
            CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["guide", "no such thing"]),
        ])
        let snapshot = try snapshot([bought], catalog: broken)

        #expect(snapshot.ownership(of: "guide").isOwned && snapshot.ownership(of: "map").isOwned)
        #expect(snapshot.ownership(of: "tour") == .unknown(.incompleteCatalog(owned: "pack")))
    }

    @Test func `a cycle of bundles is a catalog error, and purchased products remain owned`() throws {
        let cyclic = Catalog(products: [
            CatalogProduct(identifier: "guide", kind: .nonConsumable),
            CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["all", "guide"]),
            CatalogProduct(identifier: "all", kind: .nonConsumable, childProducts: ["pack"]),
        ])
        var snapshot = try snapshot([bought], catalog: cyclic)
        #expect(cyclic.hasErrors)
        #expect(snapshot.owned == ["guide", "pack", "map"])
        #expect(snapshot.ownership(of: "all") == .unknown(.incompleteCatalog(owned: "pack")))

        _ = try snapshot.apply(entries([.revoked("pack", transaction: "1")], after: 1))
        #expect(snapshot.owned.isEmpty)
    }
}
