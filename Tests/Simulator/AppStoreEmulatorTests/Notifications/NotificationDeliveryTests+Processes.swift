import Foundation
import Testing
import VitrineAppStoreEmulator
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Several objects for the same store, as in several processes.
extension NotificationDeliveryTests {
    /// Store in a folder, which several objects use.
    struct StoreInFolder: Sendable {
        let folder: TemporaryFolder

        init(_ environment: StoreEnvironment = .sandbox, webhook: LoopbackServer) async throws {
            folder = try TemporaryFolder()
            try SimulatedStore.create(
                in: folder.url, configuration: Data(contentsOf: Repository.file("Catalogs/Club.storekit")),
                bundleIdentifier: ServedStore.bundle, seed: 7)
            let store = try SimulatedStore(folder: folder.url)
            try await store.setEnvironment(
                environment, appIdentifier: environment == .production ? ServedStore.app : nil)
            try await store.setNotificationURL(webhook.url.appending(path: "notifications"))
            try await store.useVirtualClock(at: NotifiedStore.start)
        }

        func open() throws -> SimulatedStore { try SimulatedStore(folder: folder.url) }
    }

    @Test func `two servers of one store deliver each notification once`() async throws {
        let receiver = try await LoopbackServer(.reply())
        let shared = try await StoreInFolder(webhook: receiver)
        try await ServedStore.run(shared.open()) { first in
            try await ServedStore.run(shared.open()) { second in
                for number in 0..<30 {
                    try await (number.isMultiple(of: 2) ? first : second).store.purchaseElsewhere("coins")
                }
                try await second.store.advance(by: 1)
                try await first.store.advance(by: 1)
                let arrived = try await NotifiedStore(served: second, receiver: receiver).received()

                #expect(arrived.count == 30)
                #expect(
                    try await first.store.notifications().map { $0.attempts.map(\.result) }
                        == Array(repeating: ["SUCCESS"], count: 30))
            }
        }
    }

    @Test func `a server delivers the notifications of a store after another server of the store has ended`()
        async throws
    {
        let receiver = try await LoopbackServer(.reply())
        let shared = try await StoreInFolder(webhook: receiver)
        let (runs, isRunning) = AsyncStream<Void>.makeStream()
        let end = Gate()
        let first = Task {
            try await ServedStore.run(shared.open()) { served in
                try await served.store.purchaseElsewhere("coins")
                isRunning.yield()
                await end.pass()
            }
        }
        _ = await runs.first { _ in true }
        try await ServedStore.run(shared.open()) { second in
            await receiver.arrival()
            // What the first server has delivered and not recorded when it ends is delivered again.
            try await second.store.advance(by: 1)
            await end.open()
            try await first.value
            try await second.store.purchaseElsewhere("map")
            await receiver.arrival()
            try await second.store.advance(by: 1)

            #expect(try await second.store.notifications().map { $0.attempts.count } == [1, 1])
            #expect(receiver.requests.count == 2)
        }
    }

    @Test func `the notification of a change by another process is delivered at the next poll, after 100 ms`()
        async throws
    {
        let (receiver, sleep) = (try await LoopbackServer(.reply()), ManualSleep())
        let shared = try await StoreInFolder(webhook: receiver)
        var options = AppStoreEmulatorOptions()
        options.sleep = { try await sleep.sleep($0) }
        try await ServedStore.run(shared.open(), options: options) { served in
            #expect(await sleep.begun() == .milliseconds(100))
            let other = try shared.open()
            try await other.purchaseElsewhere("coins")
            sleep.wake()
            await receiver.arrival()
            let arrived = try await NotifiedStore(served: served, receiver: receiver).received()
            #expect(arrived.map(\.row) == ["ONE_TIME_CHARGE"])
        }
    }

    @Test func `a virtual clock that another process advances waits for each delivery attempt of a notification`()
        async throws
    {
        let receiver = try await LoopbackServer(.reply(503))
        let shared = try await StoreInFolder(.production, webhook: receiver)
        try await ServedStore.run(shared.open()) { _ in
            let other = try shared.open()
            try await other.purchaseElsewhere("coins")
            try await other.advance(by: 8 * NotifiedStore.day)

            #expect(
                try await other.notifications().map { $0.attempts.map(\.date) }
                    == [Self.schedule.map { NotifiedStore.start + $0 * 3_600 }])
            #expect(receiver.requests.count == 6)
        }
    }

    @Test func `a notification that a server could not deliver is delivered by the next server`() async throws {
        let gate = Gate()
        let slow = try await LoopbackServer { _ in
            await gate.pass()
            return .reply()
        }
        let shared = try await StoreInFolder(webhook: slow)
        try await ServedStore.run(shared.open()) { served in
            try await served.store.purchaseElsewhere("coins")
            await slow.arrival()
        }
        #expect(try await shared.open().notifications().map(\.attempts) == [[]])
        await gate.open()
        try await ServedStore.run(shared.open()) { served in
            try await served.store.advance(by: 1)

            #expect(try await served.store.notifications().map { $0.attempts.map(\.result) } == [["SUCCESS"]])
            #expect(Set(slow.requests.map(\.body)).count == 1)
        }
    }
}
