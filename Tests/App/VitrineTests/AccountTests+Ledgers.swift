import Foundation
import Testing
import Vitrine
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Ledgers of App Store accounts after losses, long histories, and changes of the account at unusual moments.
extension AccountTests {
    /// Buys 500 units, and spends one of them more often than entries are read for the account of a ledger.
    private func buyAndSpend(with manager: CatalogManager) async throws {
        #expect(await buy("coins500", with: manager) == "charged")
        for number in 1...70 { try await manager.wallets.spend(1, from: "coins", token: "hat \(number)") }
        await manager.stop()
    }

    @Test func `a ledger whose last purchase is long ago stays the ledger of the account that has bought`() async throws
    {
        var offline = InterceptedStore(try await device(of: "anna"))
        offline.onAppTransaction = { () throws(StoreError) in throw StoreError(code: .network, reason: "no network") }
        let first = try await launch(offline, .separate)
        await first.loadProducts()
        try await buyAndSpend(with: first)

        for (customer, coins) in [("ben", 0), ("anna", 430)] {
            let manager = try await launch(customer, .separate)
            await manager.loadProducts()
            #expect(manager.wallets.balance(for: "coins") == .known(coins), "\(customer)")
            await manager.stop()
        }
    }

    @Test func `a change of the account is reported if the last purchase of the former account is long ago`()
        async throws
    {
        let first = try await launch("anna", .keepAll)
        await first.loadProducts()
        try await buyAndSpend(with: first)

        let second = try await launch("ben", .keepAll)
        let events = try await events(of: second) { await second.loadProducts() }
        #expect(try await changes(in: events) == ["anna > ben"])
    }

    @Test func `two managers with different accounts that opened an empty ledger do not share it`() async throws {
        let (first, second) = (try await launch("anna", .separate), try await launch("ben", .separate))
        await first.loadProducts()
        #expect(await buy("lisbon", with: first) == "charged")
        await second.loadProducts()
        #expect(await buy("vienna", with: second) == "charged")

        #expect(first.ownedProducts == [.voyager("lisbon")])
        #expect(second.ownedProducts == [.voyager("vienna")])
        #expect(try await recorded(in: folder["home"]) == ["lisbon"])
    }

