import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

@testable import VitrineAppStoreEmulator

/// Rate limits of the store, if they are enabled.
@Suite(.hangLimit) struct RateLimitTests {
    private static let hour: TimeInterval = 3_600

    @Test func `after the hourly limit of requests is reached the store answers 429 until the next hour begins`()
        async throws
    {
        let next = Date(timeIntervalSince1970: 497_300 * Self.hour)
        let clock = TestClock(next.addingTimeInterval(-1_000))
        var options = AppStoreEmulatorOptions()
        (options.limitsRates, options.now) = (true, { clock.now })
        try await ServedStore.run(options: options) { served in
            let caller = try APICaller(served)
            let body = MassExtensionTests.body()
            func request() async throws -> APIAnswer {
                let token = try TokenForge(key: served.key, date: clock.now).token()
                return try await caller.send(
                    .post, "/inApps/v1/subscriptions/extend/mass", body: body, authorization: "Bearer \(token)")
            }
            // A refused token does not count, and neither do other operations.
            for _ in 0..<5 {
                let answer = try await caller.send(
                    .post, "/inApps/v1/subscriptions/extend/mass", body: body, authorization: "Bearer x")
                #expect(answer.status == 401)
            }
            for _ in 0..<360 { try #require(try await request().status == 200) }
            let refused = try await request()
            #expect((refused.status, refused.code) == (429, 4_290_000))
            #expect(refused.fields[.retryAfter] == String(next.inMilliseconds))
            #expect(refused.fields[.contentType] == "application/json")

            let client = AppStoreServerClient(
                server: .other(served.url), key: served.key, bundleIdentifier: ServedStore.bundle,
                timeout: 600, now: { clock.now })
            _ = try await client.subscriptionStatuses(of: try await served.appTransaction())
            clock.advance(by: next.timeIntervalSince(clock.now) - 1)
            #expect(try await request().status == 429)
            clock.advance(by: 1)
            #expect(try await request().status == 200)
        }
    }

    @Test(arguments: [StoreEnvironment.sandbox, .production])
    func `each limited operation has its own rate limit, which other operations do not use up`(
        environment: StoreEnvironment
    ) throws {
        let rates = [
            "GET /inApps/v1/transactions/{transactionId}": 50,
            "GET /inApps/v1/transactions/appTransactions/{anyTransactionId}": 50,
            "GET /inApps/v1/lookup/{orderId}": 10,
            "PUT /inApps/v1/transactions/{originalTransactionId}/appAccountToken": 20,
            "POST /inApps/v1/transactions/{transactionId}/finish": 50,
            "PUT /inApps/v1/transactions/consumption/{transactionId}": 50,
            "PUT /inApps/v2/transactions/consumption/{transactionId}": 50,
            "GET /inApps/v1/history/{anyTransactionId}": 50,
            "GET /inApps/v2/history/{anyTransactionId}": 50,
            "GET /inApps/v1/refund/lookup/{originalTransactionId}": 10,
            "GET /inApps/v2/refund/lookup/{anyTransactionId}": 10,
            "GET /inApps/v1/subscriptions/{anyTransactionId}": 50,
            "PUT /inApps/v1/subscriptions/extend/{originalTransactionId}": 20,
            "POST /inApps/v1/subscriptions/extend/mass": 1,
            "POST /inApps/v1/notifications/history": 50,
            "POST /inApps/v1/notifications/test": 1,
            "GET /inApps/v1/notifications/test/{testNotificationToken}": 1,
        ]
        let limits = RateLimits(environment: environment)
        let date = Date(timeIntervalSince1970: 1_800_000_000)
        let next = Date(timeIntervalSince1970: (1_800_000_000 / Self.hour).rounded(.down) * Self.hour + Self.hour)
        var limited: Set<String> = []
        for operation in EmulatorOperation.all {
            guard let rate = rates[operation.name] else {
                #expect(operation.rate == nil, "\(operation.name)")
                continue
            }
            limited.insert(operation.name)
            let most = rate * 3_600 / (environment == .production ? 1 : 10)
            for _ in 0..<most where limits.count(operation, at: date) != nil {
                Issue.record("\(operation.name) is limited too early")
                break
            }
            #expect(limits.count(operation, at: date) == next, "\(operation.name)")
        }
        #expect(limited == Set(rates.keys))
        for operation in EmulatorOperation.all {
            #expect(limits.count(operation, at: next) == nil, "\(operation.name)")
        }
    }

    @Test func `a simulated rate limit failure has a Retry-After date, even without the rate limit option`()
        async throws
    {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            try await served.store.fail(.rateLimit, times: 1)
            let before = Date().inMilliseconds
            let answer = try await caller.send(.get, "/inApps/v1/lookup/M000000000")
            #expect(answer.code == 4_290_000)
            let retry = try #require(answer.fields[.retryAfter].flatMap { Int64($0) })
            #expect(retry > before && retry <= before + 3_600_000)
            #expect(try await caller.send(.get, "/inApps/v1/lookup/M000000000").status == 200)
        }
    }
}
