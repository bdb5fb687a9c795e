import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Purchases that the store knows on a device whose ledger has none of them.
@Suite(.hangLimit) struct KnownPurchasesTests: ManagerScene {
    let voyager: VoyagerStore
    let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    private func purchases(of manager: CatalogManager) async throws -> [String] {
        try await manager.ledger.history().filter { $0.fact.kind == .purchase }
            .compactMap { $0.fact.origin?.productIdentifier.name }
    }

    private func found(_ events: [CatalogEvent]) -> [[String]] {
        events.compactMap { event in
            if case .restore(.found(let result)) = event { result.restored.map(\.name) } else { nil }
        }
    }

    @Test func `a new installation owns what was bought before, offers none of it, and reports it once`() async throws {
        for name in ["lisbon", "rome", "coins50"] { try await buyElsewhere(name) }
        try await buyElsewhere("vienna")
        try await voyager.store.refund("4")
        let manager = try await makeManager()
        #expect(manager.ownership(of: .voyager("porto")) == .unknown(.noCatalog))
        let events = try await events(of: manager) { await manager.loadProducts() }

        #expect(found(events) == [["lisbon", "rome"]])
        #expect(manager.ownedProducts == ["lisbon", "rome"].map(String.voyager))
        #expect(try listing("lisbon", of: manager).offer == .notOffered(.alreadyOwned))
        #expect(manager.ownership(of: .voyager("vienna")) == .notOwned)
        #expect(try listing("vienna", of: manager).isOffered)
        #expect(manager.purchases.revocations(of: .voyager("vienna")).count == 1)
        #expect(manager.wallets.balance(for: "coins") == .known(0))
        #expect(manager.content.downloads.isEmpty)

        let next = try await makeManager()
        let later = try await self.events(of: next) { await next.loadProducts() }
        #expect(found(later) == [])
        #expect(try await purchases(of: next) == ["lisbon", "rome"])
    }

    @Test func `the list of purchases is read once in each launch, and what is recorded already is not announced`()
        async throws
    {
        try await buyElsewhere("lisbon")
        let (reads, base) = (Recorder<Void>(), voyager.store)
        var store = InterceptedStore(base)
        store.onKnownTransactions = { () throws(StoreError) in
            reads.record(())
            return try await base.knownTransactions()
        }
        for launch in 1...3 {
            let manager = try await makeManager(store: store)
            let events = try await events(of: manager) {
                await manager.loadProducts()
                await manager.loadProducts()
            }
            #expect(found(events) == (launch == 1 ? [["lisbon"]] : []))
            #expect(manager.ownedProducts == [.voyager("lisbon")])
            #expect(try await purchases(of: manager) == ["lisbon"])
            #expect(reads.values.count == launch)
        }
    }

    /// What happens to a purchase while the app is not running.
    enum Change: String, CaseIterable, CustomTestStringConvertible {
        case bought, refunded, refundReversed

        var testDescription: String { rawValue }
    }

    @Test(arguments: Change.allCases)
    func `a purchase of another device, its refund and a reversed refund while the app is closed are read at launch`(
        _ change: Change
    ) async throws {
        if change != .bought { try await buyElsewhere("lisbon") }
        if change == .refundReversed { try await voyager.store.refund("1") }
        let first = try await makeManager()
        await first.loadProducts()
        #expect(first.ownership(of: .voyager("lisbon")).isOwned == (change == .refunded))
        await first.stop()
        switch change {
        case .bought: try await buyElsewhere("lisbon")
        case .refunded: try await voyager.store.refund("1")
        case .refundReversed: try await voyager.store.reverseRefund("1")
        }

        let (listed, launched, base) = (Recorder<Bool>(), Recorder<CatalogManager>(), voyager.store)
        var store = InterceptedStore(base)
        store.onKnownTransactions = { () throws(StoreError) in
            listed.record(launched.values.last?.listing.contains(where: \.isOffered) ?? false)
            guard listed.values.count > 1 else { throw StoreError(code: .unavailable, reason: "no list") }
            return try await base.knownTransactions()
        }
        // The store sends nothing by itself.
        store.onUnfinished = { () throws(StoreError) in [] }
        let second = try await makeManager(store: store)
        launched.record(second)
        let events = try await events(of: second) { () async throws in
            await second.loadProducts()
            // A list that cannot be read holds nothing back, and is read with the next load.
            #expect(try listing("porto", of: second).isOffered)
            await second.loadProducts()
            await second.loadProducts()
        }
        #expect(second.ownership(of: .voyager("lisbon")).isOwned == (change != .refunded))
        #expect(found(events) == [change == .refunded ? [] : ["lisbon"]])
        #expect(events.filter { if case .loading(.purchasesFailed) = $0 { true } else { false } }.count == 1)
        // Products are offered before the list is read.
        #expect(listed.values == [true, true])
    }

