import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@Suite(.hangLimit) struct ComingFromStoreManagerTests {
    @Test(arguments: cases)
    func `the replacement of each symbol of the StoreManager library behaves as the migration article states`(
        _ row: ComingFromCase
    )
        async throws
    {
        try await row.exercise(ComingFromScene())
    }

    static let cases: [ComingFromCase] = lookUps + statuses

    private static let lookUps: [ComingFromCase] = [
        ComingFromCase("sharedInstance") { scene in
            let first = try await scene.loadedManager()
            #expect(await scene.buy("lisbon", with: first) == "charged")
            await first.stop()
            #expect(try await scene.makeManager().ownedProducts == [.voyager("lisbon")])
        },
        ComingFromCase("fetchProductInformationForIds:") { scene in
            let manager = try await scene.makeManager()
            let fetched = try await manager.catalog.fetchProducts(["porto", "nothing"].map(String.voyager))
            #expect(fetched.products.map(\.displayName) == ["Porto Guide"])
            #expect(fetched.invalidIdentifiers == [.voyager("nothing")])
            #expect(await manager.loadProducts() == .productsLoaded)
            #expect(manager.catalog.storeProducts.count == 11)
        },
        ComingFromCase("titleMatchingProductIdentifier:") { scene in
            let manager = try await scene.loadedManager()
            #expect(manager.catalog.title(for: .voyager("lisbon")) == "Lisbon Guide")
            #expect(manager.catalog.title(for: .voyager("nothing")) == nil)
        },
        ComingFromCase("descriptionMatchingProductIdentifier:") { scene in
            let manager = try await scene.loadedManager()
            #expect(manager.catalog.description(for: .voyager("lisbon")) == "Seven hills, forty walks and every tram.")
            #expect(manager.catalog.description(for: .voyager("nothing")) == nil)
        },
        ComingFromCase("priceMatchingProductIdentifier:") { scene in
            let manager = try await scene.loadedManager()
            #expect(manager.catalog.displayPrice(for: .voyager("lisbon")) == "$4.99")
            #expect(manager.catalog.displayPrice(for: .voyager("atlantis")) == nil)
        },
        ComingFromCase("productMatchingProductIdentifier:") { scene in
            let manager = try await scene.loadedManager()
            #expect(manager.catalog.storeProduct(for: .voyager("lisbon"))?.price == Decimal(string: "4.99"))
            #expect(manager.catalog.storeProduct(for: .voyager("atlantis")) == nil)
        },
        ComingFromCase("status") { scene in
            let manager = try await scene.makeManager()
            #expect(manager.catalog.requestStatus == .idle)
            await manager.loadProducts()
            #expect(manager.catalog.requestStatus == .succeeded)
        },
        ComingFromCase("availableProducts") { scene in
            let manager = try await scene.loadedManager()
            let sold = manager.listing.map(\.id).filter { $0 != .voyager("atlantis") }
            #expect(manager.catalog.storeProducts.map(\.identifier) == sold)
        },
        ComingFromCase("invalidProductIds") { scene in
            let manager = try await scene.loadedManager()
            #expect(manager.catalog.invalidIdentifiers == [.voyager("atlantis")])
        },
        ComingFromCase("errorFromLastRequest") { scene in
            try await scene.store.fail(.products, times: 1)
            let manager = try await scene.loadedManager()
            #expect(manager.catalog.lastRequestError?.word == "products unavailable")
            await manager.loadProducts()
            #expect(manager.catalog.lastRequestError == nil)
        },
    ]

    private static let statuses: [ComingFromCase] = [
        ComingFromCase("StoreManagerDidChangeStatusNotification") { scene in
            let manager = try await scene.makeManager()
            let observed = try await scene.observed(by: manager) { await manager.loadProducts() }
            #expect(observed.events.requestStatuses == [.inProgress, .succeeded])
            #expect(observed.notifications(.vitrineRequestStatusDidChange).count == 2)
        },
        ComingFromCase("IAPRequestIdle") { scene in
            let manager = try await scene.makeManager()
            #expect(manager.catalog.requestStatus == .idle)
        },
        ComingFromCase("IAPRequestInProgress") { scene in
            let gate = Gate()
            let manager = try await scene.makeManager(store: scene.store(asksAboutProductsBehind: gate))
            async let status = manager.loadProducts()
            await gate.arrival()
            #expect(manager.catalog.requestStatus == .inProgress)
            await gate.open()
            #expect(await status == .productsLoaded)
        },
        ComingFromCase("IAPRequestWaitingForRetry") { scene in
            try await scene.store.fail(.products, times: 1)
            let manager = try await scene.loadedManager()
            #expect(manager.catalog.requestStatus == .waitingForRetry)
            #expect(manager.catalog.nextLoad == scene.voyager.clock.now + 15)
        },
        ComingFromCase("IAPRequestSuceeded") { scene in
            let manager = try await scene.loadedManager()
            #expect(manager.catalog.requestStatus == .succeeded)
        },
        ComingFromCase("IAPRequestFailed") { scene in
            try await scene.store.fail(.products, times: 1)
            let repeated = try await scene.makeManager()
            let observed = try await scene.observed(by: repeated) { await repeated.loadProducts() }
            #expect(observed.events.requestStatuses.prefix(3) == [.inProgress, .failed, .waitingForRetry])
            let manager = try await scene.makeManager(catalog: .file(scene.folder["none.plist"]))
            await manager.loadProducts()
            #expect(manager.catalog.requestStatus == .failed)
        },
    ]
}
