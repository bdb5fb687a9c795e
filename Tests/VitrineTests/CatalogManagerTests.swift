import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import StoreSimulator
import TestSupport
import Testing
import Vitrine

@Suite struct CatalogManagerTests {
    private let voyager: VoyagerStore
    private let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    private func makeManager(
        catalog: CatalogSource = .file(Repository.sample("Voyager.plist")),
        store: (any Store)? = nil,
        languages: [String] = ["en"]
    ) async throws -> CatalogManager {
        let clock = voyager.clock
        return try await CatalogManager(
            catalog: catalog, store: store ?? voyager.store, verifier: voyager.verifier(),
            home: Home(url: folder["home"]), languages: languages, now: { clock.now })
    }

    private func buy(_ name: String, with manager: CatalogManager) async -> String {
        switch await manager.purchase(.voyager(name)) {
        case .success(_, let notChargedAgain): notChargedAgain ? "not charged again" : "charged"
        case .failed(let failure): "\(failure.code)"
        case .pending: "pending"
        case .cancelled: "cancelled"
        }
    }

    /// The events of what the body does.
    private func events(of manager: CatalogManager, during body: () async throws -> Void) async throws -> [CatalogEvent]
    {
        let stream = manager.events()
        try await body()
        await manager.stop()
        return await stream.reduce(into: []) { $0.append($1) }
    }

    private func listing(_ name: String, of manager: CatalogManager) throws -> ProductListing {
        try #require(manager.listing.first { $0.id == .voyager(name) })
    }

    // MARK: Loading

    @Test func `loading goes from 0 over 1 to 2, and reports what the store does not know`() async throws {
        let manager = try await makeManager()
        #expect(manager.status == .productsLoading)
        #expect(manager.listing.isEmpty)

        let events = try await events(of: manager) { #expect(await manager.loadProducts() == .productsLoaded) }
        #expect(events.statuses == [0, 1, 2])
        #expect(manager.status == .productsLoaded)
        #expect(manager.listing.map(\.id) == manager.catalog?.products.map(\.identifier))
        #expect(manager.products.count == 8)
        #expect(manager.invalidIdentifiers == [.voyager("atlantis")])
        #expect(try listing("atlantis", of: manager).offer == .notOffered(.unknownToStore))
    }

    @Test func `a catalog that cannot be read is status -1, and what was known stays`() async throws {
        let file = try folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "catalog.plist")
        let manager = try await makeManager(catalog: .file(file))
        await manager.loadProducts()
        let before = manager.listing
        try folder.write("<html>Not found</html>", to: "catalog.plist")

        let events = try await events(of: manager) { #expect(await manager.loadProducts() == .listLoadFailed) }
        #expect(events.statuses == [0, -1])
        #expect(manager.status.rawValue == -1)
        #expect(manager.listing == before)
        #expect(
            events.contains { if case .listFailed(let error) = $0 { error.code == .notAPropertyList } else { false } })
    }

