import Testing
import Vitrine
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Hooks that take longer than the limit.
@Suite(.hangLimit) struct HookLimitTests: ManagerScene {
    let voyager: VoyagerStore
    let folder: TemporaryFolder
    private let sleep = ManualSleep()
    private let gate = Gate()

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    private var limit: HookLimit { HookLimit { [sleep] in try await sleep.sleep($0) } }

    private var unfinished: [String] {
        get async throws { try await voyager.store.unfinishedTransactions().map(\.id) }
    }

    /// Creates a manager whose next call of the hook waits for the gate.
    private func makeManager(waitingIn hook: AppHook) async throws -> CatalogManager {
        let body = HookBody()
        let manager = try await makeManager(running: body, in: hook, limit: limit)
        body.set { [gate] in await gate.pass() }
        return manager
    }

    private func isHeldUp(_ event: CatalogEvent) -> Bool {
        if case .transaction(.waiting(_, .hookRunning)) = event { true } else { false }
    }

    private func isCompletion(_ event: CatalogEvent) -> Bool {
        if case .purchase(.completed) = event { true } else { false }
    }

    /// Call that waits for the delivery of transactions.
    enum WaitingCall: String, Sendable, CaseIterable, CustomTestStringConvertible {
        case loadProducts, enterForeground, deliverUnfinished, retryPending, restore

        var testDescription: String { rawValue }

        func make(with manager: CatalogManager) async throws {
            switch self {
            case .loadProducts: await manager.loadProducts()
            case .enterForeground: await manager.enterForeground()
            case .deliverUnfinished: await manager.purchases.deliverUnfinished()
            case .retryPending: try await manager.purchases.retryPending()
            case .restore: _ = try await manager.restore()
            }
        }
    }

