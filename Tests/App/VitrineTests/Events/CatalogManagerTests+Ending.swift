import Foundation
import Testing
import VitrineEntitlements
import VitrineStoreSimulator
import VitrineTestSupport

@testable import Vitrine

#if !canImport(Combine)
    import OpenCombine
#else
    import Combine
#endif

/// Manager after it was stopped.
extension CatalogManagerTests {
    /// Returns the paths of the test's files that this process has open.
    private func openFiles() throws -> [String] {
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name in
            // Others of the process may be closed by now.
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
        }
        return files.filter { $0.hasPrefix(folder.url.path()) }
    }

    @Test @MainActor
    func `stopping the manager ends all its streams, publishers, notifications and models and releases them`()
        async throws
    {
        let (logger, lines) = RecordingLog.make()
        var manager: CatalogManager? = try await makeManager { $0.logger = logger }
        weak let retained = manager
        let (stream, model) = await { (manager: CatalogManager) in
            let posting = manager.postNotifications(to: NotificationCenter())
            let (stream, model) = (manager.events(), CatalogModel(manager))
            let (ended, continuation) = AsyncStream<String>.makeStream()
            let sink = manager.eventPublisher.sink { @Sendable _ in
                continuation.finish()
            } receiveValue: { @Sendable _ in
            }
            await manager.loadProducts()
            #expect(await buy("rome", with: manager) == "charged")
            await manager.stop()

            // Each of these ends.
            await posting.value
            await model.following?.value
            for await _ in ended { Issue.record("nothing but the end comes") }
            #expect(lines.values.contains { $0.text == "content installed" })
            withExtendedLifetime(sink) {}
            return (stream, Weak(model))
        }(try #require(manager))
        let written = lines.values.count
        var unread = 0
        for await _ in stream { unread += 1 }
        #expect(unread > 10)
        manager = nil
        // What runs when they end gives them up.
        await letTasksRun { retained == nil && model.value == nil }

        #expect(retained == nil)
        #expect(model.value == nil)
        #expect(lines.values.count == written)
        #if os(Linux)
            #expect(try openFiles() == [])
        #endif
    }

    #if os(Linux)
        @Test func `a manager that is released without being stopped closes its files`() async throws {
            var manager: CatalogManager? = try await makeManager()
            await manager?.loadProducts()
            #expect(try !openFiles().isEmpty)

            manager = nil
            await letTasksRun { (try? openFiles().isEmpty) ?? false }
            #expect(try openFiles() == [])
        }
    #endif

    @Test func `a stopped manager makes no requests when the app returns to the foreground`() async throws {
        let (asked, base) = (Recorder<Int>(), voyager.store)
        var store = InterceptedStore(base)
        store.onProducts = { identifiers throws(StoreError) in
            asked.record(identifiers.count)
            throw StoreError(code: .network, reason: "the store cannot be reached")
        }
        let manager = try await makeManager(store: store)
        await manager.loadProducts()
        await manager.stop()
        let count = asked.values.count
        _ = try await base.purchase(.voyager("lisbon"), options: PurchaseOptions())
        await manager.enterForeground()

        #expect(asked.values.count == count)
        #expect(try await base.unfinishedTransactions().count == 1)
    }

    /// Request to the store for which the manager waits after the app has entered the foreground.
    enum ForegroundWait: CaseIterable { case restriction, unfinished }

    @Test(arguments: ForegroundWait.allCases)
    func `a manager stopped during the return to the foreground makes no further requests`(
        wait: ForegroundWait
    ) async throws {
        let (asked, isWaiting, gate, base) = (Recorder<String>(), Recorder<Void>(), Gate(), voyager.store)
        var store = InterceptedStore(base)
        store.onProducts = { _ throws(StoreError) in
            asked.record("products")
            throw StoreError(code: .network, reason: "the store cannot be reached")
        }
        store.onPaymentRestriction = {
            if wait == .restriction, !isWaiting.values.isEmpty { await gate.pass() }
            return await base.paymentRestriction()
        }
        store.onUnfinished = { () async throws(StoreError) in
            asked.record("unfinished")
            if wait == .unfinished, !isWaiting.values.isEmpty { await gate.pass() }
            return try await base.unfinishedTransactions()
        }
        let server = try await LoopbackServer(.reply(500))
        let manager = try await makeManager(
            catalog: .remote(remote(server), local: Repository.sample("Voyager.plist")), store: store)
        await manager.loadProducts()
        let (before, requests) = (asked.values, server.requests.count)
        isWaiting.record(())
        async let returned: Void = manager.enterForeground()
        await gate.arrival()
        await manager.stop()
        await gate.open()
        await returned

        #expect(asked.values == before + (wait == .unfinished ? ["unfinished"] : []))
        #expect(server.requests.count == requests)
    }

    @Test func `changes after the manager is stopped are neither reported as events nor logged`() async throws {
        let (logger, lines) = RecordingLog.make()
        let manager = try await makeManager { $0.logger = logger }
        await manager.loadProducts()
        await manager.stop()
        let written = lines.values.count
        try await manager.wallets.deposit(5, in: "coins", token: "present", because: "a present")

        #expect(manager.wallets.balance(for: "coins") == .known(5))
        #expect(lines.values.count == written)
        #expect(await manager.events().first { _ in true } == nil)
    }
}

/// Weak reference to a value.
private struct Weak<Value: AnyObject & Sendable>: Sendable {
    weak let value: Value?

    init(_ value: Value) { self.value = value }
}
