import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

/// Sale of a non-renewing subscription, a pass, to a customer with several devices.
@Suite(.hangLimit) struct PassSaleTests {
    private let folder: TemporaryFolder
    private let store: SimulatedStore
    /// Initial date of the store's clock.
    private static let start = Date(timeIntervalSince1970: 2_210_112_000)

    init() async throws {
        folder = try TemporaryFolder()
        store = try SimulatedStore.inMemory(
            configuration: Data(contentsOf: Repository.file("Catalogs/Club.storekit")),
            bundleIdentifier: "com.example.club", seed: 0)
        try await store.useVirtualClock(at: Self.start)
    }

    private static func catalog(
        duration: String = "P30D", _ formerDurations: [FormerDuration] = [], _ more: [CatalogProduct] = []
    ) -> Catalog {
        var pass = CatalogProduct(
            identifier: "pass", kind: .nonRenewingSubscription, childProducts: ["map"],
            subscriptionDuration: SubscriptionDuration(duration))
        pass.formerDurations = formerDurations
        return Catalog(products: [pass, CatalogProduct(identifier: "map", kind: .nonConsumable)] + more)
    }

    private func launch(
        _ home: String = "home", catalog: Catalog = Self.catalog(), on device: SimulatedStore? = nil
    ) async throws -> CatalogManager {
        let clock = store.clock
        var options = ManagerOptions()
        options.loading.schedule = .never
        options.clock = ManagerOptions.Clock(now: { clock.now }, sleepUntil: { try await clock.sleep(until: $0) })
        let manager = try await CatalogManager(
            catalog: .catalog(catalog), store: (device ?? store).launched,
            verifier: SignedDataVerifier(
                roots: try TrustedRoots(pem: store.rootCertificate), bundleIdentifier: store.bundleIdentifier,
                environment: .sandbox, now: { clock.now }),
            home: Home(url: folder[home]), options: options)
        await manager.loadProducts()
        return manager
    }

    private func isCharged(_ answer: PurchaseAnswer) -> Bool {
        if case .success(_, notChargedAgain: false) = answer { true } else { false }
    }

    /// Returns the number of days from the start until which the pass is owned; `nil` if it is not owned.
    private func end(_ manager: CatalogManager) -> Double? {
        manager.ownership(of: "pass").endOfPasses.map { $0.timeIntervalSince(Self.start) / 86_400 }
    }

    @Test func `a running pass is offered, sold again and in a quantity, and the time adds up`() async throws {
        let manager = try await launch()
        #expect(manager.listing(for: "pass")?.isOffered == true)
        #expect(isCharged(await manager.purchase("pass")))
        try await store.advance(by: 10 * 86_400)
        let listing = try #require(manager.listing(for: "pass"))
        #expect(listing.isOffered)
        #expect(listing.ownership.isExtendable)
        #expect(manager.listing(for: "map")?.offer == .notOffered(.alreadyOwned))

        #expect(isCharged(await manager.purchase("pass", quantity: 2)))
        #expect(end(manager) == 90)
        #expect(try await store.transactions().map(\.quantity) == [1, 2])
        guard case .failed(let failure) = await manager.purchase("pass", quantity: 11) else {
            Issue.record("a quantity of 11 was sold")
            return
        }
        #expect(failure.code == .invalidQuantity)
        #expect(try await manager.ledger.check().isGood)
    }

    @Test func `a pass that is owned through a bundle is not sold beside it`() async throws {
        let all = CatalogProduct(identifier: "all", kind: .nonConsumable, childProducts: ["pass"])
        let manager = try await launch(catalog: Self.catalog([], [all]))
        #expect(isCharged(await manager.purchase("pass")))
        try await manager.unlock("all")

        #expect(manager.listing(for: "pass")?.offer == .notOffered(.alreadyOwned))
        guard case .failed(let failure) = await manager.purchase("pass") else {
            Issue.record("the pass was sold")
            return
        }
        #expect(failure.code == .alreadyOwned)
    }

    @Test func `passes bought on two devices add up on both, and a refund of the first one moves the second up`()
        async throws
    {
        let tablet = try store.device("tablet")
        let managers = [try await launch(), try await launch("tablet", on: tablet)]
        #expect(isCharged(await managers[0].purchase("pass")))
        #expect(isCharged(await managers[1].purchase("pass")))
        for manager in managers {
            await manager.loadProducts()
            #expect(end(manager) == 60)
        }

        try await store.advance(by: 5 * 86_400)
        let first = try await store.transactions().first
        try await store.refund(try #require(first).id)
        for manager in managers {
            await manager.loadProducts()
            #expect(end(manager) == 30)
            #expect(try await manager.ledger.check().isGood)
        }
    }

    @Test func `a new device gives an earlier pass its former duration, and a recorded pass keeps its duration`()
        async throws
    {
        let seller = try await launch(catalog: Self.catalog(duration: "P60D"))
        #expect(isCharged(await seller.purchase("pass")))
        try await store.advance(by: 86_400)
        let history = [FormerDuration(try #require(SubscriptionDuration("P60D")), until: Self.start + 43_200)]
        let changed = Self.catalog(duration: "P30D", history)
        let phone = try await launch("phone", catalog: changed, on: store.device("phone"))
        _ = try await phone.restore()
        #expect(end(phone) == 60)
        #expect(end(try await launch(catalog: changed)) == 60)
        #expect(try await phone.ledger.check().remarks.isEmpty)

        // Without the history, only the device that sold the pass knows how long it was.
        let unknown = Self.catalog(duration: "P30D")
        let tablet = try await launch("tablet", catalog: unknown, on: store.device("tablet"))
        _ = try await tablet.restore()
        let desk = try await launch(catalog: unknown)
        #expect(end(desk) == 60)
        #expect(end(tablet) == 30)
        #expect(
            try await desk.ledger.check().remarks == [
                "entry 1 records 60 days of pass, but the loaded catalog gives 30 for the purchase"
            ])

        // The history mends it later, and so does a document of the other device.
        #expect(end(try await launch("tablet", catalog: changed, on: store.device("tablet"))) == 60)
        let document = try await desk.ledger.export()
        #expect(try await tablet.ledger.importDocument(document) { _ in true } == 1)
        #expect(end(tablet) == 60)
        #expect(try await tablet.ledger.importDocument(document) { _ in true } == 0)
    }
}
