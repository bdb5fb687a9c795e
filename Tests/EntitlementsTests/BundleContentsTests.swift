import Entitlements
import Foundation
import ProductCatalog
import TestSupport
import Testing

/// What a bought bundle contained stays with its purchase, whatever later catalogs say.
@Suite(.timeLimit(.minutes(45))) struct BundleContentsTests {
    private let date = Date(timeIntervalSince1970: 1_790_000_000)
    private let catalog = Catalog(products: [
        CatalogProduct(identifier: "guide", kind: .nonConsumable),
        CatalogProduct(identifier: "map", kind: .nonConsumable),
        CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["guide", "map"]),
        CatalogProduct(identifier: "all", kind: .nonConsumable, childProducts: ["pack"]),
    ])
    /// The pack has lost the guide, and gained a tour.
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

    @Test func `while the catalog still contains them there is one reason`() throws {
        let snapshot = try snapshot([bought], catalog: catalog)

        #expect(snapshot.ownership(of: "guide") == .owned(because: [.bundle(identifier: "pack")]))
        #expect(snapshot.ownership(of: "map") == .owned(because: [.bundle(identifier: "pack")]))
    }

    @Test func `through another bundle too there is one reason`() throws {
        let all = Fact.bought("all", transaction: "1", contents: ["pack", "guide", "map"])
        let snapshot = try snapshot([all], catalog: catalog)

        #expect(snapshot.ownership(of: "guide") == .owned(because: [.bundle(identifier: "pack")]))
        #expect(snapshot.ownership(of: "pack") == .owned(because: [.bundle(identifier: "all")]))
    }

    @Test func `what a later catalog takes out stays, and what it puts in comes`() throws {
        let snapshot = try snapshot([bought], catalog: catalog).with(catalog: later)

        #expect(snapshot.owned == ["guide", "map", "tour", "pack"])
        #expect(snapshot.ownership(of: "guide") == .owned(because: [former("pack")]))
        #expect(snapshot.ownership(of: "map") == .owned(because: [.bundle(identifier: "pack")]))
        #expect(snapshot.ownership(of: "tour") == .owned(because: [.bundle(identifier: "pack")]))
    }

    @Test func `what a later catalog does not have at all stays owned`() throws {
        let none = Catalog(products: [CatalogProduct(identifier: "tour", kind: .nonConsumable)])
        let snapshot = try snapshot([bought], catalog: none)

        #expect(snapshot.owned == ["pack", "guide", "map"])
        #expect(snapshot.ownership(of: "guide") == .owned(because: [former("pack")]))
        #expect(snapshot.ownership(of: "tour") == .notOwned)
    }

    @Test func `what is not in the catalog is told in one order`() throws {
        let names = (0..<50).map { "child \($0)" }.shuffled()
        let snapshot = try snapshot(
            [.bought("old", transaction: "1", contents: names), .bought("a", transaction: "2")], catalog: catalog)

        #expect(snapshot.owned == ["old"] + names.sorted() + ["a"])
    }

    @Test(arguments: [true, false])
    func `they go with a refund, and come back with its reversal`(isLater: Bool) throws {
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

    @Test func `a refund leaves what something else pays for`() throws {
        var snapshot = try snapshot([bought, .bought("guide", transaction: "2")], catalog: later)
        let taken = try snapshot.apply(entries([.revoked("pack", transaction: "1")], after: 2))

        #expect(snapshot.owned == ["guide"])
        #expect(!taken.noLongerOwned.contains("guide"))
    }

    @Test func `taken back and given back in one go, nothing has changed`() throws {
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

    @Test func `what was bought before contents were recorded follows the catalog`() throws {
        let snapshot = try snapshot([.bought("pack", transaction: "1")], catalog: later)

        #expect(snapshot.owned == ["map", "tour", "pack"])
    }

    @Test func `a catalog that lost the bundle to an error does not lock what it contained`() throws {
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

    @Test func `bundles that contain each other are an error, and take nothing away`() throws {
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
