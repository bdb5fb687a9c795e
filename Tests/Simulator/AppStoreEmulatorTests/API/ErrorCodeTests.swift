import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Error codes of the API. Requests provoke those that they can, and simulated failures the others.
@Suite(.hangLimit) struct ErrorCodeTests {
    /// Store with a customer who has purchases of every kind.
    struct Scene {
        let served: ServedStore
        let caller: APICaller
        let (coins, map, silver, renewal, shared, trial): (String, String, String, String, String, String)
        let customer: String

        init(_ served: ServedStore) async throws {
            (self.served, caller) = (served, try APICaller(served))
            let (store, ann) = (served.store, try served.store.device("phone", of: "ann"))
            try await store.joinFamily("Smith")
            try await ann.joinFamily("Smith")
            coins = try await served.buy("coins")[0]
            map = try await served.buy("map")[0]
            silver = try await served.buy("club.silver")[0]
            try await store.advance(by: 40 * .days)
            renewal = try #require(try await store.transactions().last).id
            shared = try #require(try await ann.transactions().last { $0.groupID != nil }).originalID
            trial = try await served.buy("club.gold", by: store.device("phone", of: "bob"))[0]
            customer = try await served.appTransaction()
        }

        func history(_ name: String, _ value: String) async throws -> APIAnswer {
            try await caller.send(.get, "/inApps/v2/history/\(coins)", query: [(name, value)])
        }

        func extend(_ id: String, _ body: [String: JSONValue] = ExtensionTests.body()) async throws -> APIAnswer {
            try await caller.send(.put, "/inApps/v1/subscriptions/extend/\(id)", body: body)
        }

        func extendAll(_ changes: [String: JSONValue?]) async throws -> APIAnswer {
            try await caller.send(
                .post, "/inApps/v1/subscriptions/extend/mass", body: MassExtensionTests.body(changes))
        }

        func report(_ version: String, _ id: String, _ changes: [String: JSONValue?]) async throws -> APIAnswer {
            let body = (version == "v1" ? ConsumptionTests.first : ConsumptionTests.second).changed(by: changes)
            return try await caller.send(.put, "/inApps/\(version)/transactions/consumption/\(id)", body: body)
        }

        func setToken(_ id: String, _ token: String) async throws -> APIAnswer {
            try await caller.send(
                .put, "/inApps/v1/transactions/\(id)/appAccountToken", body: ["appAccountToken": .string(token)])
        }

        func notifications(
            _ changes: [String: JSONValue?], token: String? = nil
        ) async throws -> APIAnswer {
            let now = served.store.clock.now.inMilliseconds
            let body: [String: JSONValue] = ["startDate": .integer(now - 86_400_000), "endDate": .integer(now + 1)]
            return try await caller.send(
                .post, "/inApps/v1/notifications/history", query: token.map { [("paginationToken", $0)] } ?? [],
                body: body.changed(by: changes))
        }
    }

    typealias Case = (code: ServerError.Code, provoke: @Sendable (Scene) async throws -> APIAnswer)

    private static let token = "00000000-0000-4000-8000-00000000000f"

    private static let histories: [Case] = [
        (.invalidRevision, { try await $0.history("revision", "7") }),
        (.invalidStartDate, { try await $0.history("startDate", "now") }),
        (.invalidEndDate, { try await $0.history("endDate", "now") }),
        (.invalidSort, { try await $0.history("sort", "UP") }),
        (.invalidProductType, { try await $0.history("productType", "GOLD") }),
        (.invalidProductID, { try await $0.history("productId", "") }),
        (.invalidSubscriptionGroup, { try await $0.history("subscriptionGroupIdentifier", "") }),
        (.invalidExcludeRevoked, { try await $0.history("excludeRevoked", "1") }),
        (.invalidRevoked, { try await $0.history("revoked", "1") }),
        (.invalidOwnershipType, { try await $0.history("inAppOwnershipType", "STOLEN") }),
        (
            .invalidStatus,
            { scene in
                try await scene.caller.send(.get, "/inApps/v1/subscriptions/\(scene.silver)", query: [("status", "6")])
            }
        ),
        (.invalidOriginalTransactionID, { try await $0.caller.send(.get, "/inApps/v1/refund/lookup/abc") }),
    ]

