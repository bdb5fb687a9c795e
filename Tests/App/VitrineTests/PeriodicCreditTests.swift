import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Subscription whose paid periods credit units to a wallet, on two devices of one customer.
@Suite(.hangLimit) struct PeriodicCreditTests {
    private let shop: CreditingClub

    init() async throws { shop = try await CreditingClub() }

    @Test func `each period of a subscription credits its units once`() async throws {
        var phone = try await shop.launch("phone")
        #expect(await phone.buys("club.silver"))
        #expect(phone.coins == 100)

        try await shop.renew(times: 2)
        for _ in 1...2 { await phone.loadProducts() }
        #expect(phone.coins == 300)
        _ = try await phone.restore()
        #expect(phone.coins == 300)

        await phone.stop()
        phone = try await shop.launch("phone")
        #expect(phone.coins == 300)
        #expect(try await phone.keys(of: .credit) == phone.keys(of: .purchase))
        await phone.stop()
    }

    @Test func `the refund of a period takes the units of that period alone`() async throws {
        let phone = try await shop.launch("phone")
        #expect(await phone.buys("club.silver"))
        try await shop.renew(times: 1)
        await phone.loadProducts()
        try await phone.spend(30)

        let latest = try #require(try await shop.phone.transactions().last)
        try await shop.phone.refund(latest.id)
        await phone.loadProducts()
        #expect(phone.coins == 70)

        try await shop.phone.reverseRefund(latest.id)
        await phone.loadProducts()
        #expect(phone.coins == 170)
        await phone.stop()
    }

    @Test func `the refund of an earlier period while the app is closed takes its units at launch`() async throws {
        var phone = try await shop.launch("phone")
        #expect(await phone.buys("club.silver"))
        try await shop.renew(times: 1)
        await phone.loadProducts()
        #expect(phone.coins == 200)
        await phone.stop()
        let earlier = try #require(try await shop.phone.transactions().first)
        try await shop.phone.refund(earlier.id)

        // The store sends nothing by itself.
        var silent = InterceptedStore(shop.phone)
        silent.onUnfinished = { () throws(StoreError) in [] }
        phone = try await shop.launch("phone", selling: silent)
        #expect(phone.coins == 100)
        #expect(phone.ownership(of: "club.silver").isOwned)
        await phone.stop()
    }

    @Test func `periods that were delivered before a device was new make it own the product, without their units`()
        async throws
    {
        let phone = try await shop.launch("phone")
        #expect(await phone.buys("club.silver"))
        try await shop.renew(times: 3)
        await phone.loadProducts()
        await phone.stop()

        let tablet = try await shop.launch("tablet", selling: shop.phone.device("tablet").launched)
        _ = try await tablet.restore()
        #expect(tablet.ownership(of: "club.silver").isOwned)
        #expect(tablet.coins == 0)
        // The store answers with the transaction of the current period.
        #expect(await tablet.buys("club.silver"))
        #expect(tablet.coins == 0)
        #expect(try await shop.phone.transactions().count == 4)
        await tablet.stop()
    }

    @Test func `a period that was recorded before its delivery is credited when it is delivered`() async throws {
        let isLate = Locked(true)
        var late = InterceptedStore(shop.phone)
        late.onUnfinished = { [store = shop.phone] () throws(StoreError) in
            isLate.withLock { $0 } ? [] : try await store.unfinishedTransactions()
        }
        var phone = try await shop.launch("phone", selling: late)
        #expect(await phone.buys("club.silver"))
        #expect(phone.ownership(of: "club.silver").isOwned)
        #expect(phone.coins == 0)
        #expect(phone.listing.first?.purchase == nil)
        await phone.stop()

        // A catalog without the product does not finish the period without its units.
        phone = try await shop.launch("phone", product: "club.gold")
        #expect(try await shop.phone.unfinishedTransactions().count == 1)
        await phone.stop()
        phone = try await shop.launch("phone", selling: late)
        isLate.withLock { $0 = false }
        for _ in 1...2 { await phone.loadProducts() }
        #expect(phone.coins == 100)
        #expect(try await shop.phone.unfinishedTransactions().isEmpty)
        await phone.stop()
    }