    @Test func `the refund of a consumable while the app is closed takes its units at launch, once`() async throws {
        let first = try await makeManager()
        await first.loadProducts()
        #expect(await buy("coins50", with: first) == "charged")
        #expect(first.wallets.balance(for: "coins") == .known(50))
        await first.stop()
        try await voyager.store.refund("1")

        // The store sends nothing by itself.
        var store = InterceptedStore(voyager.store)
        store.onUnfinished = { () throws(StoreError) in [] }
        for launch in 1...2 {
            let manager = try await makeManager(store: store)
            let events = try await events(of: manager) { await manager.loadProducts() }
            #expect(manager.wallets.balance(for: "coins") == .known(0))
            let revoked = events.compactMap { event in
                if case .restore(.found(let result)) = event { result.revoked.map(\.name) } else { nil }
            }
            #expect(revoked == (launch == 1 ? [["coins50"]] : []))
        }
    }

    @Test func `a ledger from a backup is completed from the store on a new device, and keeps its balances`()
        async throws
    {
        let first = try await makeManager()
        await first.loadProducts()
        for name in ["lisbon", "coins50"] { #expect(await buy(name, with: first) == "charged") }
        await first.stop()
        try await buyElsewhere("rome")
        // A backup has neither the files that are downloaded again nor the identifier of the installation.
        for name in ["Cache", "HostedContent", "Installation"] {
            let excluded = folder["home/\(name)"]
            guard FileManager.default.fileExists(atPath: excluded.path()) else { continue }
            try FileManager.default.removeItem(at: excluded)
        }

        let second = try await makeManager()
        let events = try await events(of: second) { await second.loadProducts() }
        #expect(found(events) == [["rome"]])
        #expect(second.ownedProducts == ["lisbon", "rome"].map(String.voyager))
        #expect(second.wallets.balance(for: "coins") == .known(50))
        #expect(try await purchases(of: second) == ["lisbon", "coins50", "rome"])
    }

    @Test(arguments: [(id: "the same", isRead: true), ("none", false), ("another", false), ("a damaged one", false)])
    func `products that may be owned are held back until the list is read, if the ledger names another installation`(
        id: String, isRead: Bool
    ) async throws {
        try await buyElsewhere("lisbon")
        let (isDown, base) = (Recorder<Bool>(), voyager.store)
        var store = InterceptedStore(base)
        store.onKnownTransactions = { () throws(StoreError) in
            guard isDown.values.last == false else { throw StoreError(code: .unavailable, reason: "no list") }
            return try await base.knownTransactions()
        }
        for launch in 1...3 {
            isDown.record(launch == 2)
            let manager = try await makeManager(store: store)
            await manager.loadProducts()
            #expect(manager.ownedProducts == [.voyager("lisbon")])
            #expect(try listing("porto", of: manager).isOffered == (launch != 2 || isRead))
            await manager.stop()
            guard launch == 1 else { continue }
            switch id {
            case "none": try FileManager.default.removeItem(at: folder["home/Installation"])
            case "another": try folder.write(Data(UUID().uuidString.utf8), to: "home/Installation/identifier")
            case "a damaged one": try folder.write(Data([0xFF]), to: "home/Installation/identifier")
            default: break
            }
        }
    }

    @Test func `purchases that cannot be noted as read, because the installation has no identifier, are read again`()
        async throws
    {
        try await buyElsewhere("lisbon")
        try folder.write(Data(), to: "home/Installation")
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(try listing("porto", of: manager).offer == .notOffered(.purchasesNotRead))
        #expect(manager.catalog.lastRequestError?.word == "purchases storage")

        try FileManager.default.removeItem(at: folder["home/Installation"])
        await manager.loadProducts()
        #expect(try listing("porto", of: manager).isOffered)
    }

    @Test func `a product that the family shares is owned in a new installation`() async throws {
        try await voyager.store.share(.voyager("lisbon"))
        for transaction in try await voyager.store.unfinishedTransactions() {
            try await voyager.store.finish(transaction)
        }
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(manager.ownedProducts == [.voyager("lisbon")])
    }

    @Test func `an unfinished purchase of a consumable is credited once in a new installation`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        let manager = try await makeManager()
        for _ in 1...2 {
            await manager.loadProducts()
            #expect(manager.wallets.balance(for: "coins") == .known(50))
        }
    }

