import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineSupport
import VitrineTestSupport

@Suite(.hangLimit) struct EntitlementSnapshotTests {
    private let catalog = Catalog(products: [
        CatalogProduct(identifier: "guide", kind: .nonConsumable),
        CatalogProduct(identifier: "map", kind: .nonConsumable),
        CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["guide"]),
        CatalogProduct(identifier: "all", kind: .nonConsumable, childProducts: ["pack", "map"]),
        CatalogProduct(identifier: "coins", kind: .consumable, storageKey: "coins", productValue: 50),
    ])
    private let bought = Ownership.Reason.transaction(
        .init(id: "1", purchaseDate: Date(timeIntervalSince1970: 1_790_000_000)))

    private func snapshot(_ facts: Fact..., catalog: Catalog?) throws -> EntitlementSnapshot {
        try EntitlementSnapshot(catalog: catalog, entries: entries(facts))
    }

    private func entries(_ facts: [Fact], after sequence: Int64 = 0) -> [LedgerEntry] {
        facts.enumerated().map { index, fact in
            LedgerEntry(
                sequence: sequence + Int64(index) + 1, recordedAt: Date(timeIntervalSince1970: 1_790_000_100),
                fact: fact)
        }
    }

    @Test func `an empty ledger results in no owned products and no balances`() throws {
        let snapshot = try snapshot(catalog: catalog)

        #expect(snapshot.ownership(of: "guide") == .notOwned)
        #expect(snapshot.ownership(of: "something else") == .notOwned)
        #expect(snapshot.owned.isEmpty)
        #expect(snapshot.balances.isEmpty)
    }

    @Test func `a product is owned because of its transaction, a grant or both`() throws {
        let snapshot = try snapshot(
            .bought("guide", transaction: "1"), .given("guide", token: "t", reason: "won"),
            .given("map", token: "u", reason: "won"), catalog: catalog)
        let won = Ownership.Reason.grant(
            reason: "won", author: "", date: Date(timeIntervalSince1970: 1_790_000_100), expirationDate: nil)

        #expect(snapshot.ownership(of: "guide") == .owned(because: [bought, won]))
        #expect(snapshot.ownership(of: "map") == .owned(because: [won]))
        #expect(snapshot.ownership(of: "pack") == .notOwned)
        #expect(snapshot.ownedChildren(of: catalog.products[2]) == ["guide"])
    }

    @Test func `a bundle makes its children owned, through every level`() throws {
        let snapshot = try snapshot(.bought("all", transaction: "1"), catalog: catalog)

        #expect(snapshot.ownership(of: "all") == .owned(because: [bought]))
        #expect(snapshot.ownership(of: "pack") == .owned(because: [.bundle(identifier: "all")]))
        #expect(snapshot.ownership(of: "guide") == .owned(because: [.bundle(identifier: "pack")]))
        #expect(snapshot.owned == ["guide", "map", "pack", "all"])
    }

    @Test func `owning all children of a bundle does not make the bundle owned`() throws {
        let snapshot = try snapshot(
            .bought("guide", transaction: "1"), .bought("map", transaction: "2"), catalog: catalog)

        #expect(snapshot.ownership(of: "pack") == .notOwned)
        #expect(snapshot.ownership(of: "all") == .notOwned)
    }

    @Test func `a consumable is credited and never owned`() throws {
        let snapshot = try snapshot(
            .bought("coins", transaction: "1", kind: .consumable), .credited(50, transaction: "1"),
            .spent(20, token: "t"), catalog: catalog)

        #expect(snapshot.ownership(of: "coins") == .notOwned)
        #expect(snapshot.balances == ["coins": 30])
    }

    @Test func `without a catalog, only products with a purchase of their own are known to be owned`() throws {
        let snapshot = try snapshot(.bought("pack", transaction: "1"), catalog: nil)

        #expect(snapshot.ownership(of: "pack") == .owned(because: [bought]))
        #expect(snapshot.ownership(of: "guide") == .unknown(.noCatalog))
        #expect(snapshot.owned == ["pack"])
    }

    @Test func `the children of an owned bundle have unknown ownership if an error excludes the bundle`() throws {
        let broken = Catalog(products: [
            CatalogProduct(identifier: "guide", kind: .nonConsumable),
            CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["guide", "no such thing"]),
        ])
        let owner = try snapshot(.bought("pack", transaction: "1"), catalog: broken)

        #expect(owner.ownership(of: "guide") == .unknown(.incompleteCatalog(owned: "pack")))
        #expect(owner.ownership(of: "pack").isOwned)
        #expect(try snapshot(catalog: broken).ownership(of: "guide") == .notOwned)
    }

    @Test func `a purchased product that is no longer in the catalog remains owned`() throws {
        let snapshot = try snapshot(.bought("old guide", transaction: "1"), catalog: catalog)

        #expect(snapshot.ownership(of: "old guide") == .owned(because: [bought]))
        #expect(snapshot.owned == ["old guide"])
        #expect(snapshot.ownership(of: "guide") == .notOwned)
    }

    @Test func `applied ledger entries report newly owned products and changed wallets once`() throws {
        var snapshot = try snapshot(.bought("guide", transaction: "1"), catalog: catalog)
        let new = entries(
            [
                .bought("all", transaction: "2"), .bought("all", transaction: "3"),
                .bought("coins", transaction: "4", kind: .consumable), .credited(5, transaction: "4"),
            ], after: 1)
        let changes = try snapshot.apply(new)

        #expect(changes.newlyOwned == ["map", "pack", "all"])
        #expect(changes.wallets == ["coins"])
        let again = try snapshot.apply(new)
        #expect(again.newlyOwned.isEmpty && again.wallets.isEmpty)
        #expect(snapshot.lastSequence == 5)
        #expect(snapshot.balances == ["coins": 5])
    }

    @Test func `the children of a bundle purchase without recorded contents are determined by the current catalog`()
        throws
    {
        let other = Catalog(products: [
            CatalogProduct(identifier: "map", kind: .nonConsumable),
            CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["map"]),
        ])
        let snapshot = try snapshot(.bought("pack", transaction: "1"), catalog: catalog).with(catalog: other)

        #expect(snapshot.owned == ["map", "pack"])
        #expect(snapshot.ownership(of: "guide") == .notOwned)
    }

    @Test func `an incrementally updated snapshot equals a snapshot built from all entries`() throws {
        let facts: [Fact] = [
            .bought("guide", transaction: "1"), .given("pack", token: "t"), .bought("all", transaction: "2"),
            .bought("coins", transaction: "3", kind: .consumable), .credited(50, transaction: "3"),
            .spent(7, token: "s"),
        ]
        var updated = try EntitlementSnapshot(catalog: nil, entries: [])
        for entry in entries(facts) {
            _ = try updated.apply([entry])
            updated = updated.with(catalog: entry.sequence.isMultiple(of: 2) ? catalog : nil)
        }
        let anew = try EntitlementSnapshot(catalog: catalog, entries: entries(facts))

        #expect(updated.owned == anew.owned)
        #expect(updated.balances == anew.balances)
        for product in catalog.products {
            #expect(updated.ownership(of: product.identifier) == anew.ownership(of: product.identifier))
        }
    }

    @Test func `a wallet balance that overflows 64 bits is reported as ledger damage`() throws {
        let error = #expect(throws: LedgerError.self) {
            try snapshot(
                .bought("coins", transaction: "1", kind: .consumable), .credited(Int.max, transaction: "1"),
                .credited(1, transaction: "2"), catalog: catalog)
        }
        #expect(error?.code == .damaged)
    }

    @Test func `bundles nested as deep as a catalog allows unlock all their children`() throws {
        let count = 65
        let products = (0..<count).map { index in
            CatalogProduct(
                identifier: "p\(index)", kind: .nonConsumable, childProducts: index + 1 < count ? ["p\(index + 1)"] : []
            )
        }
        let snapshot = try snapshot(.bought("p0", transaction: "1"), catalog: Catalog(products: products))

        #expect(snapshot.owned.count == count)
    }
}
