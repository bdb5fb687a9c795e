import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

extension CatalogManagerTests {
    private func firstGot(_ version: String, platform: AppPlatform = .iOS) async throws {
        try await voyager.store.setOriginalPurchase(
            OriginalPurchase(version: version, date: Date(timeIntervalSince1970: 1_556_668_800), platform: platform))
    }

    @Test func `a customer whose first app version is old enough owns the grandfathered product`() async throws {
        try await firstGot("150")
        let manager = try await makeManager()
        #expect(manager.purchases.originalPurchasedVersion == nil)
        let events = try await events(of: manager) { await manager.loadProducts() }

        #expect(manager.purchases.originalPurchasedVersion == "150")
        #expect(
            manager.ownership(of: .voyager("premium"))
                == .owned(because: [
                    .grant(
                        reason: "the app was first installed as build 150 on 2019-05-01, "
                            + "and the grandfathering rule requires a build before 200",
                        author: "", date: Date(timeIntervalSince1970: 1_556_668_800), expirationDate: nil)
                ]))
        #expect(events.ownershipChanges == [[.voyager("premium")]])
        #expect(events.contains { if case .entitlements(.originalPurchaseKnown) = $0 { true } else { false } })
        #expect(try listing("premium", of: manager).offer == .notOffered(.alreadyOwned))
    }

    @Test func `a customer whose first app version is too new for grandfathering can buy the product`() async throws {
        try await firstGot("500")
        let manager = try await makeManager()
        await manager.loadProducts()

        #expect(manager.ownership(of: .voyager("premium")) == .notOwned)
        #expect(await buy("premium", with: manager) == "charged")
    }

    @Test func `while the first app version is unknown, a grandfathered product is neither owned nor sold`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()

        #expect(
            manager.ownership(of: .voyager("premium"))
                == .unknown(.grandfathering(product: .voyager("premium"))))
        #expect(await buy("premium", with: manager) == "not-offered")
        #expect(manager.ownership(of: .voyager("lisbon")) == .notOwned)
    }

    @Test func `a grandfathered product stays owned when its rule is removed and the first app version changes`()
        async throws
    {
        try await firstGot("150")
        await (try await makeManager()).loadProducts()
        try await firstGot("500")
        let text = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        let start = try #require(text.range(of: "\t\t<key>grandfathered</key>\n"))
        let end = try #require(text.range(of: "</dict>\n", range: start.upperBound..<text.endIndex))
        let file = try folder.write(
            text.replacingCharacters(in: start.lowerBound..<end.upperBound, with: ""), to: "catalog.plist")
        let manager = try await makeManager(catalog: .file(file))
        await manager.loadProducts()

        #expect(manager.catalog.current?[.voyager("premium")]?.grandfathered.isEmpty == true)
        // Without a rule, the store is asked only when the customer restores purchases.
        #expect(manager.purchases.originalPurchasedVersion == "150")
        _ = try await manager.restore()
        #expect(manager.purchases.originalPurchasedVersion == "500")
        #expect(manager.ownership(of: .voyager("premium")).isOwned)
    }

    @Test func `a launch asks for the app transaction only if the catalog has a grandfathering rule`() async throws {
        let requests = Recorder<Bool>()
        var store = InterceptedStore(voyager.store)
        let base = voyager.store
        store.onAppTransaction = { () throws(StoreError) in
            requests.record(true)
            return try await base.appTransaction()
        }
        let product = CatalogProduct(identifier: .voyager("lisbon"), kind: .nonConsumable)
        await (try await makeManager(catalog: .catalog(Catalog(products: [product])), store: store)).loadProducts()
        #expect(requests.values.isEmpty)
        await (try await makeManager(store: store)).loadProducts()
        #expect(requests.values.count == 1)
    }

    @Test func `the first app version is known at the next launch, even if the store does not answer`() async throws {
        try await firstGot("500")
        await (try await makeManager()).loadProducts()
        var store = InterceptedStore(voyager.store)
        store.onAppTransaction = { () throws(StoreError) in
            throw StoreError(code: .unavailable, reason: "no network")
        }
        let manager = try await makeManager(store: store)
        #expect(manager.purchases.originalPurchasedVersion == "500")
        let events = try await events(of: manager) { await manager.loadProducts() }

        #expect(manager.ownership(of: .voyager("premium")) == .notOwned)
        #expect(events.contains { if case .entitlements(.appTransactionFailed(.store)) = $0 { true } else { false } })
    }

    @Test func `an app transaction that cannot be verified grants no grandfathered product`() async throws {
        let stranger = try VoyagerStore()
        try await stranger.store.setOriginalPurchase(OriginalPurchase(version: "1", date: .now, platform: .iOS))
        let forged = try await stranger.store.appTransaction()
        var store = InterceptedStore(voyager.store)
        store.onAppTransaction = { () throws(StoreError) in forged }
        let manager = try await makeManager(store: store)
        let events = try await events(of: manager) { await manager.loadProducts() }

        #expect(
            manager.ownership(of: .voyager("premium"))
                == .unknown(.grandfathering(product: .voyager("premium"))))
        #expect(manager.purchases.originalPurchasedVersion == nil)
        #expect(
            events.contains { if case .entitlements(.appTransactionFailed(.rejected)) = $0 { true } else { false } })
    }

    @Test func `a Mac app version does not match a grandfathering rule for builds`() async throws {
        try await firstGot("1.5", platform: .macOS)
        let manager = try await makeManager()
        await manager.loadProducts()

        #expect(manager.ownership(of: .voyager("premium")) == .notOwned)
        #expect(try listing("premium", of: manager).isOffered)
    }

    @Test func `grandfathering uses the latest app transaction if its original version changes and changes back`()
        async throws
    {
        let rules = [GrandfatheringRule(beforeBuild: VersionNumber("200"))]
        let premium = CatalogProduct(
            identifier: .voyager("premium"), kind: .nonConsumable, grandfathered: rules)
        for version in ["150", "500", "150"] {
            try await firstGot(version)
            voyager.clock.advance(by: 60)
            _ = try await (try await makeManager(catalog: .catalog(Catalog(products: [])))).restore()
        }
        let manager = try await makeManager(catalog: .catalog(Catalog(products: [premium])))
        #expect(manager.purchases.originalPurchasedVersion == "150")
        await manager.loadProducts()

        #expect(manager.ownership(of: .voyager("premium")).isOwned)
    }

    @Test func `an unchanged app transaction is recorded once over several launches`() async throws {
        try await firstGot("500")
        for _ in 0..<3 {
            voyager.clock.advance(by: 60)
            await (try await makeManager()).loadProducts()
        }

        let ledger = try SQLiteLedger(url: Home(url: folder["home"]).ledger)
        #expect(try await ledger.entries(after: 0).map(\.fact.kind) == [.appPurchase])
    }
}
