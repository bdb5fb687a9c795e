import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineCatalogLoading
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Class `VTAInAppPurchases` with its properties and methods.
extension ComingFromVTAInAppPurchasesTests {
    private static let lisbon = String.voyager("lisbon")

    static let manager: [ComingFromCase] = [
        ComingFromCase("sharedInstance") { scene in
            let manager = try await scene.loadedManager()
            #expect(await scene.buy("coins50", with: manager) == "charged")
            await manager.stop()
            #expect(try await scene.makeManager().wallets.balance(for: "coins").units == 50)
        },
        ComingFromCase("validateReceiptWithCompletionHandler:") { scene in
            for (isOnDevice, name) in [(false, "lisbon"), (true, "porto")] {
                let (store, verifier) = try scene.receipts(of: [name], isOnDevice: isOnDevice)
                let manager = try await scene.makeManager(store: store) {
                    $0.purchases.receipts = ReceiptOptions(verifier: verifier)
                }
                await manager.loadProducts()
                #expect(manager.ownership(of: .voyager(name)).isOwned == isOnDevice)
                #expect(
                    try await manager.purchases.refreshReceipt().receipt.purchases.map(\.productIdentifier.name) == [
                        name
                    ])
                #expect(manager.ownership(of: .voyager(name)).isOwned)
            }
        },
        ComingFromCase("loadProducts") { scene in
            let manager = try await scene.makeManager()
            #expect(manager.listing.isEmpty)
            #expect(await manager.loadProducts() == .productsLoaded)
            #expect(manager.listing.count == 12)
        },
        ComingFromCase("purchaseProduct:") { scene in
            let manager = try await scene.loadedManager()
            let product = try scene.listing("coins50", of: manager)
            #expect(await manager.purchase(product.id, quantity: 3).word == "charged")
            #expect(manager.wallets.balance(for: "coins").units == 150)
        },
        ComingFromCase("restoreProducts") { scene in
            try await scene.buyElsewhere("iberia")
            let manager = try await scene.loadedManager(store: scene.voyager.unlisted)
            #expect(try await manager.restore().restored == [.voyager("iberia")])
            #expect(manager.ownership(of: lisbon).isOwned)
        },
        ComingFromCase("unlockNonConsumableProduct:") { scene in
            let manager = try await scene.loadedManager()
            try await manager.unlock(lisbon)
            #expect(manager.ownedProducts == [lisbon])
            #expect(try await manager.lock(lisbon))
            #expect(manager.ownedProducts.isEmpty)
        },
        ComingFromCase("vtaProductForIdentifier:") { scene in
            let manager = try await scene.loadedManager()
            #expect(manager.listing(for: lisbon)?.title == "Lisbon Guide")
            #expect(manager.listing(for: .voyager("nothing")) == nil)
        },
        ComingFromCase("deleteCache") { scene in
            let server = try await scene.server()
            let manager = try await scene.makeManager(catalog: .remote(scene.remote(server)))
            await manager.loadProducts()
            await manager.loadProducts()
            #expect(server.requests.count == 1)
            #expect(await manager.catalog.deleteCache() == .productsLoaded)
            #expect(server.requests.count == 2)
        },
        ComingFromCase("remoteURL") { scene in
            let server = try await scene.server()
            let url = server.url.appending(path: "shop/products.plist")
            let manager = try await scene.makeManager(catalog: .remote(RemoteCatalog(url: url)))
            await manager.loadProducts()
            #expect(server.requests.map(\.path) == ["/shop/products.plist"])
            #expect(manager.listing.count == 12)
        },
        ComingFromCase("localURL") { scene in
            let local = Repository.sample("ProductIDs.plist")
            let server = try await scene.server { .reply(503) }
            for source in [CatalogSource.file(local), .remote(scene.remote(server), local: local)] {
                let manager = try await scene.makeManager(catalog: source)
                await manager.loadProducts()
                #expect(manager.products.count == 4)
                #expect(manager.catalog.loaded?.origin == .file(local))
            }
        },
        ComingFromCase("productsLoadingStatus") { scene in
            let manager = try await scene.makeManager()
            #expect(manager.status == .productsLoading)
            await manager.loadProducts()
            #expect(manager.status == .productsLoaded)
        },
        ComingFromCase("productList") { scene in
            let manager = try await scene.loadedManager()
            #expect(manager.listing.map(\.id) == (try VoyagerStore.catalog().products.map(\.identifier)))
            let absent = ["premium", "atlantis"].map(String.voyager)
            #expect(manager.products.map(\.id) == manager.listing.map(\.id).filter { !absent.contains($0) })
        },
        ComingFromCase("originalVersionNumber") { scene in
            try await scene.store.setOriginalPurchase(
                OriginalPurchase(version: "150", date: .sample, platform: .iOS))
            let manager = try await scene.makeManager()
            #expect(manager.purchases.originalPurchasedVersion == nil)
            await manager.loadProducts()
            #expect(manager.purchases.originalPurchasedVersion == "150")
        },
        ComingFromCase("cacheDays") { scene in
            let server = try await scene.server()
            var remote = scene.remote(server)
            remote.cacheDays = 3
            let manager = try await scene.makeManager(catalog: .remote(remote))
            for (seconds, requests) in [(0, 1), (3 * 86_400 - 1, 1), (1, 2)] as [(TimeInterval, Int)] {
                scene.voyager.clock.advance(by: seconds)
                await manager.loadProducts()
                #expect(server.requests.count == requests)
            }
        },
    ]

    static let statuses: [ComingFromCase] = [
        ComingFromCase("VTAInAppPurchasesStatusProductsLoadFailed") { scene in
            try await scene.store.fail(.products)
            try await expect(.productsLoadFailed, -2, of: scene.loadedManager())
        },
        ComingFromCase("VTAInAppPurchasesStatusProductsListLoadFailed") { scene in
            let manager = try await scene.makeManager(catalog: .file(scene.folder["none.plist"]))
            await manager.loadProducts()
            expect(.listLoadFailed, -1, of: manager)
        },
        ComingFromCase("VTAInAppPurchasesStatusProductsLoading") { scene in
            try await expect(.productsLoading, 0, of: scene.makeManager())
        },
        ComingFromCase("VTAInAppPurchasesStatusProductsListLoaded") { scene in
            let gate = Gate()
            let manager = try await scene.makeManager(store: scene.store(asksAboutProductsBehind: gate))
            async let status = manager.loadProducts()
            await gate.arrival()
            expect(.listLoaded, 1, of: manager)
            await gate.open()
            #expect(await status == .productsLoaded)
        },
        ComingFromCase("VTAInAppPurchasesStatusProductsLoaded") { scene in
            try await expect(.productsLoaded, 2, of: scene.loadedManager())
        },
    ]

    /// Expects a loading status.
    ///
    /// - Parameter number: The constant's value in `VTAInAppPurchases.h`.
    private static func expect(_ status: LoadingStatus, _ number: Int, of manager: CatalogManager) {
        #expect(manager.status == status)
        #expect(manager.status.rawValue == number)
    }
}
