import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrineEntitlements
import VitrineEntitlementsSQLite
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// App on a device on which the customers Anna and Ben sign in to their App Store accounts by turns.
@Suite(.hangLimit) struct AccountTests: ManagerScene {
    let voyager: VoyagerStore
    let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    // MARK: Lives

    /// Launch of the app, in which the customer who is signed in buys products.
    struct Visit: Sendable {
        let customer: String
        var buying: [String] = []
        /// Products that are owned at the end.
        let owned: Set<String>
        /// Balance of the wallet at the end.
        let coins: Int
        /// Change of the account that is reported.
        var change: String?
    }

    struct Life: Sendable, CustomTestStringConvertible {
        let id: String
        let accounts: AccountPolicy
        let visits: [Visit]

        var testDescription: String { id }
    }

    private static let lives = [
        Life(
            id: "everything is kept", accounts: .keepAll,
            visits: [
                Visit(customer: "anna", buying: ["lisbon", "coins50"], owned: ["lisbon"], coins: 50),
                Visit(customer: "ben", owned: ["lisbon"], coins: 50, change: "anna > ben"),
                Visit(customer: "ben", buying: ["vienna", "coins50"], owned: ["lisbon", "vienna"], coins: 100),
                Visit(customer: "anna", owned: ["lisbon", "vienna"], coins: 100, change: "ben > anna"),
                Visit(customer: "anna", owned: ["lisbon", "vienna"], coins: 100),
            ]),
        Life(
            id: "accounts are kept apart", accounts: .separate,
            visits: [
                Visit(customer: "anna", buying: ["lisbon", "coins50"], owned: ["lisbon"], coins: 50),
                Visit(customer: "ben", owned: [], coins: 0, change: "anna > ben"),
                Visit(customer: "ben", buying: ["vienna", "coins50"], owned: ["vienna"], coins: 50),
                Visit(customer: "anna", owned: ["lisbon"], coins: 50, change: "ben > anna"),
                Visit(customer: "anna", buying: ["coins50"], owned: ["lisbon"], coins: 100),
                Visit(customer: "ben", owned: ["vienna"], coins: 50, change: "anna > ben"),
            ]),
        Life(
            id: "a second account buys at once", accounts: .separate,
            visits: [
                Visit(customer: "anna", buying: ["lisbon"], owned: ["lisbon"], coins: 0),
                Visit(
                    customer: "ben", buying: ["lisbon", "coins50"], owned: ["lisbon"], coins: 50,
                    change: "anna > ben"),
                Visit(customer: "anna", owned: ["lisbon"], coins: 0, change: "ben > anna"),
            ]),
    ]