    @Test func `a ledger of the first account that is lost while another account is present is reported as lost`()
        async throws
    {
        try await visit("anna", buying: ["lisbon", "coins50"])
        try await visit("ben")
        let file = Home(url: folder["home"]).ledger
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path() + suffix) }
        try Data(repeating: 0x2A, count: 40_000).write(to: file)

        let third = try await launch("anna", .separate)
        await third.loadProducts()
        #expect(third.ledger.loss != nil)
        #expect(third.wallets.balance(for: "coins") == .unknown(atLeast: 0))
        #expect(third.ownedProducts == [.voyager("lisbon")])
    }

    @Test func `purchases of an account that is signed in while those of the former one are read are read too`()
        async throws
    {
        let (anna, ben) = (try await device(of: "anna"), try await device(of: "ben"))
        guard case .purchased(let transaction) = try await ben.purchase(.voyager("porto"), quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        try await ben.finish(transaction)
        let (present, managers) = (Recorder<SimulatedStore>(), Recorder<CatalogManager>())
        present.record(anna)
        var store = InterceptedStore(anna)
        store.onAppTransaction = { () throws(StoreError) in try await present.values.last?.appTransaction() }
        store.onUnfinished = { () throws(StoreError) in try await present.values.last?.unfinishedTransactions() ?? [] }
        store.onSubscriptionTransactions = { () throws(StoreError) in [] }
        store.onKnownTransactions = { () throws(StoreError) in
            guard present.values.count == 1 else { return try await ben.knownTransactions() }
            present.record(ben)
            await managers.values.last?.enterForeground()
            // The store had begun to answer about Anna, who has bought nothing.
            return []
        }
        let manager = try await launch(store, .separate)
        managers.record(manager)
        await manager.loadProducts()
        while manager.ownedProducts != [.voyager("porto")] { await Task.yield() }
        #expect(manager.purchases.account == (try await account(of: "ben")))
        await manager.stop()
    }

    /// Handler of an app that cannot deliver purchases now.
    private struct PostponingHandler: DeliveryHandler {
        func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision { .retryLater("no room") }
    }

    @Test func `a purchase of the former account that waits for its delivery is not shown to the present one`()
        async throws
    {
        let (anna, ben) = (try await device(of: "anna"), try await device(of: "ben"))
        let present = Recorder<SimulatedStore>()
        present.record(anna)
        var store = InterceptedStore(anna)
        store.onAppTransaction = { () throws(StoreError) in try await present.values.last?.appTransaction() }
        store.onUnfinished = { () throws(StoreError) in try await present.values.last?.unfinishedTransactions() ?? [] }
        store.onKnownTransactions = { () throws(StoreError) in [] }
        store.onSubscriptionTransactions = { () throws(StoreError) in [] }
        let manager = try await makeManager(store: store) {
            $0.purchases.accounts = .separate
            $0.purchases.hooks = AppHooks(delivery: PostponingHandler())
        }
        await manager.loadProducts()
        #expect(await buy("lisbon", with: manager) == "pending")
        #expect(try listing("lisbon", of: manager).purchase == .delivering)

        present.record(ben)
        await manager.enterForeground()
        #expect(manager.purchases.account == (try await account(of: "ben")))
        #expect(try listing("lisbon", of: manager).purchase == nil)
        await manager.stop()
    }

    @Test func `an answer about subscriptions that was requested for the former account ends none of the present one`()
        async throws
    {
        let club = try await ClubScene()
        let (anna, ben) = (try club.store.device("phone", of: "anna"), try club.store.device("phone", of: "ben"))
        let first = try await club.launch(selling: ben.launched) { $0.purchases.accounts = .separate }
        guard case .success = await first.purchase("club.silver") else {
            Issue.record("not bought")
            return
        }
        await first.stop()

        let (clock, present, managers) = (club.store.clock, Recorder<SimulatedStore>(), Recorder<CatalogManager>())
        present.record(anna)
        var store = InterceptedStore(anna)
        store.onAppTransaction = { () throws(StoreError) in try await present.values.last?.signedAccount() }
        store.onSubscriptionTransactions = { () throws(StoreError) in
            guard present.values.count == 1 else { return try await ben.subscriptionTransactions() }
            present.record(ben)
            await managers.values.last?.enterForeground()
            // The store had begun to answer about Anna, who has no subscription.
            return []
        }
        // A day after the end of the period, a subscription that was to renew is owned until the store answers.
        let ahead: TimeInterval = 32 * 86_400
        let second = try await club.makeManager(selling: store) {
            $0.purchases.accounts = .separate
            $0.clock = ManagerOptions.Clock(
                now: { clock.now + ahead }, sleepUntil: { try await clock.sleep(until: $0 - ahead) })
        }
        managers.record(second)
        await second.loadProducts()
        let account = try await club.store.customers().first { $0.name == "ben" }?.appTransactionID
        #expect(second.purchases.account == account)
        #expect(second.ownership(of: "club.silver").isOwned)
        await second.stop()
    }

    @Test(arguments: [(days: 1, isOwned: false), (days: 16, isOwned: true)])
    func `the option for unconfirmed renewals also applies to the subscriptions of other accounts`(
        days: Int, isOwned: Bool
    ) async throws {
        let club = try await ClubScene()
        let (anna, ben) = (try club.store.device("phone", of: "anna"), try club.store.device("phone", of: "ben"))
        let first = try await club.launch(selling: anna.launched) { $0.purchases.accounts = .separate }
        guard case .success = await first.purchase("club.silver") else {
            Issue.record("not bought")
            return
        }
        await first.stop()

        // The period of a month has ended two days ago.
        let second = try await club.makeManager(selling: ben.launched, ahead: 33 * 86_400) {
            $0.purchases.accounts = .separate
            $0.purchases.renewalLeeway = .seconds(days * 86_400)
        }
        await second.loadProducts()
        let account = try await club.store.customers().first { $0.name == "anna" }?.appTransactionID
        #expect(try await second.ledger.otherAccounts(owning: "club.silver") == (isOwned ? [account] : []))
        await second.stop()
    }

    @Test func `a snapshot for extensions shows nothing of the former account, even if the new one cannot be read`()
        async throws
    {
        let key = try OwnershipSnapshotKey(Data(repeating: 7, count: 32))
        let file = folder["shared/ownership"]
        func launch(_ store: any Store) async throws -> CatalogManager {
            let manager = try await makeManager(store: store) {
                $0.purchases.accounts = .separate
                $0.snapshot = OwnershipSnapshotFile(url: file, key: key)
            }
            await manager.loadProducts()
            return manager
        }
        let first = try await launch(try await device(of: "anna").launched)
        #expect(await buy("lisbon", with: first) == "charged")
        while (try? OwnershipSnapshot(contentsOf: file, key: key))?.owns(.voyager("lisbon")) != true {
            await Task.yield()
        }
        await first.stop()

        var store = InterceptedStore(try await device(of: "ben"))
        store.onKnownTransactions = { () throws(StoreError) in throw StoreError(code: .network, reason: "no network") }
        let second = try await launch(store)
        #expect(second.ledger.ownershipUnknownReason == .purchasesNotRead)
        while try OwnershipSnapshot(contentsOf: file, key: key).owns(.voyager("lisbon")) { await Task.yield() }
        await second.stop()
    }
}
