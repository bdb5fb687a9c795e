import Foundation
import Testing
import VitrineCatalog
import VitrineCatalogLoading
import VitrineEntitlements
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

@Suite(.hangLimit) struct ComingFromCargoManagerTests {
    @Test(arguments: cases)
    func `the replacement of each symbol of the CargoManager library behaves as the migration article states`(
        _ row: ComingFromCase
    )
        async throws
    {
        try await row.exercise(ComingFromScene())
    }

    static let cases: [ComingFromCase] = manager + delegates + notifications

    private static let manager: [ComingFromCase] = [
        ComingFromCase("CargoManagerContentDelegate") { scene in
            let handler = Counter()
            let manager = try await scene.makeManager { $0.purchases.hooks = AppHooks(delivery: handler) }
            await manager.loadProducts()
            #expect(await scene.buy("lisbon", with: manager) == "charged")
            #expect(handler.delivered.values == ["lisbon"])
            #expect(try await scene.store.unfinishedTransactions().isEmpty)
        },
        ComingFromCase("CargoManagerUIDelegate") { @MainActor scene in
            let manager = try await scene.makeManager()
            let (model, events) = (CatalogModel(manager), manager.events())
            await manager.loadProducts()
            await manager.stop()
            await model.following?.value
            #expect(model.status == .productsLoaded)
            #expect(model.listing.first?.title == "Lisbon Guide")
            #expect(await events.all().statuses == [0, 1, 2])
        },
        ComingFromCase("sharedManager") { scene in
            let manager = try await scene.makeManager()
            let events = manager.events()
            try await scene.store.purchaseElsewhere(.voyager("lisbon"))
            // Nothing was loaded, and it is taken in all the same.
            await events.next { if case .transaction(.received) = $0 { true } else { false } }
            #expect(manager.status == .productsLoading)
        },
        ComingFromCase("loadStore") { scene in
            try await scene.store.purchaseElsewhere(.voyager("lisbon"))
            let manager = try await scene.makeManager()
            #expect(await manager.loadProducts() == .productsLoaded)
            #expect(manager.ownedProducts == [.voyager("lisbon")])
            #expect(manager.products.count == 9)
        },
        ComingFromCase("retryLoadingProducts") { scene in
            let sleep = ManualSleep()
            let manager = try await scene.makeManager {
                $0.loading.schedule = RetrySchedule(random: { 0 }, sleep: { try await sleep.sleep($0) })
            }
            try await scene.store.fail(.products, times: 1)
            await manager.loadProducts()
            #expect(manager.catalog.nextLoad == scene.voyager.clock.now + 15)
            #expect(await sleep.begun() == .seconds(15))
            let events = manager.events()
            sleep.wake()
            await events.next { if case .loading(.statusChanged(.productsLoaded)) = $0 { true } else { false } }
            try await scene.store.fail(.products, times: 1)
            #expect(await manager.loadProducts() == .productsLoadFailed)
            #expect(await manager.loadProducts() == .productsLoaded)
        },
        ComingFromCase("productForIdentifier:") { scene in
            let manager = try await scene.loadedManager()
            #expect(manager.listing(for: .voyager("lisbon"))?.isOffered == true)
            #expect(manager.catalog.storeProduct(for: .voyager("lisbon"))?.displayName == "Lisbon Guide")
            #expect(manager.listing(for: .voyager("atlantis"))?.offer == .notOffered(.unknownToStore))
            #expect(manager.catalog.storeProduct(for: .voyager("atlantis")) == nil)
        },
        ComingFromCase("buyProduct:") { scene in
            let manager = try await scene.loadedManager()
            #expect(await manager.purchase(.voyager("coins50"), quantity: 2).word == "charged")
            #expect(manager.wallets.balance(for: "coins") == .known(100))
        },
        ComingFromCase("restorePurchasedProducts") { scene in
            try await scene.buyElsewhere("lisbon")
            let manager = try await scene.loadedManager(store: scene.voyager.unlisted)
            #expect(manager.ownedProducts.isEmpty)
            #expect(try await manager.restore().restored == [.voyager("lisbon")])
            #expect(manager.ownedProducts == [.voyager("lisbon")])
        },
        ComingFromCase("productIdentifiers") { scene in
            let identifiers = ["lisbon", "porto", "madrid", "vienna"].map(String.voyager)
            let sources = [
                CatalogSource.file(Repository.sample("ProductIDs.plist")), .catalog(Catalog(identifiers: identifiers)),
            ]
            for source in sources {
                let manager = try await scene.makeManager(catalog: source)
                await manager.loadProducts()
                #expect(manager.products.map(\.id) == identifiers)
            }
        },
    ]