    private static let transactions: [Case] = [
        (.badRequest, { try await $0.caller.send(.get, "/inApps/v1/lookup/\(String(repeating: "M", count: 65))") }),
        (.invalidTransactionID, { try await $0.caller.send(.get, "/inApps/v1/transactions/abc") }),
        (.transactionIDNotFound, { try await $0.caller.send(.get, "/inApps/v1/transactions/\(ServedStore.unknown)") }),
        (.appTransactionIDNotSupported, { try await $0.caller.send(.get, "/inApps/v1/transactions/\($0.customer)") }),
        (
            .appTransactionNotFound,
            {
                try await $0.caller.send(.get, "/inApps/v1/transactions/appTransactions/\($0.customer)")
            }
        ),
        (.invalidAccountToken, { try await $0.setToken($0.coins, "abc") }),
        (.familyTransactionNotSupported, { try await $0.setToken($0.shared, token) }),
        (.notOriginalTransactionID, { try await $0.setToken($0.renewal, token) }),
        (.originalTransactionIDNotFound, { try await $0.setToken(ServedStore.unknown, token) }),
        (
            .appNotFound,
            { scene in
                let token = try scene.served.key.token(for: "com.example.other", at: Date())
                return try await scene.caller.send(
                    .get, "/inApps/v1/transactions/\(scene.coins)", authorization: "Bearer \(token)")
            }
        ),
    ]

    private static let consumption: [Case] = [
        (.invalidCustomerConsented, { try await $0.report("v2", $0.coins, ["customerConsented": .bool(false)]) }),
        (
            .invalidSampleContentProvided,
            { try await $0.report("v2", $0.coins, ["sampleContentProvided": .integer(0)]) }
        ),
        (.invalidDeliveryStatus, { try await $0.report("v2", $0.coins, ["deliveryStatus": .integer(0)]) }),
        (.invalidRefundPreference, { try await $0.report("v2", $0.coins, ["refundPreference": .integer(0)]) }),
        (.percentageOfSubscription, { try await $0.report("v2", $0.silver, ["consumptionPercentage": .integer(1)]) }),
        (.invalidAccountTenure, { try await $0.report("v1", $0.coins, ["accountTenure": .integer(8)]) }),
        (.invalidReportedAccountToken, { try await $0.report("v1", $0.coins, ["appAccountToken": .string("abc")]) }),
        (.invalidConsumptionStatus, { try await $0.report("v1", $0.coins, ["consumptionStatus": .integer(4)]) }),
        (
            .invalidLifetimeDollarsPurchased,
            {
                try await $0.report("v1", $0.coins, ["lifetimeDollarsPurchased": .integer(8)])
            }
        ),
        (
            .invalidLifetimeDollarsRefunded,
            {
                try await $0.report("v1", $0.coins, ["lifetimeDollarsRefunded": .integer(8)])
            }
        ),
        (.invalidPlatform, { try await $0.report("v1", $0.coins, ["platform": .integer(3)]) }),
        (.invalidPlayTime, { try await $0.report("v1", $0.coins, ["playTime": .integer(8)]) }),
        (.invalidUserStatus, { try await $0.report("v1", $0.coins, ["userStatus": .integer(5)]) }),
        (.transactionTypeNotSupported, { try await $0.report("v1", $0.map, [:]) }),
    ]

    private static let extensions: [Case] = [
        (.invalidExtendByDays, { try await $0.extend($0.silver, ExtensionTests.body(days: .integer(91))) }),
        (.invalidExtendReasonCode, { try await $0.extend($0.silver, ExtensionTests.body(reason: .integer(4))) }),
        (.invalidRequestIdentifier, { try await $0.extend($0.silver, ExtensionTests.body(request: .string(""))) }),
        (.emptyStorefrontCodes, { try await $0.extendAll(["storefrontCountryCodes": .array([])]) }),
        (.invalidStorefrontCode, { try await $0.extendAll(["storefrontCountryCodes": .array([.string("QQQ")])]) }),
        (.extensionIneligible, { try await $0.extend($0.trial) }),
        (.extensionOfFamilyShared, { try await $0.extend($0.shared) }),
        (
            .extensionMaximum,
            { scene in
                for number in 0..<2 {
                    let body = ExtensionTests.body(request: .string("request \(number)"))
                    #expect(try await scene.extend(scene.silver, body).status == 200)
                }
                return try await scene.extend(scene.silver, ExtensionTests.body(request: .string("request 3")))
            }
        ),
        (
            .statusRequestNotFound,
            {
                try await $0.caller.send(.get, "/inApps/v1/subscriptions/extend/mass/club.silver/\(token)")
            }
        ),
    ]

