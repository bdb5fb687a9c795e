import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

/// Former contents of a bundle, which customers who bought them still own after later catalogs remove them.
@Suite(.hangLimit) struct FormerContentsTests {
    private let before = Catalog(products: [
        CatalogProduct(identifier: "guide", kind: .nonConsumable),
        CatalogProduct(identifier: "map", kind: .nonConsumable),
        CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["guide", "map"]),
    ])
    private let after = Catalog(products: [
        CatalogProduct(identifier: "guide", kind: .nonConsumable),
        CatalogProduct(identifier: "map", kind: .nonConsumable),
        CatalogProduct(identifier: "pack", kind: .nonConsumable, childProducts: ["guide"]),
    ])
    private let date = Date(timeIntervalSince1970: 1_790_000_000)
    private var former: Ownership.Reason {
        .formerBundle(identifier: "pack", transactionID: "1", purchaseDate: date)
    }

    private func entry(_ fact: Fact, _ sequence: Int64 = 1) -> LedgerEntry {
        LedgerEntry(sequence: sequence, recordedAt: date, fact: fact)
    }

    private var purchase: Fact { .bought("pack", transaction: "1", contents: ["guide", "map", "poster"]) }

    @Test
    func `a child is owned because of its bundle, or of a former bundle once the catalog removes the child`()
        throws
    {
        let snapshot = try EntitlementSnapshot(catalog: before, entries: [entry(purchase)])
        #expect(snapshot.ownership(of: "map") == .owned(because: [.bundle(identifier: "pack")]))
        #expect(snapshot.owned == ["guide", "map", "pack", "poster"])

        let later = snapshot.with(catalog: after)
        #expect(later.ownership(of: "map") == .owned(because: [former]))
        #expect(later.ownership(of: "guide") == .owned(because: [.bundle(identifier: "pack")]))
        #expect(later.ownership(of: "poster") == .owned(because: [former]))
        #expect(later.with(catalog: before).ownership(of: "map") == snapshot.ownership(of: "map"))
    }

    @Test func `without a catalog, a purchased bundle and all its recorded contents are owned`() throws {
        let snapshot = try EntitlementSnapshot(catalog: nil, entries: [entry(purchase)])

        #expect(["pack", "guide", "map", "poster"].allSatisfy(snapshot.isOwned))
        #expect(Set(snapshot.owned) == ["pack", "guide", "map", "poster"])
        #expect(snapshot.with(catalog: after).ownership(of: "map") == .owned(because: [former]))
        #expect(snapshot.with(catalog: before).with(catalog: nil).ownership(of: "map") == .owned(because: [former]))
    }

    @Test(arguments: [true, false])
    func `recorded contents of a bundle are lost with its refund and owned again after the reversal`(
        isAppliedBeforeCatalog: Bool
    ) throws {
        let (taken, given) = (
            entry(.revoked("pack", transaction: "1"), 2),
            entry(.credited("pack", transaction: "1", signed: date + 200_000), 3)
        )
        var snapshot = try EntitlementSnapshot(
            catalog: isAppliedBeforeCatalog ? before : after, entries: [entry(purchase)])
        if isAppliedBeforeCatalog { snapshot = snapshot.with(catalog: after) }

        #expect(Set(try snapshot.apply([taken]).noLongerOwned) == ["pack", "guide", "map", "poster"])
        #expect(snapshot.owned.isEmpty)
        #expect(snapshot.with(catalog: before).owned.isEmpty)
        #expect(Set(try snapshot.apply([given]).newlyOwned) == ["pack", "guide", "map", "poster"])
        #expect(snapshot.ownership(of: "map") == .owned(because: [former]))
    }

    @Test func `ownership reasons are listed in the order of the ledger`() throws {
        let snapshot = try EntitlementSnapshot(
            catalog: before,
            entries: [
                entry(.given("map", token: "t"), 1), entry(purchase, 2), entry(.bought("map", transaction: "2"), 3),
            ])
        guard case .owned(let reasons) = snapshot.with(catalog: after).ownership(of: "map") else {
            Issue.record("the map is not owned")
            return
        }

        #expect(reasons.count == 3)
        #expect(reasons[1] == former)
    }

    @Test func `a child that a later catalog removes from a subscription is owned until the subscription ends`() throws
    {
        let subscription = Fact.bought(
            "pack", transaction: "1", kind: .autoRenewableSubscription,
            until: Fact.Period(expirationDate: date + 1_000), contents: ["map"])
        let first = try EntitlementSnapshot(catalog: before, entries: [entry(subscription)], at: date)
        var snapshot = first.with(catalog: after)
        #expect(snapshot.isOwned("map"))

        #expect(snapshot.set(date: date + 1_000).noLongerOwned.contains("map"))
        #expect(!snapshot.isOwned("map"))
    }

    @Test func `a former child of a subscription is owned until the end of the extended period`() throws {
        let period = Fact.Period(expirationDate: date + 1_000)
        let subscription = Fact.bought(
            "pack", transaction: "1", kind: .autoRenewableSubscription, until: period, contents: ["map"])
        var snapshot = EntitlementSnapshot(
            catalog: after, summary: LedgerSummary(lastSequence: 1, entries: [entry(subscription)], balances: [:]),
            at: date)
        #expect(snapshot.isOwned("map"))

        let longer = Fact.termed(
            "pack", transaction: "1", signed: date + 10, until: Fact.Period(expirationDate: date + 2_000))
        _ = try snapshot.apply([entry(longer, 2)])
        #expect(snapshot.set(date: date + 1_500).noLongerOwned.isEmpty)
        #expect(snapshot.set(date: date + 2_000).noLongerOwned.contains("map"))
    }
}
