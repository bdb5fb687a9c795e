import Foundation
import Testing
import Vitrine
import VitrineCatalog
import VitrinePurchasing
import VitrineStoreSimulator
import VitrineTestSupport

/// Purchases and restores whose results are reported to closures or delegates.
extension CatalogManagerTests {
    /// Outcome of a purchase in the store, with the callbacks that a call then receives.
    enum CallCase: String, CaseIterable, Sendable {
        case success, boughtBefore, failure, cancellation, pending

        var names: (all: String, few: String) {
            switch self {
            case .success: ("succeeded lisbon", "succeeded lisbon")
            case .boughtBefore: ("restored lisbon", "succeeded lisbon")
            case .failure: ("failed not-available", "failed not-available")
            case .cancellation: ("cancelled", "failed cancelled")
            case .pending: ("pending approval", "")
            }
        }
    }

    private func makeManager(for callCase: CallCase) async throws -> CatalogManager {
        let manager = try await makeManager()
        await manager.loadProducts()
        switch callCase {
        case .success: break
        case .boughtBefore: #expect(await buy("lisbon", with: manager) == "charged")
        case .failure: try await voyager.store.fail(.notAvailable)
        case .cancellation: try await voyager.store.fail(.cancelled)
        case .pending: try await voyager.store.setAsksToBuy(true)
        }
        return manager
    }

    @Test(arguments: CallCase.allCases) @MainActor
    func `a purchase call reports its result once, to its handlers or to its delegate`(_ callCase: CallCase)
        async throws
    {
        let manager = try await makeManager(for: callCase)
        let (handled, delegate) = (CallListener(), CallListener())
        #expect(manager.purchase(.voyager("lisbon"), handlers: handled.handlers))
        #expect(await handled.next() == callCase.names.all)
        #expect(handled.names.count == 1)

        // What was bought by now is not charged for again.
        #expect(manager.purchase(.voyager("lisbon"), delegate: delegate))
        #expect(await delegate.next() == (callCase == .success ? "restored lisbon" : callCase.names.all))
        #expect(delegate.names.count == 1)
    }

    @Test(arguments: CallCase.allCases.filter { $0 != .pending }) @MainActor
    func `without optional handlers, an owned product is a success and a canceled purchase a failure`(
        _ callCase: CallCase
    ) async throws {
        let manager = try await makeManager(for: callCase)
        let (handled, delegate) = (CallListener(), PlainListener())
        #expect(manager.purchase(.voyager("lisbon"), handlers: handled.fewHandlers))
        #expect(await handled.next() == callCase.names.few)
        #expect(manager.purchase(.voyager("lisbon"), delegate: delegate))

        #expect(await delegate.next() == callCase.names.few.replacing(" lisbon", with: ""))
    }

    @Test @MainActor func `without a handler for pending purchases, a pending purchase is reported only as an event`()
        async throws
    {
        let manager = try await makeManager(for: .pending)
        let (handled, events) = (CallListener(), manager.events())
        #expect(manager.purchase(.voyager("lisbon"), handlers: handled.fewHandlers))
        guard case .pending(.askToBuy) = await events.nextAnswer() else {
            Issue.record("it was not pending")
            return
        }
        #expect(manager.listing(for: .voyager("lisbon"))?.purchase == .waitingForApproval)
        #expect(handled.names.isEmpty)
    }

    @Test @MainActor func `concurrent purchase calls each receive the result of their own purchase and no others`()
        async throws
    {
        let manager = try await makeManager()
        await manager.loadProducts()
        let names = ["lisbon", "porto", "vienna", "coins50", "coins500"]
        let calls = names.map { _ in CallListener() }
        for (index, name) in names.enumerated() {
            if index.isMultiple(of: 2) {
                #expect(manager.purchase(.voyager(name), handlers: calls[index].handlers))
            } else {
                #expect(manager.purchase(.voyager(name), delegate: calls[index]))
            }
        }
        for (call, name) in zip(calls, names) { #expect(await call.next() == "succeeded \(name)") }

        #expect(calls.allSatisfy { $0.names.count == 1 })
        #expect(manager.wallets.balance(for: "coins") == .known(550))
    }

    @Test @MainActor
    func `a second purchase call for a product fails while the first call is in progress, and the first call succeeds`()
        async throws
    {
        let gate = Gate()
        let manager = try await makeManager(store: store(sellsBehind: gate))
        await manager.loadProducts()
        let (first, second, third) = (CallListener(), CallListener(), CallListener())
        #expect(manager.purchase(.voyager("lisbon"), handlers: first.handlers))
        await gate.arrival()
        #expect(manager.purchase(.voyager("lisbon"), handlers: second.handlers))
        #expect(await second.next() == "failed in-progress")
        #expect(
            manager.purchase(.voyager("lisbon"), options: PurchaseOptions(quantity: 2), handlers: third.handlers))
        #expect(await third.next() == "failed invalid-quantity")
        #expect(manager.listing(for: .voyager("lisbon"))?.purchase == .inProgress)

        await gate.open()
        #expect(await first.next() == "succeeded lisbon")
        #expect(manager.listing(for: .voyager("lisbon"))?.purchase == nil)
    }

    @Test(arguments: ["nothing", "atlantis"]) @MainActor
    func `a purchase call for an unavailable product returns false at once and calls no handler`(name: String)
        async throws
    {
        let manager = try await makeManager()
        let (none, call, events) = (CallListener(), CallListener(), manager.events())
        #expect(!manager.purchase(.voyager("lisbon"), handlers: none.handlers))
        await manager.loadProducts()
        #expect(!manager.purchase(.voyager(name), handlers: none.handlers))
        #expect(!manager.purchase(.voyager(name), delegate: none))
        #expect(manager.purchase(.voyager("lisbon"), handlers: call.handlers))
        #expect(await call.next() == "succeeded lisbon")
        await manager.stop()

        #expect(none.names.isEmpty)
        var answered: [String] = []
        for await event in events {
            if case .purchase(.answered(let identifier, _)) = event { answered.append(identifier) }
        }
        #expect(answered == [.voyager("lisbon")])
    }

    @Test @MainActor func `a product fetch does not retain its delegate`() async throws {
        let gate = Gate()
        let manager = try await makeManager(store: store(asksAboutProductsBehind: gate))
        var delegate: CallListener? = CallListener()
        weak let retained = delegate
        if let delegate { manager.catalog.fetchProducts([.voyager("lisbon")], delegate: delegate) }
        await gate.arrival()
        delegate = nil
        #expect(retained == nil)
        await gate.open()
    }
}