    @Test func `periods that were delivered before the catalog gave them units credit nothing later`() async throws {
        var phone = try await shop.launch("phone", units: nil)
        #expect(await phone.buys("club.silver"))
        #expect(phone.coins == 0)
        await phone.stop()

        phone = try await shop.launch("phone")
        _ = try await phone.restore()
        #expect(phone.coins == 0)
        try await shop.renew(times: 1)
        await phone.loadProducts()
        #expect(phone.coins == 100)
        await phone.stop()
    }

    struct Plan: Sendable, CustomTestStringConvertible {
        let id: String
        var isFamilyShared = false
        var units: Int? = 100
        var wallet: String? = "coins"
        let credited: [Int]

        var testDescription: String { id }
    }

    @Test(arguments: [
        Plan(id: "a paid period", credited: [100]),
        Plan(id: "a period that a family member has paid for", isFamilyShared: true, credited: []),
        Plan(id: "a subscription without a value", units: nil, credited: []),
        Plan(id: "a subscription without a wallet", wallet: nil, credited: []),
    ])
    func `only periods that the customer has paid for are credited, if the catalog declares wallet and value`(
        _ plan: Plan
    ) throws {
        let product = CatalogProduct(
            identifier: "club", kind: .autoRenewableSubscription, storageKey: plan.wallet, productValue: plan.units)
        let purchase = Fact.Purchase(
            origin: .of("club", transaction: "1"), kind: .autoRenewableSubscription, quantity: 1, purchaseDate: .sample,
            period: Fact.Period(expirationDate: .sample + 1_000), isFamilyShared: plan.isFamilyShared)

        guard
            case .record(let facts) = DeliveryPlan(
                purchase: purchase, of: "club", catalog: Catalog(products: [product]), hasHandler: false)
        else {
            Issue.record("The purchase waits.")
            return
        }
        #expect(facts.contains { $0.kind == .purchase })
        #expect(facts.compactMap(\.walletChange?.amount) == plan.credited)
    }
}

/// Store with a subscription of one month. The clock stands still.
private struct CreditingClub {
    private let club: ClubScene

    init() async throws { club = try await ClubScene(isInFolder: true) }

    var phone: SimulatedStore { club.store }

    func renew(times: Int) async throws {
        for _ in 0..<times { try #require(try await phone.renew("club.silver") != nil) }
    }

    /// Launches the app on a device, and loads the products.
    ///
    /// - Parameters:
    ///   - product: The only product of the catalog.
    ///   - units: Units that the catalog declares for each period; `nil` for none.
    ///   - other: Store in place of that of the phone.
    func launch(
        _ device: String, product: String = "club.silver", units: Int? = 100, selling other: (any Store)? = nil
    ) async throws -> CatalogManager {
        let product = CatalogProduct(
            identifier: product, kind: .autoRenewableSubscription, storageKey: units == nil ? nil : "coins",
            productValue: units)
        let manager = try await club.makeManager(
            catalog: .catalog(Catalog(products: [product])), selling: other, home: device)
        await manager.loadProducts()
        return manager
    }
}

extension CatalogManager {
    nonisolated fileprivate var coins: Int? {
        if case .known(let units) = wallets.balance(for: "coins") { units } else { nil }
    }

    fileprivate func buys(_ product: String) async -> Bool {
        if case .success = await purchase(product) { true } else { false }
    }

    fileprivate func spend(_ units: Int) async throws {
        try await wallets.spend(units, from: "coins", token: UUID().uuidString)
    }

    fileprivate func keys(of kind: Fact.Kind) async throws -> [String] {
        try await ledger.history().filter { $0.fact.kind == kind }.map(\.fact.key)
    }
}
