import Foundation
import Testing
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Notifications that a server sends about changes of its store by other processes.
@Suite(.blocksThreads, .hangLimit) struct StoreNotificationCommandTests {
    private let tool: Tool

    init() throws { tool = try Tool.club() }

    /// Returns the types and subtypes of the notifications, in the order of the list.
    private func listed() throws -> [String] {
        let list = try tool.succeed("store", "notifications", "--json").json["notifications"] as? [[String: Any]]
        return (list ?? []).compactMap { notification in
            (notification["type"] as? String).map { type in
                (notification["subtype"] as? String).map { "\(type)/\($0)" } ?? type
            }
        }
    }

    @Test func `the store server sends notifications about purchases of other processes`() async throws {
        let receiver = try await LoopbackServer(.reply())
        let server = try StoreServerProcess(tool)
        try tool.setWebhook(receiver)
        try tool.succeed("buy", "map")
        await receiver.arrival()
        try tool.succeed("buy", "club.gold")
        await receiver.arrival()

        #expect(receiver.requests.map(\.path) == ["/notifications", "/notifications"])
        let received = try await tool.notifications(of: receiver)
        #expect(received.map(\.type.rawValue) == ["ONE_TIME_CHARGE", "SUBSCRIBED"])
        #expect(server.end().status == 0)
    }

    @Test func `vitrine store advance waits at each renewal until its notification is delivered`() async throws {
        let receiver = try await LoopbackServer(.reply())
        let server = try StoreServerProcess(tool)
        try tool.setWebhook(receiver)
        try tool.succeed("buy", "club.silver")
        try tool.succeed("store", "advance", "P4M")

        #expect(receiver.requests.count == 5)
        let rows = try tool.succeed("store", "notifications").lines.map { $0.replacing(#/ +/#, with: " ") }
        #expect(
            rows == [
                "DATE TYPE SUBTYPE CUSTOMER TRANSACTION DELIVERY",
                "2040-01-15 00:00:00 UTC SUBSCRIBED INITIAL_BUY default 1 delivered",
                "2040-02-15 00:00:00 UTC DID_RENEW - default 2 delivered",
                "2040-03-15 00:00:00 UTC DID_RENEW - default 3 delivered",
                "2040-04-15 00:00:00 UTC DID_RENEW - default 4 delivered",
                "2040-05-15 00:00:00 UTC DID_RENEW - default 5 delivered",
            ])
        let list = try #require(
            try tool.succeed("store", "notifications", "--json").json["notifications"] as? [[String: Any]])
        let attempts = list.compactMap { $0["attempts"] as? [[String: Any]] }
        #expect(attempts.map { $0.map { $0["result"] as? String } } == Array(repeating: ["SUCCESS"], count: 5))
        #expect(attempts[1][0]["date"] as? String == "2040-02-15T00:00:00Z")
        #expect(list.map { $0["delivered"] as? Bool } == Array(repeating: true, count: 5))
        let bodies = try receiver.requests.map { try JSONDecoder().decode([String: String].self, from: $0.body) }
        #expect(list.map { $0["signedPayload"] as? String } == bodies.map { $0["signedPayload"] })
        #expect(server.end().status == 0)
    }

    @Test func `vitrine store advance does not wait longer than --deliveries-within for an unresponsive receiver`()
        async throws
    {
        let receiver = try await LoopbackServer(.silence)
        let server = try StoreServerProcess(tool)
        try tool.setWebhook(receiver)
        try tool.succeed("buy", "club.silver")
        await receiver.arrival()
        try tool.succeed("store", "advance", "P2M", "--deliveries-within", "0")

        let lines = try tool.succeed("store", "notifications").lines.dropFirst()
        #expect(lines.allSatisfy { $0.hasSuffix("not attempted yet") })
        #expect(lines.count == 3)
        // A delivery that waits for its answer does not keep the server from ending.
        #expect(server.end().status == 0)
        for seconds in ["-1", "3601", "nan", "x"] {
            #expect(try tool.run("store", "advance", "1h", "--deliveries-within=\(seconds)").status == 64)
        }
    }

    @Test func `a failed notification is retried in production, but not in the sandbox`() async throws {
        try tool.succeed("store", "environment", "production", "--app-id", "7")
        let failures = Array(repeating: LoopbackServer.Answer.reply(503), count: 4)
        let answers = Recorder<Void>()
        let receiver = try await LoopbackServer { _ in
            answers.record(())
            return answers.values.count <= failures.count ? .reply(503) : .reply()
        }
        try tool.setWebhook(receiver)
        let server = try StoreServerProcess(tool)
        try tool.succeed("buy", "map")
        await receiver.arrival()
        try tool.succeed("store", "advance", "1m")
        #expect(
            try tool.succeed("store", "notifications").lines.last?.hasSuffix(
                "UNSUCCESSFUL_HTTP_RESPONSE_CODE, again at 2040-01-15 01:00:00 UTC") == true)
        try tool.succeed("store", "advance", "8d")
        #expect(try tool.succeed("store", "notifications").lines.last?.hasSuffix("delivered at attempt 5") == true)
        let payloads = try await tool.notifications(of: receiver, in: .production)
        #expect(Set(payloads.map(\.notificationID)).count == 1)
        #expect(payloads.last?.data?.appIdentifier == 7)
        #expect(server.end().status == 0)