    private static let delegates: [ComingFromCase] = [
        ComingFromCase("provideContentForProductIdentifier:") { scene in
            let handler = Counter(decision: .retryLater("no room"))
            let manager = try await scene.makeManager { $0.purchases.hooks = AppHooks(delivery: handler) }
            await manager.loadProducts()
            #expect(await scene.buy("coins50", with: manager) == "pending")
            #expect(handler.delivered.values == ["coins50"])
            #expect(manager.wallets.balance(for: "coins") == .known(50))
            #expect(try await scene.store.unfinishedTransactions().count == 1)
        },
        ComingFromCase("recordTransaction:") { scene in
            let manager = try await scene.loadedManager()
            #expect(await scene.buy("lisbon", with: manager) == "charged")
            let origin = try #require(try await manager.ledger.history().first?.fact.origin)
            let signed = try await scene.voyager.verifier().verify(transaction: origin.signedData).value
            #expect(signed?.payload.productIdentifier == .voyager("lisbon"))
        },
        ComingFromCase("downloadUpdated:") { scene in
            let manager = try await scene.loadedManager()
            let events = try await scene.events(of: manager) { _ = await scene.buy("rome", with: manager) }
            #expect(events.downloads.last?.id == .voyager("rome"))
            #expect(events.downloads.last?.state == .finished)
        },
        ComingFromCase("transactionDidFinishWithSuccess:") { scene in
            let manager = try await scene.loadedManager()
            try await scene.store.fail(.notAvailable, times: 1)
            let events = try await scene.events(of: manager) {
                #expect(await scene.buy("lisbon", with: manager) == "not-available")
                #expect(await scene.buy("lisbon", with: manager) == "charged")
            }
            #expect(events.answers == ["not-available", "charged"])
        },
        ComingFromCase("restoredTransactionsDidFinishWithSuccess:") { scene in
            try await scene.buyElsewhere("lisbon")
            let manager = try await scene.loadedManager(store: scene.voyager.unlisted)
            let answers = Recorder<RestoreResult>()
            let events = try await scene.events(of: manager) { answers.record(try await manager.restore()) }
            #expect(answers.values.map(\.restored) == [[.voyager("lisbon")]])
            #expect(events.restores == answers.values)
            try await scene.store.fail(.restore)
            let failing = try await scene.loadedManager()
            let failures = try await scene.events(of: failing) { _ = try? await failing.restore() }
            #expect(failures.restoreFailures == [.unavailable])
        },
        ComingFromCase("productRequestDidReceiveResponse") { scene in
            let manager = try await scene.makeManager()
            #expect(manager.catalog.storeSnapshotDate == nil)
            await manager.loadProducts()
            #expect(manager.catalog.storeSnapshotDate == scene.voyager.clock.now)
            #expect(manager.status == .productsLoaded)
        },
        ComingFromCase("productRequestError") { scene in
            try await scene.store.fail(.products, times: 1)
            let manager = try await scene.loadedManager()
            #expect(manager.catalog.lastRequestError?.word == "products unavailable")
        },
        ComingFromCase("contentDelegate") { scene in
            let (first, second) = (Counter(decision: .retryLater("no room")), Counter())
            let earlier = try await scene.makeManager { $0.purchases.hooks.delivery = first }
            await earlier.loadProducts()
            #expect(await scene.buy("lisbon", with: earlier) == "pending")
            await earlier.stop()
            let manager = try await scene.makeManager { $0.purchases.hooks.delivery = second }
            await manager.loadProducts()
            #expect(second.delivered.values == ["lisbon"])
            #expect(try await scene.store.unfinishedTransactions().isEmpty)
        },
        ComingFromCase("UIDelegate") { scene in
            let manager = try await scene.makeManager()
            let (one, other) = (manager.events(), manager.events())
            await manager.loadProducts()
            await manager.stop()
            for listener in [one, other] { #expect(await listener.all().statuses == [0, 1, 2]) }
        },
    ]

    private static let notifications: [ComingFromCase] = [
        ComingFromCase("localizedPrice") { scene in
            let manager = try await scene.loadedManager()
            #expect(try scene.listing("lisbon", of: manager).displayPrice == "$4.99")
        },
        ComingFromCase("CMProductRequestDidReceiveResponseNotification") { scene in
            let manager = try await scene.makeManager()
            try await scene.store.fail(.products, times: 1)
            let observed = try await scene.observed(by: manager) {
                await manager.loadProducts()
                await manager.loadProducts()
            }
            #expect(observed.events.storeSnapshots == ["failed: unavailable", "unknown: atlantis"])
            #expect(observed.notifications(.vitrineProductsDidUpdate).map { $0.error.isEmpty } == [false, true])
        },
    ]
}

/// Delivery handler that records the products that it delivers.
private struct Counter: DeliveryHandler {
    let delivered = Recorder<String>()
    var decision = DeliveryDecision.delivered

    func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision {
        delivered.record(transaction.payload.productIdentifier.name)
        return decision
    }
}
