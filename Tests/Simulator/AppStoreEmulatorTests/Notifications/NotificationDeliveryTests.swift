import Foundation
import Testing
import VitrineAppStoreEmulator
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Delivery of notifications to working and faulty receivers.
@Suite(.blocksThreads) struct NotificationDeliveryTests {
    /// Answer of a receiver, and the result of the attempt to deliver a notification to it.
    struct Receiver: Sendable, CustomTestStringConvertible {
        let id: String
        let result: String
        /// Timeout in seconds for the answer.
        var limit: TimeInterval = 30
        let answer: @Sendable (LoopbackServer.Request) -> LoopbackServer.Answer

        var testDescription: String { id }

        static let statuses =
            (200...206).map { status in Receiver(id: "\(status)", result: "SUCCESS") { _ in .reply(status) } }
            + [207, 208, 226, 300, 304, 400, 401, 404, 410, 429, 500, 502, 503].map { status in
                Receiver(id: "\(status)", result: "UNSUCCESSFUL_HTTP_RESPONSE_CODE") { _ in .reply(status) }
            }

        static let redirects = [
            Receiver(id: "302 to itself", result: "CIRCULAR_REDIRECT") { request in
                .reply(302, headers: ["Location": "http://\(request.headers["host"] ?? "")/notifications"])
            },
            Receiver(id: "308 to its own path", result: "CIRCULAR_REDIRECT") { _ in
                .reply(308, headers: ["Location": "/notifications"])
            },
            Receiver(id: "302 to another path", result: "UNSUCCESSFUL_HTTP_RESPONSE_CODE") { request in
                .reply(302, headers: ["Location": "http://\(request.headers["host"] ?? "")/elsewhere"])
            },
            Receiver(id: "302 to nowhere", result: "UNSUCCESSFUL_HTTP_RESPONSE_CODE") { _ in .reply(302) },
        ]

        static let failures = [
            Receiver(id: "no answer", result: "TIMED_OUT", limit: 0.3) { _ in .silence },
            Receiver(id: "an endless head", result: "TIMED_OUT", limit: 0.3) { _ in .endlessHead },
            Receiver(id: "an end without an answer", result: "PREMATURE_CLOSE") { _ in
                .bytes(Data(), then: .close)
            },
            Receiver(id: "an end in the head", result: "PREMATURE_CLOSE") { _ in
                .bytes(Data("HTTP/1.1 200 OK\r\nContent-".utf8), then: .close)
            },
            Receiver(id: "a reset", result: "SOCKET_ISSUE") { _ in .reset },
            Receiver(id: "garbage", result: "INVALID_RESPONSE") { _ in
                .bytes(Data("SSH-2.0-OpenSSH_9.6\r\n".utf8), then: .silence)
            },
            Receiver(id: "a status that is no number", result: "INVALID_RESPONSE") { _ in
                .bytes(Data("HTTP/1.1 OK\r\n\r\n".utf8), then: .close)
            },
        ]
    }

    @Test(arguments: Receiver.statuses + Receiver.redirects + Receiver.failures)
    func `the result of a delivery attempt describes the receiver's response`(_ example: Receiver) async throws {
        let receiver = try await LoopbackServer { example.answer($0) }
        let attempts = try await attempts(
            AppStoreEmulatorOptions(deliveryTime: example.limit), receiver: receiver
        ) { _ in }

        #expect(attempts.map(\.result) == [example.result])
        #expect(receiver.requests.map(\.path) == ["/notifications"])
    }

    @Test func `a delivery to an address without a server has the result NO_RESPONSE`() async throws {
        let address = try DeadAddress()
        let attempts = try await attempts { $0 = address.url }

        #expect(attempts.map(\.result) == ["NO_RESPONSE"])
    }

    @Test func `a delivery to an address that accepts no connection times out`() async throws {
        let address = try SilentAddress()
        let attempts = try await attempts(AppStoreEmulatorOptions(deliveryTime: 0.3)) { $0 = address.url }

        #expect(attempts.map(\.result) == ["TIMED_OUT"])
    }

    @Test(.enabled(if: PeerTool.openSSL.isInstalled, "openssl is not installed"))
    func `a receiver with an untrusted certificate receives no notification`() async throws {
        let folder = try TemporaryFolder()
        let receiver = try await LoopbackServer(
            certificate: ServerCertificate(for: "IP:127.0.0.1", in: folder), .reply())
        let attempts = try await attempts { $0 = receiver.url }

        #expect(attempts.map(\.result) == ["TLS_ISSUE"])
        #expect(receiver.requests.isEmpty)
    }

    @Test func `a receiver without TLS receives no notification at an https address`() async throws {
        let receiver = try await LoopbackServer(.reply())
        let attempts = try await attempts { url in
            var components = URLComponents(url: receiver.url, resolvingAgainstBaseURL: true)
            components?.scheme = "https"
            url = components?.url
        }

        #expect(attempts.map(\.result) == ["TLS_ISSUE"])
        #expect(receiver.requests.isEmpty)
    }

    @Test func `a redirect of a notification to another server is not followed`() async throws {
        let other = try await LoopbackServer(.reply())
        let attempts = try await attempts(receiver: LoopbackServer(.redirect(to: other.url))) { _ in }

        #expect(attempts.map(\.result) == ["UNSUCCESSFUL_HTTP_RESPONSE_CODE"])
        #expect(other.requests.isEmpty)
    }

    /// Returns the attempts of the sandbox to deliver one notification.
    ///
    /// - Parameter change: Function that changes the address of the receiver.
    private func attempts(
        _ options: AppStoreEmulatorOptions = AppStoreEmulatorOptions(), receiver: LoopbackServer? = nil,
        _ change: (inout URL?) -> Void
    ) async throws -> [SimulatedNotification.Attempt] {
        try await NotifiedStore.run(receiver: receiver, options: options) { notified in
            var url = try await notified.store.notificationURL
            change(&url)
            try await notified.store.setNotificationURL(url)
            try await notified.buy("coins")
            try await notified.advance(toDay: 8)
            let made = try await notified.store.notifications()
            #expect(made.count == 1)
            #expect(made[0].nextAttempt == nil)
            #expect(made[0].attempts.map(\.date) == [NotifiedStore.start])
            #expect(made[0].isDelivered == (made[0].attempts.map(\.result) == ["SUCCESS"]))
            return made[0].attempts
        }
    }
}

extension AppStoreEmulatorOptions {
    /// Creates options with another timeout in seconds for the answer of a receiver.
    init(deliveryTime: TimeInterval) {
        self.init()
        self.deliveryTime = deliveryTime
    }
}
