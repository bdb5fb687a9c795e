import Foundation
import Testing
import VitrineNetworking
import VitrineSupport
import VitrineTestSupport

@testable import VitrineReceipts

@Suite(.hangLimit) struct AppStoreServerErrorTests {
    private let sample = ServerAPISample()

    private static func refusal(_ code: Int, status: Int? = nil, headers: [String: String] = [:])
        -> LoopbackServer.Answer
    {
        let fields = ["Content-Type": "application/json"].merging(headers) { $1 }
        return .reply(
            status ?? code / 10_000, headers: fields,
            body: Data(#"{"errorCode": \#(code), "errorMessage": "No."}"#.utf8))
    }

    // MARK: Refusals

    @Test(
        arguments: [
            (4_000_006, .refused), (4_000_005, .refused), (4_010_001, .refused), (4_040_001, .refused),
            (4_040_002, .unavailable), (4_040_003, .refused), (4_040_004, .unavailable), (4_040_006, .unavailable),
            (4_040_010, .refused), (4_290_000, .unavailable), (5_000_000, .refused), (5_000_001, .unavailable),
            (4_999_999, .refused),
        ] as [(Int, AppStoreServerErrorCode)]
    )
    func `an App Store error code determines whether the request can be retried`(
        number: Int, code: AppStoreServerErrorCode
    ) async throws {
        let error = try #require(await sample.error(Self.refusal(number)))
        #expect(error.code == code)
        #expect(error.code.isTemporary == (code == .unavailable))
        #expect(error.context?.status == number / 10_000)
        #expect(error.context?.code == AppStoreServerRefusalCode(rawValue: number))
        #expect(error.context?.message == "No.")
        #expect(error.context?.retryAfter == nil)
        #expect(
            error.reason == "the App Store refused the request with status \(number / 10_000) and error \(number): No.")
    }

    @Test(
        arguments: [
            (301, .refused), (400, .refused), (401, .unauthorized), (403, .refused), (404, .refused),
            (408, .unavailable), (429, .unavailable), (500, .unavailable), (503, .unavailable),
        ] as [(Int, AppStoreServerErrorCode)]
    )
    func `an error response without an error code is classified by its HTTP status`(
        status: Int, code: AppStoreServerErrorCode
    ) async throws {
        let error = try #require(await sample.error(.reply(status)))
        #expect(error.code == code)
        #expect(error.context?.status == status)
        #expect(error.context?.code == nil)
        #expect(error.context?.message == nil)
        #expect(error.reason == "the App Store refused the request with status \(status)")
    }

    @Test(
        arguments: [
            ("plain text", "Unauthenticated\n\nRequest ID: ABCDEFGHIJKLMNOPQRSTUVWX12.0.0\n"),
            ("a word as code", #"{"errorCode": "NOT_AUTHORIZED", "errorMessage": "No."}"#), ("no code", "{}"),
            ("a page", "<html></html>"), ("a fraction", #"{"errorCode": 4010000.5}"#),
        ]
    )
    func `status 401 without an error code is an authorization error`(name: String, body: String) async throws {
        let error = try #require(
            await sample.error(.reply(401, headers: ["Content-Type": "text/plain"], body: Data(body.utf8))))
        #expect(error.code == .unauthorized)
        #expect(error.context?.status == 401)
        #expect(error.context?.code == nil)
    }

    @Test func `an error response is read with a content type parameter and without a message`() async throws {
        let error = try #require(
            await sample.error(
                .reply(
                    404, headers: ["Content-Type": "application/json; charset=utf-8"],
                    body: Data(#"{"errorCode": 4040010, "errorMessage": null}"#.utf8))))
        #expect(error.context?.code == .transactionNotFound)
        #expect(error.context?.message == nil)
        #expect(error.reason == "the App Store refused the request with status 404 and error 4040010")
    }

    @Test func `a long error message is truncated to 500 characters`() async throws {
        let body = #"{"errorCode": 4000006, "errorMessage": "\#(String(repeating: "x", count: 9_000))"}"#
        let error = try #require(await sample.error(.json(body, status: 400)))
        #expect(error.context?.message?.count == 500)
    }

    @Test(
        arguments: [
            ("milliseconds", "1790000123456", 1_790_000_123.456), ("seconds", "120", nil), ("empty", "", nil),
            ("a date", "Wed, 23 Sep 2026 12:00:00 GMT", nil), ("a negative number", "-1790000123456", nil),
            ("after all calendars", "999999999999999", nil), ("too large", "99999999999999999999", nil),
        ] as [(String, String, Double?)]
    )
    func `the Retry-After date is read in milliseconds, and other formats are ignored`(
        name: String, field: String, seconds: Double?
    ) async throws {
        let error = try #require(await sample.error(Self.refusal(4_290_000, headers: ["Retry-After": field])))
        #expect(error.code == .unavailable)
        #expect(error.context?.code == .rateLimitExceeded)
        #expect(error.context?.retryAfter == seconds.map(Date.init(timeIntervalSince1970:)))
    }

    @Test func `a failed test notification request throws an error with the App Store's error code`() async throws {
        let server = try await LoopbackServer(Self.refusal(4_040_007), Self.refusal(4_040_008))
        let client = sample.client(server.url)
        let request = await #expect(throws: AppStoreServerError.self) { try await client.requestTestNotification() }
        let status = await #expect(throws: AppStoreServerError.self) { try await client.testNotificationStatus("t") }
        #expect(request?.context?.code == .notificationAddressNotFound)
        #expect(status?.context?.code == .testNotificationNotFound)
    }

    // MARK: Replies

    @Test(
        arguments: [
            .json("no JSON"), .json(""), .json("{}"), .json("[]"), .json("null"),
            .json(#"{"environment": "Sandbox", "data": []}"#),
            .json(#"{"environment": "Sandbox", "bundleId": "b", "data": {}}"#),
            .json(#"{"environment": "Sandbox", "bundleId": "b", "appAppleId": "x", "data": []}"#),
            .json(
                #"{"environment": "Sandbox", "bundleId": "b", "data": [{"subscriptionGroupIdentifier": "1", "lastTransactions": [{"status": 1}]}]}"#
            ),
            .reply(204), .reply(202),
        ] as [LoopbackServer.Answer]
    )
    func `an App Store server reply with unexpected content is a format error`(answer: LoopbackServer.Answer)
        async throws
    {
        let error = try #require(await sample.error(answer))
        #expect(error.code == .format)
        #expect(error.code.isTemporary == false)
        #expect(error.context == nil)
    }

    @Test(
        arguments: [
            ("cut off", .broken(after: 5, of: 900), .connection),
            ("a chunk is missing", .brokenChunks(Data("{".utf8)), .connection),
            ("reset", .reset, .connection), ("not HTTP", .bytes(Data("hello\r\n\r\n".utf8), then: .close), .connection),
            ("too long by its head", .endless(claimed: 1024 * 1024 + 1), .format), ("without end", .endless(), .format),
        ] as [(String, LoopbackServer.Answer, AppStoreServerErrorCode)]
    )
    func `an incomplete or oversized App Store server reply is an error`(
        name: String, answer: LoopbackServer.Answer, code: AppStoreServerErrorCode
    ) async throws {
        let error = try #require(await sample.error(answer))
        #expect(error.code == code)
        #expect(error.context == nil)
    }

    @Test func `an App Store server reply of 1 MiB is read`() async throws {
        let start = Data(#"{"environment": "Sandbox", "bundleId": "b", "data": []}"#.utf8)
        let body = start + Data(repeating: UInt8(ascii: " "), count: 1024 * 1024 - start.count)
        #expect(try await sample.error(.reply(body: body)) == nil)
    }

    @Test func `a request to a server that does not reply fails after its timeout`() async throws {
        let server = try await LoopbackServer(.silence)
        let sleep = ManualSleep()
        let client = sample.client(
            server.url, transport: DefaultTransport(sleep: { try await sleep.sleep($0) }), timeout: 7)
        async let error = #expect(throws: AppStoreServerError.self) { try await client.requestTestNotification() }
        await server.arrival()
        let duration = await sleep.begun()
        sleep.wakeAll()

        #expect(await error?.code == .connection)
        #expect(try #require(duration) <= .seconds(7))
    }

    @Test func `an unreachable App Store server causes a temporary connection error`() async throws {
        let address = try DeadAddress()
        let error = await #expect(throws: AppStoreServerError.self) {
            try await sample.client(address.url).requestTestNotification()
        }
        #expect(error?.code == .connection)
        #expect(error?.code.isTemporary == true)
    }

    @Test func `a cancelled task cancels its request`() async throws {
        let server = try await LoopbackServer(.silence)
        let client = sample.client(server.url)
        let task = Task {
            await #expect(throws: AppStoreServerError.self) { try await client.requestTestNotification() }
        }
        await server.arrival()
        task.cancel()
        #expect(await task.value?.code == .cancelled)
    }

    @Test func `plain HTTP to a remote App Store server address is refused`() async throws {
        let client = sample.client(try #require(URL(string: "http://example.com")))
        let error = await #expect(throws: AppStoreServerError.self) { try await client.requestTestNotification() }
        #expect(error?.code == .invalidRequest)
    }

    @Test func `no App Store request is sent if the clock has an impossible date`() async throws {
        let server = try await LoopbackServer(.reply(500))
        let client = AppStoreServerClient(
            server: .other(server.url), key: sample.key, bundleIdentifier: "b", transport: DefaultTransport.patient,
            now: { Date(timeIntervalSince1970: .infinity) })
        let error = await #expect(throws: AppStoreServerError.self) { try await client.requestTestNotification() }
        #expect(error?.code == .invalidRequest)
        #expect(server.requests.isEmpty)
    }

    @Test(arguments: AppStoreServerErrorCode.allCases)
    func `each App Store server error code has a recovery suggestion`(code: AppStoreServerErrorCode) throws {
        let advice = try #require(AppStoreServerError(code: code, reason: "no reply").recoverySuggestion)
        #expect(advice.hasSuffix(".") && advice.first?.isUppercase == true)
    }
}
