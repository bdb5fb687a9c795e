import Foundation
import Testing
import VitrineAppStoreEmulator
import VitrineNetworking
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Test notifications, requested with the library's client.
@Suite struct TestNotificationTests {
    private func client(_ served: ServedStore) -> AppStoreServerClient {
        AppStoreServerClient(
            server: .other(served.url), key: served.key, bundleIdentifier: ServedStore.bundle,
            transport: DefaultTransport.patient, timeout: 600)
    }

    private func refusal(_ served: ServedStore, of token: String) async -> Int? {
        do throws(AppStoreServerError) {
            _ = try await client(served).testNotificationStatus(token)
            return nil
        } catch {
            return error.context?.code?.rawValue
        }
    }

    @Test func `a test notification is delivered, and its status reports the delivery`() async throws {
        try await NotifiedStore.run { notified in
            let token = try await client(notified.served).requestTestNotification()
            let received = try await notified.received()
            try await notified.store.advance(by: 1)
            let status = try await client(notified.served).testNotificationStatus(token)

            #expect(received.map(\.row) == ["TEST"])
            #expect(received[0].payload.data?.bundleIdentifier == ServedStore.bundle)
            #expect(UUID(uuidString: token) != nil)
            #expect(status.attempts.map(\.date) == [NotifiedStore.start])
            #expect(status.attempts.map(\.result) == [.success])
            #expect(try await notified.store.notifications().map(\.signedPayload) == [status.signedPayload])
        }
    }

    @Test func `a test notification's status is missing before the first attempt, and then lists all attempts`()
        async throws
    {
        let gate = Gate()
        let receiver = try await LoopbackServer { _ in
            await gate.pass()
            return .reply(500)
        }
        try await NotifiedStore.run(in: .production, receiver: receiver) { notified in
            let token = try await client(notified.served).requestTestNotification()
            await receiver.arrival()
            #expect(await refusal(notified.served, of: token) == 4_040_008)
            await gate.open()
            try await notified.advance(toDay: 8)
            let status = try await client(notified.served).testNotificationStatus(token)

            #expect(
                status.attempts.map(\.date)
                    == NotificationDeliveryTests.schedule.map { NotifiedStore.start + $0 * 3_600 })
            #expect(Set(status.attempts.map(\.result)) == [.unsuccessfulStatus])
        }
    }

    @Test func `the token of a test notification is valid for 180 days`() async throws {
        try await NotifiedStore.run { notified in
            let token = try await client(notified.served).requestTestNotification()
            try await notified.store.advance(by: 180 * NotifiedStore.day - 1)
            #expect(await refusal(notified.served, of: token) == nil)
            try await notified.store.advance(by: 1)
            #expect(await refusal(notified.served, of: token) == 4_040_008)
        }
    }

    @Test func `an unknown or malformed test notification token is refused`() async throws {
        try await NotifiedStore.run { notified in
            #expect(await refusal(notified.served, of: UUID().uuidString) == 4_040_008)
            for token in [
                "x", "5C5FF1E3", "5c5ff1e3-0a3b-4d35-b9a3-7d5e8c9f0a1", "{5c5ff1e3-0a3b-4d35-b9a3-7d5e8c9f0a11}",
            ] {
                #expect(await refusal(notified.served, of: token) == 4_000_020)
            }
        }
    }

    @Test func `each test notification has a token of its own`() async throws {
        try await NotifiedStore.run { notified in
            var tokens: [String] = []
            for _ in 0..<3 { tokens.append(try await client(notified.served).requestTestNotification()) }
            try await notified.store.advance(by: 1)
            let made = try await notified.store.notifications()

            #expect(Set(tokens).count == 3)
            for (token, notification) in zip(tokens, made) {
                let status = try await client(notified.served).testNotificationStatus(token)
                #expect(status.signedPayload == notification.signedPayload)
            }
        }
    }

    @Test func `a test notification is refused without a notification URL`() async throws {
        try await ServedStore.run(at: NotifiedStore.start) { served in
            let error = await #expect(throws: AppStoreServerError.self) {
                try await client(served).requestTestNotification()
            }
            #expect(error?.context?.code == .notificationAddressNotFound)
        }
    }
}