    @Test(arguments: lives)
    func `the account that is signed in determines what is owned, by the policy of the app`(_ life: Life) async throws {
        for (number, visit) in life.visits.enumerated() {
            let place = Comment("visit \(number + 1)")
            let manager = try await launch(visit.customer, life.accounts)
            let events = try await events(of: manager) {
                await manager.loadProducts()
                for product in visit.buying { #expect(await buy(product, with: manager) == "charged", place) }
            }
            #expect(Set(manager.ownedProducts) == Set(visit.owned.map(String.voyager)), place)
            #expect(manager.wallets.balance(for: "coins") == .known(visit.coins), place)
            #expect(try await changes(in: events) == (visit.change.map { [$0] } ?? []), place)
            #expect(manager.purchases.account == (try await account(of: visit.customer)), place)
        }
    }

    @Test func `purchases of an account that were made elsewhere are owned when the account is signed in`()
        async throws
    {
        let ben = try await device(of: "ben")
        guard case .purchased(let transaction) = try await ben.purchase(.voyager("porto"), quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        try await ben.finish(transaction)
        try await visit("anna", buying: ["lisbon"])

        let second = try await launch("ben", .separate)
        await second.loadProducts()
        #expect(second.ownedProducts == [.voyager("porto")])
        #expect(try listing("lisbon", of: second).isOffered)
        #expect(try listing("porto", of: second).offer == .notOffered(.alreadyOwned))
    }

    /// Catalog without grandfathering, for which the account of the app transaction is not requested.
    private static let plainCatalog = Catalog(products: [
        CatalogProduct(identifier: .voyager("lisbon"), kind: .nonConsumable),
        CatalogProduct(identifier: .voyager("porto"), kind: .nonConsumable),
        CatalogProduct(identifier: .voyager("coins50"), kind: .consumable, storageKey: "coins", productValue: 50),
    ])

    private func launch(plainly store: any Store) async throws -> CatalogManager {
        let manager = try await makeManager(catalog: .catalog(Self.plainCatalog), store: store) { _ in }
        await manager.loadProducts()
        return manager
    }

    @Test(arguments: [true, false])
    func `if everything is kept, purchases of another account are found at launch, or after its first transaction`(
        isListed: Bool
    ) async throws {
        let ben = try await device(of: "ben")
        guard case .purchased(let transaction) = try await ben.purchase(.voyager("porto"), quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        try await ben.finish(transaction)
        let first = try await launch(plainly: try await device(of: "anna").launched)
        #expect(await buy("lisbon", with: first) == "charged")
        await first.stop()

        var store = InterceptedStore(ben.launched)
        if !isListed {
            store.onKnownTransactions = { () throws(StoreError) in
                throw StoreError(code: .unavailable, reason: "no list")
            }
        }
        let second = try await makeManager(catalog: .catalog(Self.plainCatalog), store: store) { _ in }
        var events = second.events()
        await second.loadProducts()
        #expect(try listing("porto", of: second).isOffered == !isListed)
        #expect(await buy("coins50", with: second) == "charged")
        await second.loadProducts()
        #expect(second.ownership(of: .voyager("lisbon")).isOwned)
        if !isListed {
            // The process ends before the list was read: the next launch reads it.
            #expect(try listing("porto", of: second).offer == .notOffered(.purchasesNotRead))
            await second.stop()
            #expect(try await found(in: events).isEmpty)
        }
        let last = isListed ? second : try await makeManager(store: ben.launched)
        if !isListed {
            events = last.events()
            await last.loadProducts()
        }
        #expect(last.ownedProducts == ["lisbon", "porto"].map(String.voyager))
        #expect(try listing("porto", of: last).offer == .notOffered(.alreadyOwned))
        #expect(last.wallets.balance(for: "coins") == .known(50))
        await last.loadProducts()
        await last.stop()
        #expect(try await found(in: events) == [["porto"]])
    }

    private func found(in events: AsyncStream<CatalogEvent>) async throws -> [[String]] {
        await events.all().compactMap { event in
            if case .restore(.found(let result)) = event { result.restored.map(\.name) } else { nil }
        }
    }

    // MARK: Answers of the store

    /// Answer of the store when the app asks for the account, after Ben has signed in.
    enum Answer: String, CaseIterable, Sendable {
        case offline
        case none
        case forged
        case former
    }

    @Test(arguments: Answer.allCases)
    func `while the account cannot be verified, owned products stay owned, and a purchase of another account waits`(
        _ answer: Answer
    ) async throws {
        let (anna, ben, stranger) = (try await device(of: "anna"), try await device(of: "ben"), try VoyagerStore())
        try await stranger.store.setOriginalPurchase(Self.original)
        let forged = try await stranger.store.appTransaction()
        try await visit("anna", buying: ["lisbon", "coins50"])

        var store = InterceptedStore(anna)
        store.onAppTransaction = { () throws(StoreError) in
            switch answer {
            case .offline: throw StoreError(code: .network, reason: "no network")
            case .none: return nil
            case .forged: return forged
            case .former: return try await anna.appTransaction()
            }
        }
        store.onUnfinished = { () throws(StoreError) in try await ben.unfinishedTransactions() }
        try await ben.purchase(.voyager("coins50"), quantity: 1)
        let second = try await launch(store, .separate)
        let events = try await events(of: second) { await second.loadProducts() }
        #expect(second.ownedProducts == [.voyager("lisbon")])
        #expect(second.wallets.balance(for: "coins") == .known(50))
        #expect(try await changes(in: events).isEmpty)
        #expect(try await ben.unfinishedTransactions().count == 1)
        #expect(await second.purchases.pending().count == 1)
        #expect(try await recorded(in: folder["home"]) == ["lisbon", "coins50"])

        let third = try await launch("ben", .separate)
        await third.loadProducts()
        #expect(third.ownedProducts.isEmpty)
        #expect(third.wallets.balance(for: "coins") == .known(50))
        #expect(try await ben.unfinishedTransactions().isEmpty)
        await third.stop()
        #expect(try await recorded(in: folder["home"]) == ["lisbon", "coins50"])
    }

    @Test(arguments: [(isVerified: true, isOwned: false), (isVerified: false, isOwned: true)])
    func `an answer of the store ends a subscription that it lacks only if the account is verified`(
        isVerified: Bool, isOwned: Bool
    ) async throws {
        let club = try await ClubScene()
        let first = try await club.launch { $0.purchases.accounts = .separate }
        guard case .success = await first.purchase("club.silver") else {
            Issue.record("not bought")
            return
        }
        await first.stop()

        let (base, clock) = (club.store, club.store.clock)
        var store = InterceptedStore(base)
        store.onAppTransaction = { () throws(StoreError) in isVerified ? try await base.signedAccount() : nil }
        store.onSubscriptionTransactions = { () throws(StoreError) in [] }
        // A day after the end of the period, a subscription that was to renew is owned until the store answers.
        let ahead: TimeInterval = 32 * 86_400
        let second = try await club.launch(selling: store) {
            $0.purchases.accounts = .separate
            $0.clock = ManagerOptions.Clock(
                now: { clock.now + ahead }, sleepUntil: { try await clock.sleep(until: $0 - ahead) })
        }
        #expect(second.ownership(of: "club.silver").isOwned == isOwned)
    }

    @Test func `a purchase of another account opens the ledger of that account before it is recorded`() async throws {
        let (anna, ben) = (try await device(of: "anna"), try await device(of: "ben"))
        let present = Recorder<SimulatedStore>()
        present.record(anna)
        var store = InterceptedStore(anna)
        store.onAppTransaction = { () throws(StoreError) in try await present.values.last?.appTransaction() }
        store.onUnfinished = { () throws(StoreError) in try await present.values.last?.unfinishedTransactions() ?? [] }
        store.onFinish = { transaction throws(StoreError) in try await present.values.last?.finish(transaction) }
        store.onPurchase = { identifier, options throws(StoreError) in
            guard let device = present.values.last else { return .cancelled }
            return try await device.purchase(identifier, options: options)
        }
        let manager = try await launch(store, .separate)
        await manager.loadProducts()
        #expect(await buy("coins50", with: manager) == "charged")
        // The customer signs in to another account in the window of the purchase.
        present.record(ben)
        let events = try await events(of: manager) {
            #expect(await buy("coins500", with: manager) == "charged")
            #expect(manager.wallets.balance(for: "coins") == .known(500))
        }
        #expect(try await changes(in: events) == ["anna > ben"])
        #expect(try await ben.unfinishedTransactions().isEmpty)
        #expect(try await recorded(in: folder["home"]) == ["coins50"])
    }

    @Test func `each of two managers records in the ledger of the account that it has seen`() async throws {
        let first = try await launch("anna", .separate)
        await first.loadProducts()
        #expect(await buy("lisbon", with: first) == "charged")
        let second = try await launch("ben", .separate)
        await second.loadProducts()
        #expect(await buy("vienna", with: second) == "charged")
        #expect(await buy("porto", with: first) == "charged")

        #expect(first.ownedProducts == ["lisbon", "porto"].map(String.voyager))
        #expect(second.ownedProducts == [.voyager("vienna")])
        #expect(try await recorded(in: folder["home"]) == ["lisbon", "porto"])
    }

    @Test(arguments: [(AccountPolicy.keepAll, ["lisbon"], 50), (.separate, [], 0)])
    func `an exchange records purchases of another account only if the app keeps everything`(
        accounts: AccountPolicy, owned: [String], coins: Int
    ) async throws {
        let shared = MemoryTransport()
        let options = ExchangeOptions(key: try LedgerSealKey(Data(repeating: 1, count: 32)))
        let phone = try await launch("anna", accounts)
        await phone.loadProducts()
        for product in ["lisbon", "coins50"] { #expect(await buy(product, with: phone) == "charged") }
        _ = try await phone.devices.exchange(at: shared, options)
        let clock = voyager.clock
        let tablet = try await CatalogManager(
            catalog: .file(Repository.sample("Voyager.plist")), store: try await device(of: "ben").launched,
            verifier: voyager.verifier(), home: Home(url: folder["tablet"]),
            options: ManagerOptions(now: { clock.now }) { $0.purchases.accounts = accounts })
        await tablet.loadProducts()
        let report = try await tablet.devices.exchange(at: shared, options)

        #expect(tablet.ownedProducts == owned.map(String.voyager))
        #expect(tablet.wallets.balance(for: "coins") == .known(coins))
        #expect(report.problems.isEmpty == (accounts == .keepAll))
    }

    // MARK: Explanations

    @Test(arguments: AccountPolicy.allCases)
    func `the accounts that own a product are named, except the present one`(_ accounts: AccountPolicy) async throws {
        let first = try await launch("anna", accounts)
        await first.loadProducts()
        #expect(await buy("lisbon", with: first) == "charged")
        #expect(try await first.ledger.otherAccounts(owning: .voyager("lisbon")) == [])
        await first.stop()

        let second = try await launch("ben", accounts)
        await second.loadProducts()
        #expect(try await second.ledger.otherAccounts(owning: .voyager("lisbon")) == [account(of: "anna")])
        #expect(try await second.ledger.otherAccounts(owning: .voyager("vienna")) == [])
        #expect(second.ownership(of: .voyager("lisbon")).isOwned == (accounts == .keepAll))
    }

    @Test func `a ledger of the app cannot keep accounts apart`() async throws {
        let error = await #expect(throws: LedgerError.self) {
            try await makeManager(ledger: MemoryLedger()) { $0.purchases.accounts = .separate }
        }
        #expect(error?.code == .unavailable)
    }

    @Test func `a change of the account that was not reported before the process ended is reported at the next launch`()
        async throws
    {
        try await visit("anna", buying: ["lisbon"])
        try await visit("ben")
        let file = folder["home"].appending(path: "account.json")
        var document = try #require(
            try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
        #expect(document["former"] == nil)
        document["former"] = try await account(of: "anna")
        try JSONSerialization.data(withJSONObject: document).write(to: file)

        for expected in [["anna > ben"], []] {
            let manager = try await launch("ben", .separate)
            let events = try await events(of: manager) { await manager.loadProducts() }
            #expect(try await changes(in: events) == expected)
        }
    }
}

extension AccountTests {
    static let original = OriginalPurchase(
        version: "500", date: Date(timeIntervalSince1970: 1_556_668_800), platform: .iOS)

    /// Returns the device on which a customer is signed in.
    func device(of customer: String) async throws -> SimulatedStore {
        let device = try voyager.store.device("phone", of: customer)
        try await device.setOriginalPurchase(Self.original)
        return device
    }

    func launch(_ customer: String, _ accounts: AccountPolicy) async throws -> CatalogManager {
        try await launch(try await device(of: customer).launched, accounts)
    }

    func launch(_ store: any Store, _ accounts: AccountPolicy) async throws -> CatalogManager {
        try await makeManager(store: store) { $0.purchases.accounts = accounts }
    }

    /// Launches the app with separate accounts, in which the customer who is signed in buys products.
    func visit(_ customer: String, buying products: [String] = []) async throws {
        let manager = try await launch(customer, .separate)
        await manager.loadProducts()
        for product in products { #expect(await buy(product, with: manager) == "charged") }
        await manager.stop()
    }

    func account(of customer: String) async throws -> String {
        try #require(try await voyager.store.customers().first { $0.name == customer }?.appTransactionID)
    }

    /// Returns the reported changes of the account, with the names of the customers.
    func changes(in events: [CatalogEvent]) async throws -> [String] {
        let customers = try await voyager.store.customers()
        let names = Dictionary(uniqueKeysWithValues: customers.map { ($0.appTransactionID, $0.name) })
        return events.compactMap { event in
            guard case .entitlements(.accountChanged(let former, let account)) = event else { return nil }
            return "\(names[former] ?? former) > \(names[account] ?? account)"
        }
    }

    /// Returns the purchases in the ledger in a folder.
    func recorded(in folder: URL) async throws -> [String] {
        try await SQLiteLedger(url: Home(url: folder).ledger).entries(after: 0)
            .filter { $0.fact.kind == .purchase }.compactMap { $0.fact.origin?.productIdentifier.name }
    }
}
