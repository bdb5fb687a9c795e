import Foundation
import Testing
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct AppStoreServerClientTests {
    private let sample = ServerAPISample()

    private static let attempts = """
        "sendAttempts": [{"attemptDate": 1790000000500, "sendAttemptResult": "TIMED_OUT"},
                         {"attemptDate": 1790003600000, "sendAttemptResult": "SUCCESS"}]
        """

    private let statuses = LoopbackServer.Answer.json(
        """
        {"environment": "Production", "bundleId": "com.example.app", "appAppleId": 1234, "later": [], "data": [
            {"subscriptionGroupIdentifier": "20", "lastTransactions": [
                {"originalTransactionId": "7", "status": 1, "signedTransactionInfo": "t", "signedRenewalInfo": "r"},
                {"originalTransactionId": "8", "status": 9, "signedTransactionInfo": "u", "signedRenewalInfo": "s"}]},
            {"subscriptionGroupIdentifier": "21"}]}
        """)

    // MARK: Authorization

    @Test func `each App Store Server API request has its own token with the app and the current time`() async throws {
        let server = try await LoopbackServer(statuses)
        let client = sample.client(server.url)
        _ = try await client.subscriptionStatuses(of: "7")
        sample.clock.advance(by: 10)
        _ = try await client.subscriptionStatuses(of: "7")

        let tokens = try server.requests.map { try #require($0.token) }
        let key = try ServerPublicKey(pem: sample.key.publicKeyPEM)
        #expect(tokens.map(\.issued?.timeIntervalSince1970) == [1_790_000_000, 1_790_000_010])
        #expect(tokens.map(\.expiry?.timeIntervalSince1970) == [1_790_000_300, 1_790_000_310])
        for token in tokens {
            #expect(token.isSigned(by: key))
            #expect(token.keyIdentifier == "ABC123DEFG")
            #expect(token.issuer == ServerAPISample.issuer)
            #expect(token.audience == ServerToken.audienceOfStore)
            #expect(token.bundleIdentifier == "com.example.app")
        }
    }

    // MARK: Addresses

    @Test(
        arguments: [
            (.production, "https://api.storekit.apple.com/inApps/v1/subscriptions/7"),
            (.sandbox, "https://api.storekit-sandbox.apple.com/inApps/v1/subscriptions/7"),
        ] as [(AppStoreServerClient.Server, String)]
    )
    func `each environment uses its own App Store server address`(server: AppStoreServerClient.Server, address: String)
        async
    {
        let transport = DeafTransport()
        _ = try? await sample.client(server, transport: transport).subscriptionStatuses(of: "7")
        #expect(transport.asked == [address])
    }

    @Test(
        arguments: [
            ("http://[::1]:8080", "http://[::1]:8080/inApps/v1/subscriptions/7"),
            ("https://example.com/", "https://example.com/inApps/v1/subscriptions/7"),
            ("https://example.com/apps/a%20b/", "https://example.com/apps/a%20b/inApps/v1/subscriptions/7"),
            ("https://example.com/apps?q=1#f", "https://example.com/apps/inApps/v1/subscriptions/7"),
        ]
    )
    func `a custom server address may have any host, port and path`(address: String, asked: String) async throws {
        let transport = DeafTransport()
        let url = try #require(URL(string: address))
        _ = try? await sample.client(url, transport: transport).subscriptionStatuses(of: "7")
        #expect(transport.asked == [asked])
    }

    @Test(arguments: ["/apps", "example.com", "https:///apps", "https://user@example.com", "mailto:a@example.com"])
    func `a request with an invalid server address is not sent`(address: String) async throws {
        let transport = DeafTransport()
        let client = sample.client(try #require(URL(string: address)), transport: transport)
        let error = await #expect(throws: AppStoreServerError.self) {
            try await client.subscriptionStatuses(of: "7")
        }
        #expect(error?.code == .invalidRequest)
        #expect(transport.asked == [])
    }

    @Test(
        arguments: [
            ("2000000012345678", "2000000012345678"), ("a/b", "a%2Fb"), ("../../v1", "..%2F..%2Fv1"),
            ("7?status=1#x", "7%3Fstatus%3D1%23x"), ("a b%", "a%20b%25"), ("7\r\nX: y", "7%0D%0AX%3A%20y"),
            ("ü\u{0}", "%C3%BC%00"), ("A-b_c.d~e", "A-b_c.d~e"),
        ]
    )
    func `a transaction identifier is percent-encoded as one path segment`(identifier: String, segment: String)
        async throws
    {
        let server = try await LoopbackServer(statuses)
        _ = try await sample.client(server.url).subscriptionStatuses(of: identifier)
        #expect(server.requests.map(\.path) == ["/inApps/v1/subscriptions/\(segment)"])
    }

    @Test(arguments: ["", ".", ".."]) func `an empty identifier or a dot segment is not sent in a request path`(
        identifier: String
    ) async throws {
        let server = try await LoopbackServer(statuses)
        let client = sample.client(server.url)
        let errors = await [
            client.transactionHistory(of: identifier).all.error,
            #expect(throws: AppStoreServerError.self) { try await client.subscriptionStatuses(of: identifier) },
            #expect(throws: AppStoreServerError.self) { try await client.testNotificationStatus(identifier) },
        ]
        #expect(errors.map(\.?.code) == [.invalidRequest, .invalidRequest, .invalidRequest])
        #expect(server.requests.isEmpty)
    }

    // MARK: Subscriptions

    @Test func `the subscription statuses of a customer are requested and read`() async throws {
        let server = try await LoopbackServer(statuses)
        let reply = try await sample.client(server.url).subscriptionStatuses(of: "7")

        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request.path == "/inApps/v1/subscriptions/7")
        #expect(request.headers["accept"] == "application/json")
        #expect(request.headers["content-type"] == nil)
        #expect(request.body.isEmpty)

        #expect(reply.environment == .production)
        #expect(reply.bundleIdentifier == "com.example.app")
        #expect(reply.appIdentifier == 1234)
        #expect(reply.groups.map(\.identifier) == ["20", "21"])
        #expect(reply.groups.map(\.subscriptions.count) == [2, 0])
        let first = try #require(reply.groups.first?.subscriptions.first)
        #expect(first.originalTransactionID == "7" && first.status == .active)
        #expect(first.signedTransaction == "t" && first.signedRenewal == "r")
        #expect(reply.groups.first?.subscriptions.last?.status == SubscriptionState(rawValue: 9))
    }

    @Test func `several subscription states are sent as a repeated query parameter`() async throws {
        let server = try await LoopbackServer(.json(#"{"environment": "Sandbox", "bundleId": "b", "data": null}"#))
        let reply = try await sample.client(server.url).subscriptionStatuses(
            of: "7", states: [.active, .billingGracePeriod])

        #expect(server.requests.map(\.path) == ["/inApps/v1/subscriptions/7?status=1&status=4"])
        #expect(reply.groups.isEmpty)
        #expect(reply.appIdentifier == nil)
    }

    // MARK: Test notifications

    @Test func `a test notification is requested without a body`() async throws {
        let server = try await LoopbackServer(.json(#"{"testNotificationToken": "ce3af791_1790000000000"}"#))
        #expect(try await sample.client(server.url).requestTestNotification() == "ce3af791_1790000000000")

        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.path == "/inApps/v1/notifications/test")
        #expect(request.headers["content-type"] == nil)
        #expect(request.headers["content-length"] == "0")
        #expect(request.body.isEmpty)
        #expect(request.token != nil)
    }

    @Test func `the status of a test notification has all send attempts`() async throws {
        let server = try await LoopbackServer(
            .json(#"{"signedPayload": "n", \#(Self.attempts), "firstSendAttemptResult": "TIMED_OUT"}"#))
        let sent = try await sample.client(server.url).testNotificationStatus("ce3af791_1790000000000")

        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request.path == "/inApps/v1/notifications/test/ce3af791_1790000000000")
        #expect(sent.signedPayload == "n")
        #expect(sent.attempts.map(\.date.timeIntervalSince1970) == [1_790_000_000.5, 1_790_003_600])
        #expect(sent.attempts.map(\.result) == [.timedOut, .success])
    }
}
