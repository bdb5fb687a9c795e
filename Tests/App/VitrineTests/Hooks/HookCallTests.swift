import Testing
import Vitrine
import VitrineHostedContent
import VitrineStoreSimulator
import VitrineTestSupport

/// Calls of a manager within the hooks that it awaits. The limit for hooks never passes here, so that a call that waited
/// for its own hook would not end.
@Suite(.hangLimit) struct HookCallTests: ManagerScene {
    let voyager: VoyagerStore
    let folder: TemporaryFolder

    init() throws {
        voyager = try VoyagerStore()
        folder = try TemporaryFolder()
    }

    @Test(arguments: AppHook.allCases, HookCase.all)
    func `a call of the manager within a hook of the app is answered, or refused, without waiting for the hook`(
        hook: AppHook, call: HookCase
    ) async throws {
        let (body, outcome) = (HookBody(), Recorder<String>())
        let manager = try await makeManager(running: body, in: hook, readsReceipts: true)
        // Content of an owned product can be downloaded within the hooks that no download waits for.
        if hook != .download { try await manager.unlock(.voyager("rome")) }
        body.set { outcome.record(await call.outcome(with: manager)) }
        await work(of: manager, running: body, in: hook)

        #expect(outcome.values == [call.refusing.contains(hook) ? "refused" : "answered"])
        await manager.stop()
    }

    @Test func `content that the delivery handler downloads is installed before the handler returns`() async throws {
        let (body, installed) = (HookBody(), Recorder<Bool>())
        let manager = try await makeManager(running: body, in: .delivery)
        try await manager.unlock(.voyager("rome"))
        body.set { installed.record((try? await manager.content.download(for: .voyager("rome"))) != nil) }

        #expect(await buy("lisbon", with: manager) == "charged")
        #expect(installed.values == [true])
    }

    @Test func `a load that begins within a hook ends after it, and delivers what the store has`() async throws {
        let (body, statuses) = (HookBody(), Recorder<LoadingStatus>())
        let manager = try await makeManager(running: body, in: .delivery)
        let events = manager.events()
        body.set { statuses.record(await manager.loadProducts()) }

        #expect(await buy("lisbon", with: manager) == "charged")
        #expect(statuses.values.count == 1)
        await events.next { if case .loading(.statusChanged(.productsLoading)) = $0 { true } else { false } }
        await events.next { if case .loading(.statusChanged(.productsLoaded)) = $0 { true } else { false } }
        #expect(try await voyager.store.unfinishedTransactions().isEmpty)
    }

    @Test func `a task that a hook starts is within the hook until the hook ends, and outside of it afterwards`()
        async throws
    {
        let (body, gate, later) = (HookBody(), Gate(), Recorder<Task<String, Never>>())
        let during = Recorder<String>()
        let manager = try await makeManager(running: body, in: .delivery)
        body.set {
            during.record(await Task { await HookCase.restore.outcome(with: manager) }.value)
            later.record(
                Task {
                    await gate.pass()
                    return await HookCase.restore.outcome(with: manager)
                })
        }
        #expect(await buy("lisbon", with: manager) == "charged")
        await gate.open()

        #expect(during.values == ["refused"])
        #expect(await later.values.first?.value == "answered")
    }

    @Test func `a purchase within a hook is refused with the reason, and the store is not asked`() async throws {
        let (body, reasons) = (HookBody(), Recorder<String>())
        let manager = try await makeManager(running: body, in: .verification)
        body.set {
            if case .failed(let failure) = await manager.purchase(.voyager("porto")) { reasons.record(failure.reason) }
        }
        #expect(await buy("lisbon", with: manager) == "charged")

        #expect(
            reasons.values == [
                "a purchase of com.example.voyager.porto cannot be waited for within a hook of the app, which holds up "
                    + "what it would wait for"
            ])
        #expect(try await voyager.store.transactions().count == 1)
    }
}
