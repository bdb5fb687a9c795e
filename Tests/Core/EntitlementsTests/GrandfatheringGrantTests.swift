import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineTestSupport

@Suite(.hangLimit) struct GrandfatheringGrantTests {
    private static let catalog = Catalog(products: [
        CatalogProduct(identifier: "filters", kind: .nonConsumable),
        CatalogProduct(
            identifier: "premium", kind: .nonConsumable, childProducts: ["filters"],
            grandfathered: [GrandfatheringRule(beforeBuild: VersionNumber("200"))]),
        CatalogProduct(identifier: "guide", kind: .nonConsumable),
    ])

    private func snapshot(_ facts: [Fact], catalog: Catalog? = catalog) throws -> EntitlementSnapshot {
        try EntitlementSnapshot(
            catalog: catalog,
            entries: facts.enumerated().map {
                LedgerEntry(
                    sequence: Int64($0 + 1), recordedAt: Date(timeIntervalSince1970: 1_790_000_100), fact: $1)
            })
    }

    @Test
    func `a grandfathered product and its children have unknown ownership until the app's first version is known`()
        throws
    {
        let snapshot = try snapshot([])

        #expect(snapshot.ownership(of: "premium") == .unknown(.grandfathering(product: "premium")))
        #expect(snapshot.ownership(of: "filters") == .unknown(.grandfathering(product: "premium")))
        #expect(snapshot.ownership(of: "guide") == .notOwned)
        #expect(snapshot.unknownReason == .grandfathering(product: "premium"))
        #expect(try self.snapshot([.bought("premium", transaction: "1")]).unknownReason == nil)
        #expect(snapshot.missingGrandfatheringGrants.isEmpty)
    }

    @Test func `ownership is determined in a chain of 20000 bundles that each have a grandfathering rule`() throws {
        let count = 20_000
        let catalog = Catalog(
            products: (0..<count).map { index in
                CatalogProduct(
                    identifier: "p\(index)", kind: .nonConsumable,
                    childProducts: index + 1 < count ? ["p\(index + 1)"] : [],
                    grandfathered: [GrandfatheringRule(beforeBuild: VersionNumber("200"))])
            })

        #expect(try snapshot([], catalog: catalog).ownership(of: "p\(count - 1)").isOwned == false)
        #expect(try snapshot([.firstGot(build: "500")], catalog: catalog).ownership(of: "p0") == .notOwned)
    }

    @Test func `a customer who installed the app too late does not own the grandfathered product`() throws {
        let snapshot = try snapshot([.firstGot(build: "500")])

        #expect(snapshot.ownership(of: "premium") == .notOwned)
        #expect(snapshot.ownership(of: "filters") == .notOwned)
        #expect(snapshot.missingGrandfatheringGrants.isEmpty)
    }

    @Test func `a product that a grandfathering rule gives has unknown ownership until its grant is recorded`()
        throws
    {
        let snapshot = try snapshot([.firstGot(build: "150")])
        let grant = try #require(snapshot.missingGrandfatheringGrants.first)

        #expect(snapshot.missingGrandfatheringGrants.count == 1)
        #expect(grant.productIdentifier == "premium")
        #expect(
            grant.reason
                == "the app was first installed as build 150 on 2019-05-01, "
                + "and the grandfathering rule requires a build before 200"
        )
        #expect(snapshot.ownership(of: "premium") == .unknown(.grandfathering(product: "premium")))
        #expect(try self.snapshot([.firstGot(build: "150"), .grant(grant)]).owned == ["filters", "premium"])
        #expect(try self.snapshot([.firstGot(build: "150"), .grant(grant)]).missingGrandfatheringGrants.isEmpty)
    }

    @Test func `a grandfathering rule that cannot be decided leaves the ownership unknown`() throws {
        #expect(
            try snapshot([.firstGot(build: "1.0", platform: nil)]).ownership(of: "premium")
                == .unknown(.grandfathering(product: "premium")))
    }

    @Test func `a purchased product is owned regardless of its grandfathering rule`() throws {
        let snapshot = try snapshot([.bought("premium", transaction: "1")])

        #expect(snapshot.owned == ["filters", "premium"])
    }

    @Test func `a recorded grandfathering grant remains valid after its rule is removed from the catalog`() throws {
        let grant = try #require(try snapshot([.firstGot(build: "150")]).missingGrandfatheringGrants.first)
        let later = Catalog(products: [CatalogProduct(identifier: "premium", kind: .nonConsumable)])

        #expect(try snapshot([.firstGot(build: "150"), .grant(grant)], catalog: later).owned == ["premium"])
    }

    @Test func `the most recently recorded original app version decides about grandfathering`() throws {
        let snapshot = try snapshot([.firstGot(build: "150"), .firstGot(build: "500")])

        #expect(snapshot.appPurchase?.original.version == "500")
        #expect(snapshot.ownership(of: "premium") == .notOwned)
    }
}
