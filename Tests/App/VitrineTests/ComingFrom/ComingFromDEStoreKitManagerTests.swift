import Testing
import Vitrine
import VitrineCatalog
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

@Suite(.hangLimit) struct ComingFromDEStoreKitManagerTests {
    @Test(arguments: cases)
    func `the replacement of each symbol of the DEStoreKitManager library behaves as the migration article states`(
        _ row: ComingFromCase
    )
        async throws
    {
        try await row.exercise(ComingFromScene())
    }

    static let cases: [ComingFromCase] = delegate + cache + calls

    private static let lisbon = String.voyager("lisbon")

    private static let delegate: [ComingFromCase] = [
        ComingFromCase("DEStoreKitManagerDelegate") { @MainActor scene in
            let manager = try await scene.loadedManager()
            var delegate: PlainListener? = PlainListener()
            #expect(manager.purchase(lisbon, delegate: try #require(delegate)))
            #expect(await delegate?.next() == "succeeded")
            weak let retained = delegate
            delegate = nil
            await letTasksRun { retained == nil }
            #expect(retained == nil)
        },
        ComingFromCase("localizedPrice") { scene in
            let manager = try await scene.loadedManager()
            #expect(try scene.listing("lisbon", of: manager).displayPrice == "$4.99")
            #expect(manager.catalog.displayPrice(for: lisbon) == "$4.99")
        },
        ComingFromCase("productsFetched:invalidIdentifiers:") { scene in
            let (manager, delegate) = (try await scene.makeManager(), await CallListener())
            manager.catalog.fetchProducts(["lisbon", "nothing"].map(String.voyager), delegate: delegate)
            #expect(await delegate.next() == #"fetched ["lisbon"], not ["nothing"]"#)
        },
        ComingFromCase("productsFetchFailed:") { scene in
            let (manager, delegate) = (try await scene.makeManager(), await CallListener())
            try await scene.store.fail(.products)
            manager.catalog.fetchProducts([lisbon], delegate: delegate)
            #expect(await delegate.next() == "not fetched: unavailable")
        },
        ComingFromCase("transactionSucceeded:") { scene in
            try await expect("succeeded lisbon", in: scene)
        },
        ComingFromCase("transactionRestored:") { scene in
            let (manager, delegate, plain) = (
                try await scene.loadedManager(), await CallListener(), PlainListener()
            )
            #expect(await scene.buy("lisbon", with: manager) == "charged")
            #expect(manager.purchase(lisbon, delegate: delegate))
            #expect(await delegate.next() == "restored lisbon")
            #expect(manager.purchase(lisbon, delegate: plain))
            #expect(await plain.next() == "succeeded")
        },
        ComingFromCase("transactionFailed:") { scene in
            try await scene.store.fail(.notAvailable)
            try await expect("failed not-available", in: scene)
        },
        ComingFromCase("transactionCanceled:") { scene in
            try await scene.store.fail(.cancelled)
            try await expect("cancelled", in: scene)
            let (manager, plain) = (try await scene.loadedManager(), PlainListener())
            #expect(manager.purchase(lisbon, delegate: plain))
            #expect(await plain.next() == "failed cancelled")
        },
        ComingFromCase("transactionNeedsVerification:") { scene in
            let delegate = await CallListener(verdict: .rejected("not this one"))
            try await expect("failed rejected", delegate, in: scene)
            #expect(await delegate.asked == ["lisbon"])
            #expect(try await scene.store.unfinishedTransactions().count == 1)
        },
        ComingFromCase("restorationSucceeded:invalidTransactions:") { scene in
            try await scene.buyElsewhere("lisbon")
            let base = scene.store
            var store = scene.voyager.unlisted
            store.onRestore = { () throws(StoreError) in
                try await base.restore() + [StoreTransaction(id: "99", signedData: "forged")]
            }
            let (manager, delegate) = (try await scene.loadedManager(store: store), await CallListener())
            manager.restore(delegate: delegate)
            #expect(await delegate.next() == #"restore: ["lisbon"], had []"#)
            #expect(await delegate.restored?.failed.map(\.transactionID) == ["99"])
        },
        ComingFromCase("restorationFailed:") { scene in
            let (manager, delegate) = (try await scene.loadedManager(), await CallListener())
            try await scene.store.fail(.restore)
            manager.restore(delegate: delegate)
            #expect(await delegate.next() == "not restored: unavailable")
        },
        ComingFromCase("restorationNeedsVerification:") { scene in
            for name in ["lisbon", "porto"] { try await scene.buyElsewhere(name) }
            let manager = try await scene.loadedManager(store: scene.voyager.unlisted)
            let delegate = await CallListener(verdict: .rejected("not these"))
            manager.restore(delegate: delegate)
            #expect(await delegate.next() == "restore: [], had []")
            #expect(await delegate.asked.sorted() == ["lisbon", "porto"])
            #expect(manager.ownedProducts.isEmpty)
        },
    ]