        let sandbox = try Tool.club()
        let deaf = try DeadAddress()
        try sandbox.succeed("store", "webhook", deaf.url.absoluteString)
        let second = try StoreServerProcess(sandbox)
        try sandbox.succeed("buy", "map")
        try sandbox.succeed("store", "advance", "1m")
        #expect(try sandbox.succeed("store", "notifications").lines.last?.hasSuffix(", given up") == true)
        #expect(second.end().status == 0)
    }

    @Test func `vitrine store notifications --follow prints new and delivered notifications until it is interrupted`()
        async throws
    {
        let receiver = try await LoopbackServer(.reply())
        try tool.setWebhook(receiver)
        let (following, output) = try tool.startReading("store", "notifications", "--follow")
        try tool.succeed("buy", "map")
        #expect(
            try output.line(with: "ONE_TIME_CHARGE")
                == "2040-01-15 00:00:00 UTC  ONE_TIME_CHARGE  -  default  1  not attempted yet")
        let server = try StoreServerProcess(tool)
        #expect(
            try output.line(with: "ONE_TIME_CHARGE")
                == "2040-01-15 00:00:00 UTC  ONE_TIME_CHARGE  -  default  1  delivered")
        try tool.succeed("store", "notify", "test")
        _ = try output.line(with: "TEST  -  -  -  delivered")

        kill(following.processIdentifier, SIGINT)
        following.waitUntilExit()
        #expect(following.terminationReason == .exit)
        #expect(following.terminationStatus == 0)
        #expect(try tool.run("store", "notifications", "--follow", "--json").status == 64)
        #expect(server.end().status == 0)
    }

    @Test func `vitrine store notify test sends a test notification to the receiver and requires an address`()
        async throws
    {
        let refused = try tool.run("store", "notify", "test")
        #expect(refused.status == 1)
        #expect(refused.output == "no address for notifications is set; set one with 'vitrine store webhook'\n")
        #expect(try tool.run("store", "notify").status == 64)

        let receiver = try await LoopbackServer(.reply())
        try tool.setWebhook(receiver)
        let server = try StoreServerProcess(tool)
        let token = try #require(try tool.succeed("store", "notify", "test", "--json").json["token"] as? String)
        await receiver.arrival()
        #expect(try await tool.notifications(of: receiver).map(\.type.rawValue) == ["TEST"])
        try tool.succeed("store", "advance", "1m")
        let sent = try await tool.makeClient(of: server).testNotificationStatus(token)
        #expect(sent.attempts.count == 1)
        #expect(server.end().status == 0)
    }

    @Test func `a killed store server loses no notification and leaves the store usable`() async throws {
        let gate = Gate()
        let receiver = try await LoopbackServer { _ in
            await gate.pass()
            return .reply()
        }
        try tool.setWebhook(receiver)
        let killed = try StoreServerProcess(tool)
        try tool.succeed("buy", "map")
        await receiver.arrival()
        killed.end(SIGKILL)
        #expect(killed.process.terminationReason == .uncaughtSignal)
        try tool.succeed("buy", "club.gold")
        #expect(try tool.run("check").status == 0)
        #expect(try listed() == ["ONE_TIME_CHARGE", "SUBSCRIBED/INITIAL_BUY"])

        await gate.open()
        let server = try StoreServerProcess(tool)
        try tool.succeed("store", "advance", "1m")
        let lines = try tool.succeed("store", "notifications").lines.dropFirst()
        #expect(lines.allSatisfy { $0.hasSuffix("  delivered") })
        let received = try await tool.notifications(of: receiver)
        #expect(Set(received.map(\.notificationID)).count == 2)
        #expect(server.end().status == 0)
    }

    @Test func `simulated failures can be set for the requests of the app's server`() async throws {
        let server = try StoreServerProcess(tool)
        let client = try tool.makeClient(of: server)
        try tool.succeed("buy", "map")
        for (failure, code) in [
            ("server-error", 5_000_000), ("server-error-retryable", 5_000_001), ("account-not-found", 4_040_001),
            ("account-not-found-retryable", 4_040_002), ("app-not-found-retryable", 4_040_004),
            ("original-transaction-not-found-retryable", 4_040_006), ("rate-limit", 4_290_000),
            ("unauthenticated", nil),
        ] {
            try tool.succeed("store", "fail", failure, "--times", "1")
            let error = await #expect(throws: AppStoreServerError.self) {
                try await client.subscriptionStatuses(of: "1")
            }
            #expect(error?.context?.code?.rawValue == code, "\(failure)")
        }
        #expect(try await client.subscriptionStatuses(of: "1").groups.isEmpty)
        #expect(server.end().status == 0)
    }
}