    @Test func `an unfinished purchase that cannot be verified yet holds back what may be owned`() async throws {
        _ = try await voyager.store.purchase(.voyager("iberia"), quantity: 1)
        let isDown = Recorder<Bool>()
        isDown.record(true)
        let manager = try await makeManager {
            $0.purchases.hooks = AppHooks(verification: { _ in
                isDown.values.last == true ? .undetermined("the server is down") : .verified
            })
        }
        await manager.loadProducts()
        #expect(manager.ownership(of: .voyager("porto")) == .unknown(.purchasesNotRead))
        #expect(await buy("porto", with: manager) != "charged")

        isDown.record(false)
        await manager.loadProducts()
        #expect(manager.ownership(of: .voyager("porto")).isOwned)
        #expect(try await voyager.store.transactions().count == 1)
    }

    @Test func `a purchase whose product the catalog declared otherwise is read again under a corrected catalog`()
        async throws
    {
        func catalog(_ kind: ProductKind) -> CatalogSource {
            .catalog(
                Catalog(products: [
                    CatalogProduct(identifier: .voyager("iberia"), kind: kind, childProducts: [.voyager("porto")]),
                    CatalogProduct(identifier: .voyager("porto"), kind: .nonConsumable),
                ]))
        }
        try await buyElsewhere("iberia")
        for (kind, isOwned) in [(ProductKind.autoRenewableSubscription, false), (.nonConsumable, true)] {
            let manager = try await makeManager(catalog: catalog(kind))
            await manager.loadProducts()
            #expect(manager.ownership(of: .voyager("porto")).isOwned == isOwned)
            await manager.stop()
        }
    }

    @Test func `without a network, products that may be owned are not known and not sold until the store is reached`()
        async throws
    {
        try await buyElsewhere("lisbon")
        try await voyager.store.setOffline(true)
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(manager.ownership(of: .voyager("porto")) == .unknown(.purchasesNotRead))
        #expect(await buy("lisbon", with: manager) == "not-offered")

        try await voyager.store.setOffline(false)
        await manager.loadProducts()
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(manager.ownership(of: .voyager("porto")) == .notOwned)
        #expect(await buy("porto", with: manager) == "charged")
    }

    @Test func `a list that cannot be read leaves only consumables for sale, and is read again before a purchase`()
        async throws
    {
        try await buyElsewhere("lisbon")
        let (isDown, base) = (Recorder<Bool>(), voyager.store)
        isDown.record(true)
        var store = InterceptedStore(base)
        store.onKnownTransactions = { () throws(StoreError) in
            guard isDown.values.last == false else { throw StoreError(code: .unavailable, reason: "no list") }
            return try await base.knownTransactions()
        }
        let manager = try await makeManager(store: store)
        let events = manager.events()
        #expect(await manager.loadProducts() == .productsLoaded)
        #expect(manager.catalog.lastRequestError?.word == "purchases unavailable")
        #expect(manager.catalog.nextLoad == voyager.clock.now + 15)
        for name in ["lisbon", "porto", "iberia"] {
            #expect(try listing(name, of: manager).offer == .notOffered(.purchasesNotRead))
        }
        #expect(try listing("coins50", of: manager).isOffered)
        guard case .failed(let failure) = await manager.purchase(.voyager("lisbon")) else {
            Issue.record("it was sold")
            return
        }
        #expect((failure.code, failure.reason) == (.store, "no list"))
        #expect(await buy("coins50", with: manager) == "charged")

        isDown.record(false)
        #expect(await buy("porto", with: manager) == "charged")
        #expect(manager.ownedProducts == ["lisbon", "porto"].map(String.voyager))
        #expect(await buy("lisbon", with: manager) == "not charged again")
        await manager.stop()
        let failures = await events.all().filter { if case .loading(.purchasesFailed) = $0 { true } else { false } }
        #expect(failures.count == 2)
    }

    @Test func `a list with a purchase that cannot be verified yet is read again, and recorded once`() async throws {
        for name in ["lisbon", "porto"] { try await buyElsewhere(name) }
        let isUp = Recorder<Void>()
        let manager = try await makeManager {
            $0.purchases.hooks = AppHooks(verification: { signed in
                isUp.values.isEmpty && signed.payload.productIdentifier == .voyager("porto")
                    ? .undetermined("the server is away") : .verified
            })
        }
        await manager.loadProducts()
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(try listing("porto", of: manager).offer == .notOffered(.purchasesNotRead))
        #expect(manager.catalog.lastRequestError?.word == "purchases unavailable")

        isUp.record(())
        await manager.loadProducts()
        #expect(manager.catalog.lastRequestError == nil)
        #expect(try await purchases(of: manager).sorted() == ["lisbon", "porto"])
        #expect(try listing("vienna", of: manager).isOffered)
    }