    @Test func `a store that cannot be asked is status -2, and its last answer stays`() async throws {
        let (base, isDown) = (voyager.store, Recorder<Bool>())
        var store = InterceptedStore(base)
        store.onProducts = { identifiers async throws(StoreError) in
            guard isDown.values.isEmpty else { throw StoreError(code: .unavailable, reason: "no network") }
            return try await base.products(for: identifiers)
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        let before = manager.listing
        isDown.record(true)

        let events = try await events(of: manager) { #expect(await manager.loadProducts() == .productsLoadFailed) }
        #expect(events.statuses == [0, 1, -2])
        #expect(manager.listing == before)
        #expect(manager.products.count == 8)
    }

    @Test func `a store that never answered offers nothing, and lists everything`() async throws {
        var store = InterceptedStore(voyager.store)
        store.onProducts = { _ throws(StoreError) in throw StoreError(code: .unavailable, reason: "no network") }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()

        #expect(manager.listing.count == 9)
        #expect(manager.products.isEmpty)
        #expect(manager.listing.allSatisfy { $0.offer == .notOffered(.productsNotLoaded) })
        #expect(try listing("lisbon", of: manager).title == "Lisbon")
        #expect(await buy("lisbon", with: manager) == "not-offered")
    }

    @Test func `loads at the same time are one load`() async throws {
        let gate = Gate()
        let (base, calls) = (voyager.store, Recorder<Int>())
        var store = InterceptedStore(base)
        store.onProducts = { identifiers async throws(StoreError) in
            calls.record(identifiers.count)
            await gate.pass()
            return try await base.products(for: identifiers)
        }
        let manager = try await makeManager(store: store)
        async let first = manager.loadProducts()
        await gate.arrival()
        async let second = manager.loadProducts()
        await gate.open()

        #expect(await [first, second] == [.productsLoaded, .productsLoaded])
        #expect(calls.values == [9] || calls.values == [9, 9])
    }

    @Test func `a load after a load is another load`() async throws {
        let manager = try await makeManager()
        for _ in 0..<20 {
            async let first = manager.loadProducts()
            await manager.loadProducts()
            let again = manager.events()
            await manager.loadProducts()
            _ = await first
            var statuses: [Int] = []
            for await event in again {
                if case .statusChanged(let status) = event { statuses.append(status.rawValue) }
                if statuses.last == 2 { break }
            }
            #expect(statuses == [0, 1, 2])
        }
    }

    @Test func `what the store was never asked about is not said to be unknown to it`() async throws {
        let file = try folder.write(
            String(contentsOf: Repository.sample("ProductIDs.plist"), encoding: .utf8), to: "catalog.plist")
        let (base, isDown) = (voyager.store, Recorder<Bool>())
        var store = InterceptedStore(base)
        store.onProducts = { identifiers async throws(StoreError) in
            guard isDown.values.isEmpty else { throw StoreError(code: .unavailable, reason: "no network") }
            return try await base.products(for: identifiers)
        }
        let manager = try await makeManager(catalog: .file(file), store: store)
        await manager.loadProducts()
        isDown.record(true)
        try folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "catalog.plist")
        await manager.loadProducts()

        #expect(try listing("lisbon", of: manager).isOffered)
        #expect(try listing("coins50", of: manager).offer == .notOffered(.productsNotLoaded))
    }

    @Test func `a catalog that takes a child out of a bundle is told as a change of ownership`() async throws {
        let file = try folder.write(
            String(contentsOf: Repository.sample("Voyager.plist"), encoding: .utf8), to: "catalog.plist")
        let manager = try await makeManager(catalog: .file(file))
        await manager.loadProducts()
        _ = await buy("everything", with: manager)
        try folder.write(
            String(contentsOf: file, encoding: .utf8)
                .replacing(
                    "<string>com.example.voyager.iberia</string>\n\t\t\t<string>com.example.voyager.vienna</string>",
                    with: "<string>com.example.voyager.vienna</string>"),
            to: "catalog.plist")
        let events = try await events(of: manager) { await manager.loadProducts() }

        #expect(events.ownershipChanges == [["lisbon", "porto", "madrid", "iberia"].map(String.voyager)])
        #expect(manager.ownership(of: .voyager("vienna")).isOwned)
    }

    @Test func `errors in the catalog leave products out, and the rest is sold`() async throws {
        let catalog = Catalog(products: [
            CatalogProduct(identifier: .voyager("lisbon"), kind: .nonConsumable),
            CatalogProduct(identifier: .voyager("coins50"), kind: .consumable),
        ])
        let manager = try await makeManager(catalog: .catalog(catalog))
        await manager.loadProducts()

        #expect(manager.products.map(\.id) == [.voyager("lisbon")])
        #expect(await buy("coins50", with: manager) == "not-in-catalog")
    }

    // MARK: Listing

    @Test func `a listing merges catalog, store and ownership`() async throws {
        let manager = try await makeManager(languages: ["de-AT"])
        await manager.loadProducts()
        let guide = try listing("lisbon", of: manager)

        #expect(guide.kind == .nonConsumable)
        #expect(guide.title == "Lisbon Guide")
        #expect(guide.description == "Sieben Hügel, vierzig Spaziergänge und jede Straßenbahn.")
        #expect(guide.price == Decimal(string: "4.99"))
        #expect(guide.displayPrice == "$4.99")
        #expect(guide.currencyCode == "USD")
        #expect(guide.ownership == .notOwned)
        #expect(guide.isOffered)
        #expect(try listing("atlantis", of: manager).price == nil)
        #expect(try listing("atlantis", of: manager).title == "Atlantis")
    }

    @Test func `identifiers alone become products with the store's kinds`() async throws {
        let manager = try await makeManager(
            catalog: .catalog(Catalog(identifiers: ["lisbon", "coins50"].map(String.voyager))))
        await manager.loadProducts()

        #expect(try listing("lisbon", of: manager).kind == .nonConsumable)
        #expect(try listing("lisbon", of: manager).isOffered)
        #expect(try listing("coins50", of: manager).offer == .notOffered(.noWallet))
        #expect(await buy("lisbon", with: manager) == "charged")
    }

    @Test func `what this version cannot deliver is not offered`() async throws {
        let manager = try await makeManager(
            catalog: .catalog(
                Catalog(products: [
                    CatalogProduct(identifier: .voyager("lisbon"), kind: .nonConsumable, isHosted: true),
                    CatalogProduct(identifier: .voyager("porto"), kind: .autoRenewableSubscription),
                    CatalogProduct(identifier: .voyager("coins50"), kind: .nonConsumable),
                ])))
        await manager.loadProducts()

        #expect(try listing("lisbon", of: manager).offer == .notOffered(.notSupported))
        #expect(
            try listing("porto", of: manager).offer
                == .notOffered(.kindMismatch(catalog: .autoRenewableSubscription, store: .nonConsumable)))
        #expect(
            try listing("coins50", of: manager).offer
                == .notOffered(.kindMismatch(catalog: .nonConsumable, store: .consumable)))
        #expect(manager.products.isEmpty)
    }

    @Test func `a multipack leaves the offer once maxChildren of its guides are owned`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await buy("lisbon", with: manager) == "charged")
        #expect(try listing("iberia", of: manager).isOffered)
        #expect(await buy("madrid", with: manager) == "charged")

        #expect(
            try listing("iberia", of: manager).offer
                == .notOffered(.enoughChildrenOwned(owned: 2, children: 3, limit: 2)))
        #expect(await buy("iberia", with: manager) == "not-offered")
        #expect(try await voyager.store.transactions().count == 2)
    }

    // MARK: Buying

    @Test func `everything is owned because of its bundle, through two levels`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        let events = try await events(of: manager) {
            #expect(await buy("everything", with: manager) == "charged")
        }

        #expect(
            events.ownershipChanges
                == [["lisbon", "porto", "madrid", "vienna", "iberia", "everything"].map(String.voyager)])
        #expect(manager.ownership(of: .voyager("madrid")) == .owned(because: [.bundle(identifier: .voyager("iberia"))]))
        #expect(
            manager.ownership(of: .voyager("iberia")) == .owned(because: [.bundle(identifier: .voyager("everything"))]))
        #expect(
            manager.ownership(of: .voyager("everything"))
                == .owned(because: [.transaction(id: "1", purchaseDate: voyager.clock.now)]))
        #expect(await buy("madrid", with: manager) == "already-owned")
        #expect(try await voyager.store.transactions().count == 1)
    }

    @Test func `what its own transaction owns goes to the store, which charges nothing`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()

        #expect(await buy("lisbon", with: manager) == "charged")
        #expect(try listing("lisbon", of: manager).offer == .notOffered(.alreadyOwned))
        #expect(await buy("lisbon", with: manager) == "not charged again")
        #expect(try await voyager.store.transactions().count == 1)
    }

    @Test(
        arguments: [("coins50", 0), ("coins50", 11), ("lisbon", 2)]
    )
    func `a quantity that cannot be is refused before the store is asked`(name: String, quantity: Int) async throws {
        var store = InterceptedStore(voyager.store)
        store.onPurchase = { _, _ throws(StoreError) in
            Issue.record("the store was asked")
            return .cancelled
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        guard case .failed(let failure) = await manager.purchase(.voyager(name), quantity: quantity) else {
            Issue.record("it was not refused")
            return
        }
        #expect(failure.code == .invalidQuantity)
    }

    @Test func `before anything is loaded a purchase is refused`() async throws {
        #expect(await buy("lisbon", with: try await makeManager()) == "not-offered")
    }

    @Test func `coins are credited, spent once for each token, and never overdrawn`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        _ = await manager.purchase(.voyager("coins50"), quantity: 2)
        #expect(manager.walletBalance(for: "coins") == 100)

        #expect(try await manager.spend(30, from: "coins", token: "map") == 70)
        #expect(try await manager.spend(30, from: "coins", token: "map") == 70)
        await #expect(throws: LedgerError.self) { try await manager.spend(71, from: "coins", token: "other") }
        await #expect(throws: LedgerError.self) { try await manager.spend(1, from: "rubies", token: "third") }
        #expect(manager.walletBalances == ["coins": 70])
        #expect(manager.walletBalance(for: "rubies") == 0)
    }

    @Test func `a gift is owned, and explains itself`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        try await manager.unlock(.voyager("atlantis"), because: "found it")
        try await manager.unlock(.voyager("atlantis"), because: "found it again")

        #expect(
            manager.ownership(of: .voyager("atlantis"))
                == .owned(because: [.grant(reason: "found it", date: voyager.clock.now)]))
        await #expect(throws: UnlockError.self) { try await manager.unlock("no.such.product") }
        await #expect(throws: UnlockError.self) { try await manager.unlock(.voyager("coins50")) }
    }

    // MARK: Launches

    @Test func `what is owned is known at the next launch before anything is loaded`() async throws {
        let first = try await makeManager()
        await first.loadProducts()
        _ = await buy("everything", with: first)
        let second = try await makeManager()

        #expect(second.ownership(of: .voyager("everything")).isOwned)
        #expect(second.ownership(of: .voyager("madrid")) == .unknown(.noCatalog))
        let events = try await events(of: second) { await second.loadProducts() }
        #expect(events.ownershipChanges.count == 1)
        #expect(second.ownership(of: .voyager("madrid")).isOwned)
    }

    @Test func `a purchase that was paid for and never seen is delivered by the next launch`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins500"), quantity: 1)
        let manager = try await makeManager(store: voyager.reopened())
        await manager.loadProducts()

        #expect(manager.walletBalance(for: "coins") == 500)
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
    }

    @Test func `a transaction that comes before the catalog waits for it`() async throws {
        let manager = try await makeManager()
        let stream = manager.events()
        try await voyager.store.purchaseElsewhere(.voyager("lisbon"))
        _ = await stream.first {
            if case .transactionUpdated(.waiting) = $0 { true } else { false }
        }
        #expect(!manager.ownership(of: .voyager("lisbon")).isOwned)

        await manager.loadProducts()
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
    }

    @Test func `a new home gets back what the store can restore`() async throws {
        let first = try await makeManager()
        await first.loadProducts()
        _ = await buy("iberia", with: first)
        _ = await buy("coins50", with: first)
        let clock = voyager.clock
        let second = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: voyager.store, verifier: voyager.verifier(),
            home: Home(url: folder["new home"]), now: { clock.now })
        await second.loadProducts()
        #expect(second.ownedProducts.isEmpty)

        #expect(try await second.restore().restored == [.voyager("iberia")])
        #expect(second.ownership(of: .voyager("porto")).isOwned)
        #expect(second.walletBalance(for: "coins") == 0)
    }

    @Test func `two managers on one home agree`() async throws {
        let (one, other) = (try await makeManager(), try await makeManager())
        await one.loadProducts()
        await other.loadProducts()
        _ = await buy("everything", with: one)

        #expect(await buy("lisbon", with: other) == "already-owned")
        #expect(other.ownership(of: .voyager("lisbon")).isOwned)
    }

    @Test func `a home that cannot be made is told`() async throws {
        try folder.write("a file", to: "home")
        let error = await #expect(throws: LedgerError.self) { try await makeManager() }
        #expect(error?.code == .unavailable)
    }

    // MARK: Events

    @Test func `a purchase is told step by step, to every listener alike`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        let other = manager.events()
        let events = try await events(of: manager) { _ = await buy("coins50", with: manager) }

        let owned = manager.walletBalance(for: "coins")
        #expect(owned == 50)
        let words = [
            "received", "verified", "recorded", "wallet coins: 50", "finished", "answered",
        ]
        #expect(events.map(\.word) == words)
        #expect(await other.reduce(into: []) { $0.append($1.word) } == words)
    }

    @Test func `after stop nothing more is told`() async throws {
        let manager = try await makeManager()
        await manager.stop()

        #expect(await manager.events().first { _ in true } == nil)
    }
}

extension [CatalogEvent] {
    fileprivate var statuses: [Int] {
        compactMap { if case .statusChanged(let status) = $0 { status.rawValue } else { nil } }
    }

    fileprivate var ownershipChanges: [[String]] {
        compactMap { if case .ownershipChanged(let identifiers) = $0 { identifiers } else { nil } }
    }
}

extension CatalogEvent {
    fileprivate var word: String {
        switch self {
        case .transactionUpdated(.received): "received"
        case .transactionUpdated(.verified): "verified"
        case .transactionUpdated(.recorded): "recorded"
        case .transactionUpdated(.finished): "finished"
        case .walletChanged(let key, let balance): "wallet \(key): \(balance)"
        case .purchaseAnswered: "answered"
        default: "\(self)"
        }
    }
}
