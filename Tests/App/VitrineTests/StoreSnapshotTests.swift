import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Last store response, across launches and without a network.
extension CatalogManagerTests {
    private var offline: InterceptedStore {
        var store = InterceptedStore(voyager.store)
        store.onProducts = { _ throws(StoreError) in throw StoreError(code: .network, reason: "no network") }
        return store
    }

    private func ledger() throws -> SQLiteLedger { try SQLiteLedger(url: folder["home/ledger.sqlite"]) }

    @Test func `a start without a network shows names and prices of the last store response, and its date`()
        async throws
    {
        let first = try await makeManager()
        #expect(first.catalog.storeSnapshotDate == nil)
        #expect(first.catalog.storefront == nil)
        await first.loadProducts()
        #expect(await buy("lisbon", with: first) == "charged")
        let date = try #require(first.catalog.storeSnapshotDate)
        #expect(date == voyager.clock.now)
        await first.stop()
        voyager.clock.advance(by: 7 * 86_400)

        let second = try await makeManager(store: offline)
        #expect(second.catalog.storeSnapshotDate == date)
        #expect(second.catalog.storefront == "USA")
        #expect(second.listing.isEmpty)
        let events = try await events(of: second) { #expect(await second.loadProducts() == .productsLoadFailed) }
        #expect(events.statuses == [0, 1, -2])
        #expect(second.listing.map(\.offer) == first.listing.map(\.offer))
        #expect(second.listing.map(\.title) == first.listing.map(\.title))
        #expect(second.listing.map(\.price) == first.listing.map(\.price))
        #expect(second.listing.map(\.displayPrice) == first.listing.map(\.displayPrice))
        #expect(second.listing.map(\.currencyCode) == first.listing.map(\.currencyCode))
        #expect(second.listing.map(\.kind) == first.listing.map(\.kind))
        #expect(second.products.count == 9)
        #expect(second.catalog.invalidIdentifiers == [.voyager("atlantis")])
        #expect(second.catalog.storeSnapshotDate == date)
    }

    @Test func `a product can be listed from a stored response, but bought only while the store is reachable`()
        async throws
    {
        let first = try await makeManager()
        await first.loadProducts()
        await first.stop()
        try await voyager.store.setOffline(true)

        let second = try await makeManager()
        #expect(await second.loadProducts() == .productsLoadFailed)
        #expect(try listing("lisbon", of: second).isOffered)
        #expect(await buy("lisbon", with: second) == "network")
        #expect(try await voyager.store.transactions().isEmpty)

        try await voyager.store.setOffline(false)
        #expect(await buy("lisbon", with: second) == "charged")
    }

    @Test func `after a failed load, a product is requested from the store again before it is bought`() async throws {
        let first = try await makeManager()
        await first.loadProducts()
        await first.stop()
        let (simulated, answers, attempts) = (voyager.store, Recorder<[StoreProduct]>(), Recorder<String>())
        var store = offline
        store.onProducts = { _ throws(StoreError) in
            guard let answer = answers.values.last else { throw StoreError(code: .network, reason: "no network") }
            return answer
        }
        store.onPurchase = { identifier, options async throws(StoreError) in
            attempts.record(identifier)
            return try await simulated.purchase(identifier, options: options)
        }
        let second = try await makeManager(store: store)
        await second.loadProducts()
        #expect(await buy("lisbon", with: second) == "network")
        let lisbon = try #require(try await simulated.products(for: [.voyager("lisbon")]).first)
        answers.record([
            StoreProduct(
                identifier: lisbon.identifier, kind: .consumable, displayName: "Lisbon", description: "", price: 1,
                currencyCode: "USD", displayPrice: "$1")
        ])
        #expect(await buy("lisbon", with: second) == "not-offered")
        #expect(attempts.values.isEmpty)
        #expect(second.products.count == 9)

        answers.record([lisbon])
        await second.loadProducts()
        #expect(await buy("lisbon", with: second) == "charged")
    }

    @Test(arguments: [("DEU", true), ("USA", false), (nil, false)] as [(String?, Bool)])
    func `a stored response for one country is not offered once the storefront is known to be another`(
        storefront: String?, isForgotten: Bool
    ) async throws {
        let first = try await makeManager()
        await first.loadProducts()
        let price = try #require(try listing("lisbon", of: first).displayPrice)
        await first.stop()
        var store = offline
        store.onStorefront = { () throws(StoreError) in storefront }
        let second = try await makeManager(store: store)
        #expect(await second.loadProducts() == .productsLoadFailed)

        #expect(second.products.isEmpty == isForgotten)
        #expect((second.catalog.storeSnapshotDate == nil) == isForgotten)
        #expect(try listing("lisbon", of: second).displayPrice == (isForgotten ? nil : price))
    }

    @Test func `an unchanged store response is stored again after an hour, and a changed one at once`() async throws {
        let manager = try await makeManager()
        let start = voyager.clock.now
        func storedDate() async throws -> Date? { try await makeManager(store: offline).catalog.storeSnapshotDate }
        await manager.loadProducts()
        for (seconds, date) in [(1_800, start), (1_799, start), (1, start + 3_600)] {
            voyager.clock.advance(by: TimeInterval(seconds))
            await manager.loadProducts()
            #expect(manager.catalog.storeSnapshotDate == voyager.clock.now)
            #expect(try await storedDate() == date)
        }
        voyager.clock.advance(by: 60)
        var store = InterceptedStore(voyager.store)
        let rome = try await voyager.store.products(for: [.voyager("rome")])
        store.onProducts = { _ throws(StoreError) in rome }
        await (try await makeManager(store: store)).loadProducts()
        #expect(try await storedDate() == voyager.clock.now)
    }

    @Test func `a stored store response causes no ownership, and products missing in it are reported as not loaded`()
        async throws
    {
        let first = try await makeManager(
            catalog: .catalog(Catalog(products: [CatalogProduct(identifier: .voyager("lisbon"), kind: .nonConsumable)]))
        )
        await first.loadProducts()
        await first.stop()

        let second = try await makeManager(store: offline)
        await second.loadProducts()
        #expect(try listing("lisbon", of: second).isOffered)
        #expect(try listing("porto", of: second).offer == .notOffered(.productsNotLoaded))
        #expect(second.ownedProducts.isEmpty)
        #expect(second.catalog.invalidIdentifiers.isEmpty)
    }

    @Test(
        arguments: [
            "", "{", "[]", "null", #"{"version":1}"#, #"{"version":2,"date":0,"asked":[],"products":[]}"#,
            #"{"version":1,"date":0,"asked":["a"],"products":[["a"]]}"#,
            product(price: #""12x""#), product(price: #""""#), product(price: "1.5"), product(price: #""NaN""#),
            product(kind: "house", price: #""1.5""#), product(more: ["2"]), product(more: ["0", "club"]),
            product(more: ["0", "club", "", "1", "1 month", "", "0"]),
            product(more: ["0", "club", "", "first", "P1M", "", "0"]),
            product(more: ["0", "club", "", "1", "P1M", "maybe", "0"]),
            product(more: ["0", "club", "", "1", "P1M", "", "1"]),
            product(more: ["0", "club", "", "1", "P1M", "", "-1"]),
            product(more: ["0", "club", "", "1", "P1M", "", "0", "introductory"]),
            product(more: ["0", "club", "", "1", "P1M", "", "0", "gift", "", "free", "P1W", "1", "0", ""]),
            product(more: ["0", "club", "", "1", "P1M", "", "0", "winBack", "", "free", "P1W", "0", "0", ""]),
        ]
    )
    func `an unreadable stored response is ignored, reported once, and replaced by the next response`(text: String)
        async throws
    {
        let first = try await makeManager()
        await first.stop()
        try await ledger().setValue(Data(text.utf8), for: "store-answer")

        let second = try await makeManager(store: offline)
        #expect(second.catalog.storeSnapshotDate == nil)
        let stream = second.events()
        await second.loadProducts()
        await second.loadProducts()
        await second.stop()
        #expect(second.products.isEmpty)
        #expect(
            await stream.reduce(into: 0) { count, event in
                if case .loading(.storedProductsFailed(let error)) = event, error.code == .damaged { count += 1 }
            } == 1)

        let third = try await makeManager()
        await third.loadProducts()
        await third.stop()
        #expect(try await makeManager().catalog.storeSnapshotDate == voyager.clock.now)
    }

    private static func product(
        kind: String = "consumable", price: String = #""1.5""#, more: [String] = []
    ) -> String {
        let more = more.map { ",\"\($0)\"" }.joined()
        return #"{"version":1,"date":0,"asked":["a"],"products":[["a","\#(kind)","","",\#(price),"USD",""\#(more)]]}"#
    }

    private static let club: [StoreProduct] = {
        func offer(
            _ kind: StoreConfiguration.Offer.Kind, _ identifier: String?,
            _ mode: StoreConfiguration.Offer.PaymentMode, _ period: String, _ count: Int, _ price: String
        ) -> StoreProduct.Subscription.Offer {
            StoreProduct.Subscription.Offer(
                kind: kind, identifier: identifier, paymentMode: mode, period: .of(period), periodCount: count,
                price: Decimal(string: price) ?? .nan, displayPrice: "\(price) €")
        }
        let terms = [
            nil,
            StoreProduct.Subscription(
                groupID: "club", groupName: "Klub", level: 1, period: .of("P1M"),
                introductoryOffer: offer(.introductory, nil, .free, "P1W", 1, "0"),
                promotionalOffers: [offer(.promotional, "spring", .payUpFront, "P1M", 3, "19.5")],
                winBackOffers: ["again", "later"].map { offer(.winBack, $0, .payAsYouGo, "P1M", 2, "0.5") },
                isEligibleForIntroductoryOffer: true, eligibleWinBackOffers: ["later", "again"]),
            StoreProduct.Subscription(
                groupID: "club", level: 2, period: .of("P1Y"), isEligibleForIntroductoryOffer: false),
            StoreProduct.Subscription(groupID: "club", level: 3, period: .of("P2W")),
        ]
        return zip(["map", "gold", "silver", "bronze"], terms).map { identifier, terms in
            StoreProduct(
                identifier: identifier, kind: terms == nil ? .nonConsumable : .autoRenewableSubscription,
                displayName: identifier, description: "", price: 5, currencyCode: "EUR", displayPrice: "5,00 €",
                isFamilyShareable: identifier != "silver", subscription: terms)
        }
    }()

    @Test func `subscription terms are stored with the store response`() async throws {
        var store = InterceptedStore(voyager.store)
        store.onProducts = { _ throws(StoreError) in Self.club }
        let catalog = Catalog(products: Self.club.map { CatalogProduct(identifier: $0.identifier, kind: $0.kind) })
        let first = try await makeManager(catalog: .catalog(catalog), store: store)
        await first.loadProducts()
        await first.stop()

        let second = try await makeManager(catalog: .catalog(catalog), store: offline)
        await second.loadProducts()
        #expect(second.listing.map(\.subscription?.terms) == Self.club.map(\.subscription))
        #expect(second.listing.map(\.isFamilyShareable) == [true, true, false, true])
        #expect(second.listing.map(\.price) == [5, 5, 5, 5])
    }

    @Test func `a stored response without subscription terms is still read`() async throws {
        let catalog = Catalog(products: [CatalogProduct(identifier: "a", kind: .autoRenewableSubscription)])
        try await folder.markPurchasesAsRead()
        let first = try await makeManager()
        await first.stop()
        try await ledger().setValue(Data(Self.product(kind: "autoRenewableSubscription").utf8), for: "store-answer")

        let manager = try await makeManager(catalog: .catalog(catalog), store: offline)
        await manager.loadProducts()
        #expect(manager.listing.map(\.price) == [1.5])
        #expect(manager.listing.map(\.isOffered) == [true])
    }

    @Test func `a stored price has all its decimal digits`() async throws {
        let prices = ["0.1", "19.99", "123456789012345678901234567890.12345678", "0", "1e-100", "-5"]
        let decimals = try prices.map { try #require(Decimal(string: $0)) }
        let products = zip(prices.indices, decimals).map { index, price in
            StoreProduct(
                identifier: "p\(index)", kind: .nonConsumable, displayName: "Münze \"\(index)\" \u{2028}",
                description: "",
                price: price, currencyCode: "EUR", displayPrice: "5,00\u{A0}€")
        }
        var store = InterceptedStore(voyager.store)
        store.onProducts = { _ throws(StoreError) in products }
        let catalog = Catalog(products: products.map { CatalogProduct(identifier: $0.identifier, kind: $0.kind) })
        let first = try await makeManager(catalog: .catalog(catalog), store: store)
        await first.loadProducts()
        await first.stop()

        let second = try await makeManager(catalog: .catalog(catalog), store: offline)
        await second.loadProducts()
        #expect(second.listing.map(\.price) == decimals)
        #expect(second.listing.map(\.title) == products.map(\.displayName))
        #expect(second.listing.map(\.displayPrice) == products.map(\.displayPrice))
    }

    @Test(
        arguments: [
            ("USA", "USA", true), ("USA", "DEU", false), ("USA", nil, false), (nil, nil, false), (nil, "USA", false),
        ] as [(String?, String?, Bool)])
    func `a partial store response is completed only by an earlier response of the same storefront`(
        earlier: String?, storefront: String?, isCompleted: Bool
    ) async throws {
        let (simulated, isFlaky, asked) = (voyager.store, Recorder<Void>(), Recorder<Int>())
        var store = InterceptedStore(simulated)
        store.onStorefront = { () throws(StoreError) in isFlaky.values.isEmpty ? earlier : storefront }
        store.onProducts = { identifiers async throws(StoreError) in
            asked.record(identifiers.count)
            if !isFlaky.values.isEmpty, asked.values.count.isMultiple(of: 2) {
                throw StoreError(code: .network, reason: "no network")
            }
            return try await simulated.products(for: identifiers)
        }
        let clock = voyager.clock
        let manager = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: store, verifier: voyager.verifier(),
            home: Home(url: folder["home"]), content: PackageFolder(url: Repository.samplePackages),
            options: ManagerOptions(now: { clock.now }) { $0.loading.productBatchSize = 6 })
        await manager.loadProducts()
        let date = clock.now
        let before = manager.products.count
        isFlaky.record(())
        clock.advance(by: 60)

        #expect(await manager.loadProducts() == .productsLoadFailed)
        #expect(asked.values == [6, 6, 6, 6])
        #expect(manager.catalog.storefront == storefront)
        #expect(manager.catalog.storeSnapshotDate == (isCompleted ? date : clock.now))
        let unasked = manager.listing.count { $0.offer == .notOffered(.productsNotLoaded) }
        #expect(unasked == (isCompleted ? 0 : 6))
        #expect((manager.products.count == before) == isCompleted)
        let stored = try await makeManager(store: offline)
        #expect(stored.catalog.storefront == storefront)
        #expect(stored.catalog.storeSnapshotDate == manager.catalog.storeSnapshotDate)
    }

    @Test func `a store response that cannot be stored is used anyway, and the failure is reported`() async throws {
        let first = try await makeManager()
        await first.stop()
        let raw = try ledger()
        let long = String(repeating: "x", count: 17 * 1_024 * 1_024)
        let product = StoreProduct(
            identifier: .voyager("lisbon"), kind: .nonConsumable, displayName: "Lisbon", description: long, price: 1,
            currencyCode: "USD", displayPrice: "$1")
        var store = InterceptedStore(voyager.store)
        store.onProducts = { _ throws(StoreError) in [product] }
        let manager = try await makeManager(store: store)
        let events = try await events(of: manager) { #expect(await manager.loadProducts() == .productsLoaded) }

        #expect(manager.products.map(\.id) == [.voyager("lisbon")])
        #expect(
            events.contains {
                if case .loading(.productsNotStored(let error)) = $0 { error.code == .tooLarge } else { false }
            })
        #expect(try await raw.value(for: "store-answer") == nil)
    }
}