    private static let cache: [ComingFromCase] = [
        ComingFromCase("sharedManager") { scene in
            let (one, other) = (try await scene.loadedManager(), try await ComingFromScene().loadedManager())
            #expect(await scene.buy("lisbon", with: one) == "charged")
            #expect(one.ownedProducts == [lisbon])
            #expect(other.ownedProducts.isEmpty)
        },
        ComingFromCase("canMakePurchases") { scene in
            try await scene.store.setPaymentRestriction("a profile forbids it")
            let manager = try await scene.loadedManager()
            #expect(
                try scene.listing("lisbon", of: manager).offer
                    == .notOffered(.purchasesNotAllowed("a profile forbids it")))
            #expect(await scene.store.paymentRestriction() == "a profile forbids it")
        },
        ComingFromCase("cachedProductWithIdentifier:") { scene in
            let manager = try await scene.makeManager()
            #expect(manager.catalog.storeProduct(for: lisbon) == nil)
            await manager.loadProducts()
            #expect(manager.catalog.storeProduct(for: lisbon)?.displayName == "Lisbon Guide")
        },
        ComingFromCase("removeProductsFromCache:") { scene in
            let manager = try await scene.loadedManager()
            await manager.catalog.removeFromCache([lisbon])
            #expect(manager.catalog.storeProduct(for: lisbon) == nil)
            #expect(manager.catalog.storeProducts.count == 10)
        },
        ComingFromCase("removeAllProductsFromCache") { scene in
            let manager = try await scene.loadedManager()
            await manager.catalog.removeAllFromCache()
            #expect(manager.catalog.storeProducts.isEmpty)
        },
        ComingFromCase("fetchProductsWithIdentifiers:delegate:") { scene in
            let (manager, delegate) = (try await scene.emptyManager(), await CallListener())
            manager.catalog.fetchProducts([lisbon], delegate: delegate)
            #expect(await delegate.next() == #"fetched ["lisbon"], not []"#)
            #expect(manager.catalog.storeProduct(for: lisbon)?.displayPrice == "$4.99")
        },
        ComingFromCase("fetchProductsWithIdentifiers:delegate:cacheResult:") { scene in
            let (manager, delegate) = (try await scene.emptyManager(), await CallListener())
            manager.catalog.fetchProducts([lisbon], cachesResult: false, delegate: delegate)
            #expect(await delegate.next() == #"fetched ["lisbon"], not []"#)
            #expect(manager.catalog.storeProduct(for: lisbon) == nil)
        },
        ComingFromCase("fetchProductsWithIdentifiers:onSuccess:onFailure:") { scene in
            let (manager, call) = (try await scene.emptyManager(), await CallListener())
            fetch(with: manager, call)
            #expect(await call.next() == #"fetched ["lisbon"], not []"#)
            #expect(manager.catalog.storeProduct(for: lisbon)?.displayPrice == "$4.99")
            try await scene.store.fail(.products)
            fetch(with: manager, call)
            #expect(await call.next() == "not fetched: unavailable")
        },
        ComingFromCase("fetchProductsWithIdentifiers:onSuccess:onFailure:cacheResult:") { scene in
            let (manager, call) = (try await scene.emptyManager(), await CallListener())
            fetch(with: manager, cachesResult: false, call)
            #expect(await call.next() == #"fetched ["lisbon"], not []"#)
            #expect(manager.catalog.storeProduct(for: lisbon) == nil)
        },
    ]

    private static let calls: [ComingFromCase] = [
        ComingFromCase("purchaseProductWithIdentifier:delegate:") { scene in
            let (manager, delegate) = (try await scene.loadedManager(), await CallListener())
            #expect(!manager.purchase(.voyager("nothing"), delegate: delegate))
            #expect(manager.purchase(lisbon, delegate: delegate))
            #expect(await delegate.next() == "succeeded lisbon")
            #expect(manager.ownedProducts == [lisbon])
        },
        ComingFromCase("purchaseProduct:delegate:") { scene in
            let (manager, delegate) = (try await scene.makeManager(), await CallListener())
            let fetched = try await manager.catalog.fetchProducts([.voyager("coins50")], cachesResult: false)
            let product = try #require(fetched.products.first)
            manager.purchase(product: product, options: PurchaseOptions(quantity: 2), delegate: delegate)
            #expect(await delegate.next() == "succeeded coins50")
            #expect(manager.wallets.balance(for: "coins").units == 100)
        },
        ComingFromCase("purchaseProductWithIdentifier:onSuccess:onRestore:onFailure:onCancel:onVerify:") { scene in
            let (manager, call) = (try await scene.loadedManager(), await CallListener())
            var handlers = await call.handlers
            for word in ["succeeded lisbon", "restored lisbon"] {
                #expect(manager.purchase(lisbon, handlers: handlers))
                #expect(await call.next() == word)
            }
            handlers.onVerify = { _ in .rejected("not this one") }
            #expect(manager.purchase(.voyager("porto"), handlers: handlers))
            #expect(await call.next() == "failed rejected")
            try await scene.store.fail(.cancelled)
            #expect(manager.purchase(.voyager("vienna"), handlers: handlers))
            #expect(await call.next() == "cancelled")
        },
        ComingFromCase("purchaseProduct:onSuccess:onRestore:onFailure:onCancel:onVerify:") { scene in
            let (manager, call) = (try await scene.makeManager(), await CallListener())
            let product = try #require(try await manager.catalog.fetchProducts([lisbon]).products.first)
            manager.purchase(product: product, handlers: await call.handlers)
            #expect(await call.next() == "succeeded lisbon")
        },
        ComingFromCase("restorePreviousPurchasesWithDelegate:") { scene in
            try await scene.buyElsewhere("lisbon")
            let (manager, delegate) = (
                try await scene.loadedManager(store: scene.voyager.unlisted), await CallListener()
            )
            manager.restore(delegate: delegate)
            #expect(await delegate.next() == #"restore: ["lisbon"], had []"#)
            #expect(manager.ownedProducts == [lisbon])
        },
        ComingFromCase("restorePreviousPurchasesOnSuccess:onFailure:onVerify:") { scene in
            for name in ["lisbon", "porto"] { try await scene.buyElsewhere(name) }
            let (manager, call) = (try await scene.loadedManager(store: scene.voyager.unlisted), await CallListener())
            func restore() {
                manager.restore {
                    call.restoreSucceeded($0)
                } onFailure: {
                    call.restoreFailed($0)
                } onVerify: {
                    $0.payload.productIdentifier == lisbon ? .verified : .rejected("not this one")
                }
            }
            restore()
            #expect(await call.next() == #"restore: ["lisbon"], had []"#)
            try await scene.store.fail(.restore)
            restore()
            #expect(await call.next() == "not restored: unavailable")
        },
        ComingFromCase("cachedProducts") { scene in
            let manager = try await scene.makeManager(catalog: .catalog(Catalog(identifiers: [lisbon])))
            await manager.loadProducts()
            _ = try await manager.catalog.fetchProducts([.voyager("porto")])
            #expect(manager.catalog.storeProducts.map(\.identifier) == [lisbon])
        },
    ]

    /// Buys a guide, and expects that the delegate receives exactly one callback.
    private static func expect(
        _ word: String, _ delegate: CallListener? = nil, in scene: ComingFromScene,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let manager = try await scene.loadedManager()
        let delegate = if let delegate { delegate } else { await CallListener() }
        #expect(manager.purchase(lisbon, delegate: delegate), sourceLocation: sourceLocation)
        #expect(await delegate.next() == word, sourceLocation: sourceLocation)
        await manager.stop()
        #expect(await delegate.names == [word], sourceLocation: sourceLocation)
    }

    private static func fetch(with manager: CatalogManager, cachesResult: Bool = true, _ call: CallListener) {
        manager.catalog.fetchProducts([lisbon], cachesResult: cachesResult) {
            call.productsFetched($0.products, invalidIdentifiers: $0.invalidIdentifiers)
        } onFailure: {
            call.productsFetchFailed($0)
        }
    }
}

extension ComingFromScene {
    /// Returns a manager that has loaded its catalog but no products of the store.
    fileprivate func emptyManager() async throws -> CatalogManager {
        let manager = try await loadedManager()
        await manager.catalog.removeAllFromCache()
        return manager
    }
}
