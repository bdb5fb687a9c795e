import Foundation
import Purchasing
import StoreSimulator
import TestSupport
import Testing
import Vitrine

/// What a call has checked beside Vitrine's own verification.
extension CatalogManagerTests {
    private func handlers(_ call: CallListener, _ verdicts: Recorder<AppVerification>) async -> PurchaseHandlers {
        var handlers = await call.handlers
        handlers.onVerify = { _ in verdicts.values.last ?? .undetermined("nobody has decided yet") }
        return handlers
    }

    @Test @MainActor func `what the call rejects is not recorded by this process, and delivered by the next`()
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
        await manager.deliverUnfinished()
        try await manager.retryPending()

        #expect(manager.ownedProducts.isEmpty)
        #expect(manager.walletBalance(for: "coins") == .known(0))
        #expect(try await voyager.store.unfinishedTransactions().count == 2)
        await manager.stop()
        let next = try await makeManager(store: try voyager.reopened())
        await next.loadProducts()
        #expect(next.ownedProducts == [.voyager("lisbon")])
        #expect(next.walletBalance(for: "coins") == .known(50))
    }

    @Test @MainActor func `what the call cannot tell is pending, and asked about again`() async throws {
        let manager = try await makeManager()
        await manager.loadProducts()
        let (call, verdicts) = (CallListener(), Recorder<AppVerification>())
        #expect(manager.purchase(.voyager("lisbon"), handlers: await handlers(call, verdicts)))
        #expect(await call.next() == "pending verification")
        await manager.deliverUnfinished()
        #expect(manager.ownedProducts.isEmpty)

        verdicts.record(.verified)
        await manager.deliverUnfinished()
        #expect(manager.ownedProducts == [.voyager("lisbon")])
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
        #expect(call.words == ["pending verification"])
    }

    @Test @MainActor func `without a check of its own Vitrine's decides`() async throws {
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

    @Test @MainActor func `a transaction that comes before the store has answered the call is checked too`()
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
        await manager.deliverUnfinished()
        #expect(manager.ownedProducts.isEmpty)

        await gate.open()
        #expect(await call.next() == "failed rejected")
        await manager.deliverUnfinished()
        #expect(manager.ownedProducts.isEmpty)
    }

    @Test @MainActor func `a restore checks what it brings, and leaves other accounts alone`() async throws {
        let first = try await makeManager()
        await first.loadProducts()
        let (ours, theirs) = (UUID(), UUID())
        for (name, account) in [("lisbon", ours), ("porto", ours), ("vienna", theirs)] {
            _ = await first.purchase(.voyager(name), options: PurchaseOptions(accountToken: account))
        }
        await first.stop()
        try FileManager.default.removeItem(at: folder["home"])
        let second = try await makeManager()
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
