import Foundation
import Testing
import Vitrine
import VitrineEntitlements
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Promoted purchases, and purchases that need approval.
extension CatalogManagerTests {
    private func isPromotion(_ event: CatalogEvent) -> Bool {
        if case .purchase(.promoted) = event { true } else { false }
    }

    @Test func `a promoted purchase received before the load is made once products are loaded`() async throws {
        let manager = try await makeManager()
        let (promoted, answers) = (manager.events(), manager.events())
        try await voyager.store.promote(.voyager("lisbon"))
        await promoted.next(isPromotion)
        #expect(await manager.purchases.promoted == [.voyager("lisbon")])
        #expect(try await voyager.store.transactions().isEmpty)

        await manager.loadProducts()
        guard case .success = await answers.nextAnswer() else {
            Issue.record("it was not bought")
            return
        }
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(await manager.purchases.promoted.isEmpty)
    }

    @Test func `a promoted purchase received after the load is made at once`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        let answers = manager.events()
        try await voyager.store.promote(.voyager("coins50"))
        _ = await answers.nextAnswer()

        #expect(manager.wallets.balance(for: "coins") == .known(50))
    }

    @Test func `with buysPromoted off, a promoted purchase is reported, and made when the app calls buyPromoted`()
        async throws
    {
        let manager = try await makeManager { $0.purchases.buysPromoted = false }
        await manager.loadProducts()
        let (promoted, answers) = (manager.events(), manager.events())
        try await voyager.store.promote(.voyager("lisbon"))
        await promoted.next(isPromotion)
        await manager.loadProducts()
        #expect(await manager.purchases.promoted == [.voyager("lisbon")])
        #expect(try await voyager.store.transactions().isEmpty)

        await manager.purchases.buyPromoted()
        _ = await answers.nextAnswer()
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(await manager.purchases.promoted.isEmpty)
        await manager.purchases.buyPromoted()
        #expect(try await voyager.store.transactions().count == 1)
    }

    @Test func `a promoted purchase waits until the store has answered after a change of storefront`() async throws {
        let (isMoved, gate, simulated) = (Recorder<Void>(), Gate(), voyager.store)
        var store = InterceptedStore(simulated)
        store.onProducts = { identifiers async throws(StoreError) in
            if !isMoved.values.isEmpty { await gate.pass() }
            return try await simulated.products(for: identifiers)
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        isMoved.record(())
        try await simulated.setStorefront("DEU")
        await gate.arrival()
        let (promoted, answers) = (manager.events(), manager.events())
        try await simulated.promote(.voyager("lisbon"))
        await promoted.next(isPromotion)
        await manager.purchases.buyPromoted()
        #expect(await manager.purchases.promoted == [.voyager("lisbon")])

        await gate.open()
        guard case .success = await answers.nextAnswer() else {
            Issue.record("it was not bought")
            return
        }
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(await manager.purchases.promoted.isEmpty)
    }

    @Test func `after the manager is stopped, no further promoted purchases are made`() async throws {
        let (gate, asked, base) = (Gate(), Recorder<String>(), voyager.store)
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, options throws(StoreError) in
            asked.record(identifier)
            await gate.pass()
            return try await base.purchase(identifier, options: options)
        }
        let manager = try await makeManager(store: store)
        let promoted = manager.events()
        for name in ["lisbon", "porto"] {
            try await base.promote(.voyager(name))
            await promoted.next(isPromotion)
        }
        async let status = manager.loadProducts()
        await gate.arrival()
        await manager.stop()
        await gate.open()

        #expect(await status == .productsLoaded)
        #expect(asked.values == [.voyager("lisbon")])
        #expect(await manager.purchases.promoted == [.voyager("porto")])
    }

    @Test(arguments: ["lisbon", "madrid"])
    func `a promoted purchase of an owned product fails as already owned`(name: String) async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        #expect(await buy(name == "lisbon" ? name : "iberia", with: manager) == "charged")
        let answers = manager.events()
        try await voyager.store.promote(.voyager(name))

        guard case .failed(let failure) = await answers.nextAnswer() else {
            Issue.record("it was not refused")
            return
        }
        #expect(failure.code == .alreadyOwned)
        #expect(try await voyager.store.transactions().count == 1)
    }

    // MARK: Ask to Buy

    @Test func `a purchase that requires approval is pending, and its product is owned once it is approved`()
        async throws
    {
        try await voyager.store.setAsksToBuy(true)
        let manager = try await makeManager()
        await manager.loadProducts()
        let events = manager.events()
        guard case .pending(.askToBuy) = await manager.purchase(.voyager("lisbon")) else {
            Issue.record("it was not pending")
            return
        }
        #expect(manager.ownedProducts.isEmpty)

        try await voyager.store.approve("1")
        await events.next { if case .entitlements(.ownershipChanged) = $0 { true } else { false } }
        #expect(manager.ownedProducts == [.voyager("lisbon")])
    }

    @Test func `a purchase approved between launches is owned at the next launch, and a declined one is not`()
        async throws
    {
        try await voyager.store.setAsksToBuy(true)
        let first = try await makeManager()
        await first.loadProducts()
        for name in ["lisbon", "porto"] { #expect(await buy(name, with: first) == "pending") }
        await first.stop()
        let other = try voyager.reopened()
        try await other.approve("1")
        try await other.decline("2")
        let second = try await makeManager(store: other)
        await second.loadProducts()

        #expect(second.ownedProducts == [.voyager("lisbon")])
        #expect(try await other.unfinishedTransactions().isEmpty)
    }

    @Test func `a purchase that waits for approval is shown for a day after the clock that was ahead is put right`()
        async throws
    {
        let (clock, day) = (voyager.clock, 86_400.0)
        try await voyager.store.setAsksToBuy(true)
        for (lead, isShown) in [(60.0, true), (0, true), (0.5, true), (1, false)] {
            let manager = try await makeManager { $0.now = { clock.now + lead * day } }
            await manager.loadProducts()
            if lead == 60 { #expect(await buy("lisbon", with: manager) == "pending") }
            #expect(
                try listing("lisbon", of: manager).purchase == (isShown ? .waitingForApproval : nil), "\(lead) days")
            await manager.stop()
        }
    }

    @Test func `a purchase that waits for approval is requested once and shown as waiting for a day`()
        async throws
    {
        try await voyager.store.setAsksToBuy(true)
        let first = try await makeManager()
        await first.loadProducts()
        for name in ["lisbon", "coins50"] { #expect(await buy(name, with: first) == "pending") }
        await first.stop()
        let second = try await makeManager()
        await second.loadProducts()
        for name in ["lisbon", "coins50"] {
            #expect(try listing(name, of: second).purchase == .waitingForApproval)
        }
        #expect(try listing("porto", of: second).purchase == nil)

        voyager.clock.advance(by: 3_600)
        #expect(await buy("lisbon", with: second) == "pending")
        #expect(try await voyager.store.pendingPurchases().count == 2)
        let events = second.events()
        try await voyager.store.approve("1")
        await events.next { if case .transaction(.finished) = $0 { true } else { false } }
        #expect(try listing("lisbon", of: second).purchase == nil)
        await second.stop()

        voyager.clock.advance(by: 86_400 - 3_600)
        let third = try await makeManager()
        await third.loadProducts()
        #expect(try listing("coins50", of: third).purchase == nil)
    }

    // MARK: The family

    @Test func `a product shared by the family is owned until sharing ends`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        try await voyager.store.share(.voyager("lisbon"))
        await manager.purchases.deliverUnfinished()
        let reason = Ownership.Reason.transaction(
            .init(id: "1", purchaseDate: voyager.clock.now, isFamilyShared: true))
        #expect(manager.ownership(of: .voyager("lisbon")) == .owned(because: [reason]))

        try await voyager.store.revokeFamily("1")
        await manager.purchases.deliverUnfinished()
        #expect(manager.ownership(of: .voyager("lisbon")) == .notOwned)
        #expect(try listing("lisbon", of: manager).isOffered)
    }
}