    @Test(arguments: [AppHook.verification, .delivery], WaitingCall.allCases)
    func `a call waits for a hook until the limit, and the purchase is complete as soon as the hook ends`(
        hook: AppHook, call: WaitingCall
    ) async throws {
        let manager = try await makeManager(waitingIn: hook)
        let (events, all) = (manager.events(), manager.events())
        try await voyager.store.purchaseElsewhere(.voyager("lisbon"))
        async let ended: Void = call.make(with: manager)
        await gate.arrival()
        #expect(await sleep.begun() == .seconds(30))
        sleep.wake()
        try await ended

        #expect(await manager.purchases.pending().map(\.state) == [.waiting(.hookRunning)])
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned == (hook == .delivery))
        #expect(try await unfinished == ["1"])
        await gate.open()
        await events.next(isCompletion)
        #expect(await manager.purchases.pending().isEmpty)
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
        #expect(try await unfinished.isEmpty)
        await manager.stop()
        #expect(await all.all().count(where: isHeldUp) == 1)
    }

    @Test func `a restore lists the purchase whose hook has not ended among the failed ones`() async throws {
        let manager = try await makeManager(waitingIn: .delivery)
        try await voyager.store.purchaseElsewhere(.voyager("lisbon"))
        async let restored = manager.restore()
        await gate.arrival()
        _ = await sleep.begun()
        sleep.wake()

        let result = try await restored
        #expect(result.restored.isEmpty)
        #expect(result.failed.map(\.reason) == [.waiting(.hookRunning)])
        await gate.open()
    }

    @Test func `a purchase waits for its own hook longer than the limit`() async throws {
        let manager = try await makeManager(waitingIn: .delivery)
        async let answer = buy("lisbon", with: manager)
        await gate.arrival()
        async let status = manager.loadProducts()
        _ = await sleep.begun()
        sleep.wake()
        #expect(await status == .productsLoaded)
        #expect(await manager.purchases.pending().map(\.state) == [.waiting(.hookRunning)])
        await gate.open()

        #expect(await answer == "charged")
        #expect(await manager.purchases.pending().isEmpty)
    }

    @Test func `the purchases of ten hooks that do not end hold up a load for one limit`() async throws {
        struct WaitingDelivery: DeliveryHandler {
            let gate: Gate

            func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision {
                await gate.pass()
                return .delivered
            }
        }
        for _ in 0..<10 { try await voyager.store.purchaseElsewhere(.voyager("coins50")) }
        let manager = try await makeManager { [gate, limit] in
            $0.purchases.hooks.delivery = WaitingDelivery(gate: gate)
            $0.purchases.hookLimit = limit
        }
        let events = manager.events()
        async let status = manager.loadProducts()
        await gate.arrival()
        _ = await sleep.begun()
        sleep.wake()

        #expect(await status == .productsLoaded)
        await gate.open()
        var completed = 0
        for await event in events where isCompletion(event) {
            completed += 1
            if completed == 10 { break }
        }
        #expect(manager.wallets.balance(for: "coins") == .known(500))
        #expect(try await unfinished.isEmpty)
    }

    /// Stops a manager while a hook holds up the purchase of a product with content, until the limit has passed.
    private func stop(whilePurchaseWaitsIn hook: AppHook) async throws -> (manager: CatalogManager, answer: String) {
        let manager = try await makeManager(waitingIn: hook)
        async let answer = buy("rome", with: manager)
        await gate.arrival()
        async let stopped: Void = manager.stop()
        #expect(await sleep.begun() == .seconds(30))
        sleep.wake()
        await stopped
        await gate.open()
        return (manager, await answer)
    }

    // MARK: Receipts and downloads

    @Test func `a load goes on without the receipt whose verifier has not answered within the limit`() async throws {
        let body = HookBody()
        let manager = try await makeManager(running: body, in: .receipt, limit: limit)
        body.set { [gate] in await gate.pass() }
        // The verifier has answered in the first load, which may have started a timer.
        sleep.wakeAll()
        let events = manager.events()

        #expect(await manager.loadProducts() == .productsLoaded)
        await gate.open()
        await manager.stop()
        #expect(
            await events.all().contains { event in
                if case .receipt(.validationFailed(.undetermined(let reason))) = event {
                    reason == "the app's receipt verifier has not answered yet"
                } else {
                    false
                }
            })
    }

    @Test func `a stop waits for a decision about a download until the limit`() async throws {
        let (manager, answer) = try await stop(whilePurchaseWaitsIn: .download)
        #expect(answer == "pending")
        #expect(manager.ownership(of: .voyager("rome")).isOwned)
    }

    @Test func `a delivery of unfinished purchases waits for a decision about a download until the limit`() async throws
    {
        let manager = try await makeManager(waitingIn: .download)
        let events = manager.events()
        try await voyager.store.purchaseElsewhere(.voyager("rome"))
        async let ended: Void = manager.purchases.deliverUnfinished()
        await gate.arrival()
        #expect(await sleep.begun() == .seconds(30))
        sleep.wake()
        await ended

        #expect(manager.ownership(of: .voyager("rome")).isOwned)
        #expect(try await unfinished == ["1"])
        await gate.open()
        await events.next(isCompletion)
        #expect(try await unfinished.isEmpty)
        await manager.stop()
    }

    // MARK: Stopping

    @Test(arguments: [AppHook.verification, .delivery])
    func `a stop during a load that a hook holds up ends after the limit, and the result of the hook is recorded`(
        hook: AppHook
    ) async throws {
        let manager = try await makeManager(waitingIn: hook)
        try await voyager.store.purchaseElsewhere(.voyager("lisbon"))
        async let status = manager.loadProducts()
        await gate.arrival()
        #expect(await sleep.begun() == .seconds(30))
        async let stopped: Void = manager.stop()
        sleep.wake()
        await stopped
        _ = await status
        #expect(try await unfinished == ["1"])
        await gate.open()

        while try await !unfinished.isEmpty { await Task.yield() }
        #expect(manager.ownership(of: .voyager("lisbon")).isOwned)
    }

    @Test func `a stop waits until the limit for the handler of a purchase whose content was downloaded`() async throws
    {
        let answer = try await stop(whilePurchaseWaitsIn: .delivery).answer
        #expect(answer == "charged")
        #expect(try await unfinished.isEmpty)
    }

    // MARK: Detached tasks

    @Test(arguments: WaitingCall.allCases)
    func `a hook that awaits a detached call of the manager ends after the limit`(call: WaitingCall) async throws {
        let body = HookBody()
        let manager = try await makeManager(running: body, in: .delivery, limit: limit)
        body.set { await Task.detached { try? await call.make(with: manager) }.value }
        let events = manager.events()
        try await voyager.store.purchaseElsewhere(.voyager("lisbon"))
        async let status = manager.loadProducts()
        #expect(await sleep.begun() == .seconds(30))
        sleep.wake()

        #expect(await status == .productsLoaded)
        await events.next(isCompletion)
        #expect(try await unfinished.isEmpty)
    }

    @Test func `a hook that awaits a detached purchase of its own product ends after the limit`() async throws {
        let (body, answers) = (HookBody(), Recorder<String>())
        let manager = try await makeManager(running: body, in: .delivery, limit: limit)
        body.set { await Task.detached { answers.record(await manager.purchase(.voyager("lisbon")).word) }.value }
        let events = manager.events()
        try await voyager.store.purchaseElsewhere(.voyager("lisbon"))
        async let status = manager.loadProducts()
        #expect(await sleep.begun() == .seconds(30))
        sleep.wake()

        #expect(await status == .productsLoaded)
        await events.next(isCompletion)
        #expect(answers.values == ["pending"])
        #expect(try await voyager.store.transactions().count == 1)
    }
}