    @Test func `an app that ends before it has noted that the list was read, reads it again and records nothing twice`()
        async throws
    {
        for name in ["lisbon", "porto"] { try await buyElsewhere(name) }
        let (base, isFull) = (MemoryLedger(), Recorder<Bool>())
        isFull.record(true)
        var ledger = InterceptedLedger(base)
        ledger.before = { call throws(LedgerError) in
            guard call == "setValue", isFull.values.last == true else { return }
            throw LedgerError(code: .unavailable, reason: "the process has ended")
        }
        let first = try await makeManager(ledger: ledger) { _ in }
        await first.loadProducts()
        #expect(first.ownedProducts == ["lisbon", "porto"].map(String.voyager))
        #expect(try listing("vienna", of: first).offer == .notOffered(.purchasesNotRead))
        await first.stop()

        isFull.record(false)
        let second = try await makeManager(ledger: ledger) { _ in }
        await second.loadProducts()
        #expect(try listing("vienna", of: second).isOffered)
        #expect(try await purchases(of: second) == ["lisbon", "porto"])
    }

    @Test func `a purchase of a product that the catalog lacked is recorded as soon as the catalog contains it`()
        async throws
    {
        for name in ["lisbon", "porto"] { try await buyElsewhere(name) }
        let porto = CatalogProduct(identifier: .voyager("porto"), kind: .nonConsumable)
        let first = try await makeManager(catalog: .catalog(Catalog(products: [porto])))
        await first.loadProducts()
        #expect(first.ownedProducts == [.voyager("porto")])
        #expect(first.ledger.ownershipUnknownReason == nil)
        await first.stop()

        let second = try await makeManager()
        await second.loadProducts()
        #expect(second.ownedProducts == ["lisbon", "porto"].map(String.voyager))
        #expect(try listing("vienna", of: second).isOffered)
    }

    @Test(arguments: ["arrives", "is restored"])
    func `a purchase under a catalog that lacks its product is recorded later, although another device has finished it`(
        _ way: String
    ) async throws {
        let porto = CatalogProduct(identifier: .voyager("porto"), kind: .nonConsumable)
        let first = try await makeManager(catalog: .catalog(Catalog(products: [porto])))
        await first.loadProducts()
        if way == "arrives" {
            let bought = try #require(try await voyager.store.purchase(.voyager("lisbon"), quantity: 1).transaction)
            await first.purchases.deliverUnfinished()
            #expect(await first.purchases.pending().map(\.id) == [bought.id])
            try await voyager.store.finish(bought)
        } else {
            try await buyElsewhere("lisbon")
            #expect(try await first.restore().failed.count == 1)
        }
        await first.stop()

        let second = try await makeManager()
        await second.loadProducts()
        #expect(second.ownedProducts == [.voyager("lisbon")])
        #expect(try listing("vienna", of: second).isOffered)
    }

    @Test func `a purchase whose type this version does not know is noted with it, and holds nothing back`()
        async throws
    {
        let (app, ledger) = (try SignedApp(), MemoryLedger())
        let rental = StoreTransaction(
            id: "1",
            signedData: try app.transaction("lisbon", id: "1", kind: SignedProductKind(rawValue: "Rental")))
        var store = InterceptedStore(voyager.store)
        store.onKnownTransactions = { () throws(StoreError) in [rental] }
        store.onSubscriptionTransactions = { () throws(StoreError) in [] }
        for _ in 1...2 {
            let manager = try await makeManager(store: store, verifier: app.verifier(), ledger: ledger) { _ in }
            await manager.loadProducts()
            #expect(try listing("vienna", of: manager).isOffered)
            await manager.stop()
        }

        let known = try #require(try await StoredJSON.knownPurchases.value(in: ledger))
        #expect(known.missingProducts == [.voyager("lisbon"): "Rental"])
    }

    @Test func `a purchase whose type an earlier version did not know is read by a version that knows it`() async throws
    {
        try await buyElsewhere("lisbon")
        let ledger = MemoryLedger()
        let known = KnownPurchases(missingProducts: [.voyager("lisbon"): "Non-Consumable"])
        try await StoredJSON.knownPurchases.store(known, in: ledger)
        let manager = try await makeManager(ledger: ledger) { _ in }
        let events = try await events(of: manager) { await manager.loadProducts() }

        #expect(found(events) == [["lisbon"]])
        #expect(manager.ownedProducts == [.voyager("lisbon")])
    }

    @Test func `a restore reads the purchases of a store whose list on the device cannot be read`() async throws {
        try await buyElsewhere("lisbon")
        var store = InterceptedStore(voyager.store)
        store.onKnownTransactions = { () throws(StoreError) in throw StoreError(code: .unavailable, reason: "no list") }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        #expect(try listing("porto", of: manager).offer == .notOffered(.purchasesNotRead))

        #expect(try await manager.restore().restored == [.voyager("lisbon")])
        #expect(try listing("porto", of: manager).isOffered)
    }
}
