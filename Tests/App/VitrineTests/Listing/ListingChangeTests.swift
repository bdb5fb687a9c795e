import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Products that are republished after a change, and products that are not.
extension CatalogManagerTests {
    /// Returns the products of each event `listingChanged`, without the app's prefix.
    private func changes(of manager: CatalogManager, during body: () async throws -> Void) async throws -> [[String]] {
        try await events(of: manager, during: body).listingChanges
    }

    @Test func `an unchanged store response republishes no product`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        let before = manager.listing

        #expect(try await changes(of: manager) { await manager.loadProducts() } == [])
        #expect(manager.listing == before)
    }

    @Test func `moving products to other lines of the property list does not republish them`() async throws {
        let sample = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        let file = try folder.write(sample, to: "catalog.plist")
        let manager = try await makeManager(catalog: .file(file))
        await manager.loadProducts()
        let version = manager.catalog.current?.products.first?.position
        _ = try folder.write(sample.replacing("<array>\n", with: "<array>\n\n\n"), to: "catalog.plist")

        #expect(try await changes(of: manager) { await manager.loadProducts() } == [])
        #expect(manager.catalog.current?.products.first?.position != version)
    }

    @Test func `a changed price republishes the product and the bundles that show the price`() async throws {
        let isDearer = Recorder<Void>()
        var store = InterceptedStore(voyager.store)
        let simulated = voyager.store
        store.onProducts = { identifiers async throws(StoreError) in
            try await simulated.products(for: identifiers).map { product in
                guard !isDearer.values.isEmpty, product.identifier == .voyager("lisbon") else { return product }
                return StoreProduct(
                    identifier: product.identifier, kind: product.kind, displayName: product.displayName,
                    description: product.description, price: 9, currencyCode: "USD", displayPrice: "$9.00")
            }
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        isDearer.record(())

        #expect(try await changes(of: manager) { await manager.loadProducts() } == [["lisbon", "iberia"]])
        #expect(try listing("lisbon", of: manager).displayPrice == "$9.00")
    }

    @Test func `a changed description in the property list republishes only its product`() async throws {
        let sample = try String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8)
        let file = try folder.write(sample, to: "catalog.plist")
        let manager = try await makeManager(catalog: .file(file))
        await manager.loadProducts()
        _ = try folder.write(
            sample.replacing("Lisbon, Porto and Madrid for less than two of them.", with: "Three."), to: "catalog.plist"
        )

        #expect(
            try await changes(of: manager) { await manager.loadProducts() } == [["iberia"]])
        #expect(try listing("iberia", of: manager).description == "Three.")
    }

    @Test func `the purchase of a child republishes only the child and the bundles that contain it`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        let changes = try await changes(of: manager) { #expect(await buy("lisbon", with: manager) == "charged") }

        #expect(changes.first == ["lisbon"])
        #expect(changes.contains { Set($0).isSuperset(of: ["lisbon", "iberia"]) })
        #expect(changes.joined().allSatisfy { ["lisbon", "iberia", "everything"].contains($0) })
        let iberia = try #require(try listing("iberia", of: manager).bundle)
        #expect(iberia.children.filter(\.isOwned).map(\.id) == [.voyager("lisbon")])
    }

    @Test func `a purchase in progress is shown in the listing until it is finished`() async throws {
        let (gate, finishing) = (Gate(), Gate())
        let simulated = voyager.store
        var store = self.store(sellsBehind: gate)
        store.onFinish = { transaction async throws(StoreError) in
            await finishing.pass()
            try await simulated.finish(transaction)
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        #expect(try listing("lisbon", of: manager).purchase == nil)
        async let answer = buy("lisbon", with: manager)
        await gate.arrival()
        #expect(try listing("lisbon", of: manager).purchase == .inProgress)
        #expect(try listing("porto", of: manager).purchase == nil)
        await gate.open()
        await finishing.arrival()
        #expect(try listing("lisbon", of: manager).purchase == .delivering)
        await finishing.open()

        #expect(await answer == "charged")
        await manager.stop()
        #expect(try listing("lisbon", of: manager).purchase == nil)
    }

    @Test(arguments: [true, false])
    func `a purchase that waits for approval is shown as waiting until it is approved or bought again`(
        isApproved: Bool
    ) async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        try await voyager.store.setAsksToBuy(true)
        #expect(await buy("lisbon", with: manager) == "pending")
        #expect(try listing("lisbon", of: manager).purchase == .waitingForApproval)

        let events = manager.events()
        let pending = try #require(try await voyager.store.pendingPurchases().first)
        if isApproved {
            try await voyager.store.approve(pending.id)
        } else {
            try await voyager.store.decline(pending.id)
            // The store tells nobody, and the customer may ask again.
            #expect(try listing("lisbon", of: manager).purchase == .waitingForApproval)
            #expect(try listing("lisbon", of: manager).isOffered)
            try await voyager.store.setAsksToBuy(false)
            #expect(await buy("lisbon", with: manager) == "charged")
        }
        await events.next { if case .transaction(.finished) = $0 { true } else { false } }
        #expect(try listing("lisbon", of: manager).purchase == nil)
        #expect(try listing("lisbon", of: manager).ownership.isOwned)
    }

    @Test func `a canceled purchase is no longer shown in the listing`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        try await voyager.store.fail(.cancelled, times: 1)

        #expect(await buy("lisbon", with: manager) == "cancelled")
        #expect(try listing("lisbon", of: manager).purchase == nil)
    }

    @Test func `the listing is in the order of the catalog, whatever the order of the store`() async throws {
        var store = InterceptedStore(voyager.store)
        let simulated = voyager.store
        store.onProducts = { identifiers async throws(StoreError) in
            try await simulated.products(for: identifiers).reversed()
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()

        #expect(manager.listing.map(\.id) == manager.catalog.current?.products.map(\.identifier))
    }

    @Test func `the progress of a download republishes the product and the bundles with its content`() async throws {
        let manager = try await makeManager(ShelfContent(packages: Repository.samplePackages))
        let before = try #require(try listing("everything", of: manager).content)
        let events = try await events(of: manager) { #expect(await buy("rome", with: manager) == "charged") }

        #expect(events.listingChanges.contains(["rome", "everything"]))
        #expect(events.listingChanges.joined().allSatisfy { ["rome", "everything"].contains($0) })
        let rome = try #require(try listing("rome", of: manager).content)
        #expect(rome.state == .installed)
        #expect(rome.isComplete)
        #expect(rome.fraction == 1)
        let everything = try #require(try listing("everything", of: manager).content)
        #expect(everything.state == nil)
        #expect((everything.count, everything.installedCount) == (before.count, 1))
        #expect(everything.fraction == 1 / Double(before.count))
        #expect(try listing("lisbon", of: manager).content == nil)
    }
}

extension [CatalogEvent] {
    /// Products of each event `listingChanged`, without the app's prefix.
    var listingChanges: [[String]] {
        compactMap { event in
            guard case .listingChanged(let listings) = event else { return nil }
            return listings.map { String($0.id.dropFirst(String.voyager("").count)) }
        }
    }
}
