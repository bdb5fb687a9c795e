import Foundation
import Testing
import Vitrine
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Verification by a call's handler, in addition to Vitrine's own verification.
extension CatalogManagerTests {
    private func handlers(_ call: CallListener, _ verdicts: Recorder<AppVerification>) async -> PurchaseHandlers {
        var handlers = await call.handlers
        handlers.onVerify = { _ in verdicts.values.last ?? .undetermined("nobody has decided yet") }
        return handlers
    }

    @Test @MainActor
    func `a transaction rejected by the purchase call's hook is not recorded, and is delivered after a relaunch`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        let (handled, delegate) = (CallListener(), CallListener(verdict: .rejected("not this one")))
        let verdicts = Recorder<AppVerification>()
        verdicts.record(.rejected("not this one"))
        #expect(manager.purchase(.voyager("lisbon"), handlers: await handlers(handled, verdicts)))
        #expect(await handled.next() == "failed rejected")
        #expect(manager.purchase(.voyager("coins50"), delegate: delegate))
        #expect(await delegate.next() == "failed rejected")
        await manager.purchases.deliverUnfinished()
        try await manager.purchases.retryPending()

        #expect(manager.ownedProducts.isEmpty)
        #expect(manager.wallets.balance(for: "coins") == .known(0))
        #expect(try await voyager.store.unfinishedTransactions().count == 2)
        await manager.stop()
        let next = try await makeManager(store: try voyager.reopened())
        await next.loadProducts()
        #expect(next.ownedProducts == [.voyager("lisbon")])
        #expect(next.wallets.balance(for: "coins") == .known(50))
    }

    @Test @MainActor
    func `a transaction that the purchase call's verification hook cannot judge is pending and verified again later`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        let (call, verdicts) = (CallListener(), Recorder<AppVerification>())
        #expect(manager.purchase(.voyager("lisbon"), handlers: await handlers(call, verdicts)))
        #expect(await call.next() == "pending verification")
        await manager.purchases.deliverUnfinished()
        #expect(manager.ownedProducts.isEmpty)

        verdicts.record(.verified)
        await manager.purchases.deliverUnfinished()
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
        #expect(call.names == ["pending verification"])
    }

    @Test @MainActor
    func `a forged transaction is rejected even if the purchase call's verification hook is missing or accepts it`()
        async throws
    {
        var store = InterceptedStore(voyager.store)
        store.onPurchase = { _, _ throws(StoreError) in .purchased(StoreTransaction(id: "1", signedData: "forged")) }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        let (handled, delegate) = (CallListener(), CallListener(verdict: .verified))
        #expect(manager.purchase(.voyager("lisbon"), handlers: handled.handlers))
        #expect(await handled.next() == "failed rejected")
        #expect(manager.purchase(.voyager("lisbon"), delegate: delegate))

        #expect(await delegate.next() == "failed rejected")
        #expect(manager.ownedProducts.isEmpty)
    }

    @Test @MainActor
    func `a transaction that arrives before the purchase call returns is verified by the hook of that call`()
        async throws
    {
        let (gate, base) = (Gate(), voyager.store)
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, options throws(StoreError) in
            let answer = try await base.purchase(identifier, options: options)
            await gate.pass()
            return answer
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        let (call, verdicts) = (CallListener(), Recorder<AppVerification>())
        verdicts.record(.rejected("not this one"))
        #expect(manager.purchase(.voyager("lisbon"), handlers: await handlers(call, verdicts)))
        await gate.arrival()
        await manager.purchases.deliverUnfinished()
        #expect(manager.ownedProducts.isEmpty)

        await gate.open()
        #expect(await call.next() == "failed rejected")
        await manager.purchases.deliverUnfinished()
        #expect(manager.ownedProducts.isEmpty)
    }

    @Test @MainActor func `a later purchase call does not replace the verification hook of an earlier call`()
        async throws
    {
        let (gate, base, isLater) = (Gate(), voyager.store, Recorder<Void>())
        var store = InterceptedStore(base)
        store.onPurchase = { identifier, options throws(StoreError) in
            if !isLater.values.isEmpty { await gate.pass() }
            return try await base.purchase(identifier, options: options)
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        let (first, later, verdicts) = (CallListener(), CallListener(), Recorder<AppVerification>())
        #expect(manager.purchase(.voyager("lisbon"), handlers: await handlers(first, verdicts)))
        #expect(await first.next() == "pending verification")
        isLater.record(())
        #expect(manager.purchase(.voyager("lisbon"), delegate: later))
        await gate.arrival()
        await manager.purchases.deliverUnfinished()
        #expect(manager.ownedProducts.isEmpty)

        await gate.open()
        #expect(await later.next() == "pending verification")
        manager.restore(delegate: later)
        #expect(await later.next() == "restore: [], had []")
        await manager.purchases.deliverUnfinished()
        #expect(manager.ownedProducts.isEmpty)
        #expect(later.asked.isEmpty)
        verdicts.record(.verified)
        await manager.purchases.deliverUnfinished()
        #expect(manager.ownedProducts == [.voyager("lisbon")])
    }

    @Test(arguments: ["a lost answer", "an approval"]) @MainActor
    func `a transaction that arrives after the purchase call has returned is verified by the hook of that call`(
        _ delay: String
    )
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        let isApproved = delay == "an approval"
        if isApproved { try await voyager.store.setAsksToBuy(true) } else { try await voyager.store.fail(.lostAnswer) }
        let (call, verdicts) = (CallListener(), Recorder<AppVerification>())
        verdicts.record(.rejected("not this one"))
        #expect(manager.purchase(.voyager("lisbon"), handlers: await handlers(call, verdicts)))
        #expect(await call.next()?.hasPrefix("pending") == true)
        let events = manager.events()
        if let waiting = try await voyager.store.pendingPurchases().first {
            try await voyager.store.approve(waiting.id)
            await events.next { event in
                switch event {
                case .transaction(.rejected), .transaction(.finished): true
                default: false
                }
            }
        }
        await manager.purchases.deliverUnfinished()
        #expect(manager.ownedProducts.isEmpty)
        #expect(try await voyager.store.unfinishedTransactions().count == 1)

        verdicts.record(.verified)
        await manager.purchases.deliverUnfinished()
        #expect(manager.ownedProducts == [.voyager("lisbon")])
    }

    @Test @MainActor
    func `the verification hook of a completed purchase call does not verify the next purchase of the product`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        try await voyager.store.fail(.lostAnswer, times: 1)
        let (call, verdicts) = (CallListener(), Recorder<AppVerification>())
        verdicts.record(.verified)
        #expect(manager.purchase(.voyager("coins50"), handlers: await handlers(call, verdicts)))
        _ = await call.next()
        await manager.purchases.deliverUnfinished()
        #expect(manager.wallets.balance(for: "coins") == .known(50))
        verdicts.record(.rejected("not this one"))
        _ = try await voyager.store.purchase(.voyager("coins50"), options: PurchaseOptions())
        await manager.purchases.deliverUnfinished()

        #expect(manager.wallets.balance(for: "coins") == .known(100))
    }

    @Test(arguments: [true, false]) @MainActor
    func `the delegate of a purchase call is retained until the purchase is verified and answered, and then released`(
        isGood: Bool
    )
        async throws
    {
        let gate = Gate()
        let manager = try await makeManager(store: store(sellsBehind: gate))
        await manager.loadProducts()
        var delegate: CallListener? = CallListener(verdict: isGood ? .verified : .rejected("not this one"))
        weak let retained = delegate
        if let delegate { #expect(manager.purchase(.voyager("lisbon"), delegate: delegate)) }
        await gate.arrival()
        delegate = nil
        await gate.open()

        #expect(await retained?.next() == (isGood ? "succeeded lisbon" : "failed rejected"))
        #expect(manager.ownedProducts == (isGood ? [.voyager("lisbon")] : []))
        guard isGood else { return }
        await letTasksRun { retained == nil }
        #expect(retained == nil)
    }

    @Test @MainActor func `a restore call verifies restored transactions and ignores those of other account tokens`()
        async throws
    {
        let first = try await makeManager()
        await first.loadProducts()
        let (ours, theirs) = (UUID(), UUID())
        for (name, account) in [("lisbon", ours), ("porto", ours), ("vienna", theirs)] {
            _ = await first.purchase(.voyager(name), options: PurchaseOptions(accountToken: account))
        }
        await first.stop()
        try FileManager.default.removeItem(at: folder["home"])
        let second = try await makeManager(store: voyager.unlisted)
        await second.loadProducts()
        let call = CallListener()
        second.restore(accountToken: ours) {
            call.hear("restored \($0.restored.map(\.name)), \($0.failed.count) failed")
        } onFailure: {
            call.hear("\($0.code)")
        } onVerify: {
            $0.payload.productIdentifier == .voyager("lisbon") ? .verified : .rejected("not this one")
        }
        #expect(await call.next() == #"restored ["lisbon"], 1 failed"#)
        #expect(second.ownedProducts == [.voyager("lisbon")])

        second.restore(accountToken: theirs, delegate: call)
        #expect(await call.next() == #"restore: ["vienna"], had []"#)
        #expect(second.ownedProducts == ["lisbon", "vienna"].map(String.voyager))
        try await voyager.store.fail(.restore)
        second.restore(delegate: call)
        #expect(await call.next() == "not restored: unavailable")
    }
}