    private static let notifications: [Case] = [
        (.startDateTooFarInPast, { try await $0.notifications(["startDate": .integer(0)]) }),
        (.startDateAfterEndDate, { try await $0.notifications(["endDate": .integer(1)]) }),
        (.invalidPaginationToken, { try await $0.notifications([:], token: "7") }),
        (.invalidNotificationType, { try await $0.notifications(["notificationType": .string("GOLD")]) }),
        (
            .multipleFiltersSupplied,
            {
                try await $0.notifications(["notificationType": .string("TEST"), "transactionId": .string($0.coins)])
            }
        ),
        (.invalidTestNotificationToken, { try await $0.caller.send(.get, "/inApps/v1/notifications/test/7") }),
        (.testNotificationNotFound, { try await $0.caller.send(.get, "/inApps/v1/notifications/test/\(token)") }),
        (.notificationURLNotFound, { try await $0.caller.send(.post, "/inApps/v1/notifications/test") }),
        (
            .paginationTokenExpired,
            { scene in
                let store = scene.served.store
                let receiver = try await LoopbackServer(.reply())
                try await store.setNotificationURL(receiver.url)
                for _ in 0..<21 { try await scene.served.buy("coins") }
                let now = store.clock.now.inMilliseconds
                let period: [String: JSONValue?] = ["startDate": .integer(now), "endDate": .integer(now + 1_000)]
                let page = try await scene.notifications(period)
                let next = try #require(page[text: "paginationToken"])
                #expect(try await scene.notifications(period, token: next).status == 200)
                try await store.advance(by: 1 * .days)
                return try await scene.notifications(period, token: next)
            }
        ),
    ]

    private static let requests = histories + transactions + consumption + extensions + notifications

    /// Simulated failures, with the error codes of the responses.
    private static let failures: [(failure: SimulatedFailure, code: ServerError.Code)] = [
        (.serverError, .internalError), (.serverErrorRetryable, .internalErrorRetryable),
        (.accountNotFound, .accountNotFound), (.accountNotFoundRetryable, .accountNotFoundRetryable),
        (.appNotFoundRetryable, .appNotFoundRetryable),
        (.originalTransactionNotFoundRetryable, .originalTransactionIDNotFoundRetryable),
        (.rateLimit, .rateLimitExceeded),
    ]

    /// Apple's error codes that no request to a simulated store provokes.
    private static let unused: Set<ServerError.Code> = [.invalidAppIdentifier]

    @Test func `each error code that a request can cause has its status and a message`() async throws {
        try await ServedStore.run { served in
            let scene = try await Scene(served)
            for entry in Self.requests {
                let answer = try await entry.provoke(scene)
                #expect(answer.code == entry.code.rawValue, "\(entry.code)")
                #expect(answer.status == entry.code.status, "\(entry.code)")
                #expect(answer.fields[.contentType] == "application/json", "\(entry.code)")
                let message = try #require(answer[text: "errorMessage"])
                #expect(message.count > 20 && message.hasSuffix("."), "\(entry.code): \(message)")
            }
        }
    }

    @Test func `the remaining error codes result from simulated failures, as many times as configured`() async throws {
        let byRequest = Set(Self.requests.map(\.code))
        let byFailure = Set(Self.failures.map(\.code))
        #expect(byRequest.isDisjoint(with: byFailure))
        #expect(byRequest.union(byFailure).union(Self.unused) == Set(ServerError.Code.allCases))
        try await ServedStore.run { served in
            let scene = try await Scene(served)
            let path = "/inApps/v1/transactions/\(scene.coins)"
            for (failure, code) in Self.failures {
                try await served.store.fail(failure, times: 2)
                for _ in 0..<2 {
                    let answer = try await scene.caller.send(.get, path)
                    #expect((answer.code, answer.status) == (code.rawValue, code.status), "\(failure)")
                }
                #expect(try await scene.caller.send(.get, path).status == 200, "\(failure)")
            }
            try await served.store.fail(.unauthenticated)
            for _ in 0..<3 { #expect(try await scene.caller.send(.get, path).verdict == 401) }
            try await served.store.clearFailures()
            #expect(try await scene.caller.send(.get, path).status == 200)
        }
    }

    @Test func `a simulated failure prevents a request from changing the store`() async throws {
        try await ServedStore.run { served in
            let scene = try await Scene(served)
            try await served.store.fail(.serverErrorRetryable, times: 2)
            #expect(try await scene.setToken(scene.coins, Self.token).code == 5_000_001)
            let finish = "/inApps/v1/transactions/\(scene.coins)/finish"
            #expect(try await scene.caller.send(.post, finish).code == 5_000_001)
            let all = try await served.store.transactions()
            #expect(all.allSatisfy { $0.accountToken == nil && !$0.isFinished })
            #expect(try await scene.setToken(scene.coins, Self.token).status == 200)
        }
    }
}
