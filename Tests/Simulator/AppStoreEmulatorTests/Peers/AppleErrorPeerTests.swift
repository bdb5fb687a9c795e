import Foundation
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Errors of the App Store Server API, provoked by Apple's server library in Python.
@Suite(
    .blocksThreads, .hangLimit,
    .enabled(if: ApplePeer.isInstalled, "Scripts/peers has not installed Apple's library"))
struct AppleErrorPeerTests {
    /// Error codes that no request provokes, with the reasons.
    private static let unprovoked: [ServerError.Code: String] = [
        .invalidAppIdentifier: "the token alone names the app, and an unknown one is refused as not found"
    ]

    /// Simulated failures, with the error code and status of the answer.
    private static let failures: [(failure: SimulatedFailure, code: ServerError.Code?, status: Int)] = [
        (.serverError, .internalError, 500), (.serverErrorRetryable, .internalErrorRetryable, 500),
        (.accountNotFound, .accountNotFound, 404), (.accountNotFoundRetryable, .accountNotFoundRetryable, 404),
        (.appNotFoundRetryable, .appNotFoundRetryable, 404),
        (.originalTransactionNotFoundRetryable, .originalTransactionIDNotFoundRetryable, 404),
        (.rateLimit, .rateLimitExceeded, 429), (.unauthenticated, nil, 401),
    ]

    /// Returns cases about a customer who does not exist, which only simulated failures can provoke.
    private static func gone(at date: Int64) -> [JSONValue] {
        let period: [String: JSONValue] = ["startDate": .integer(date - 1), "endDate": .integer(date)]
        return [
            AppleClientPeer.failing(
                "history of no account", code: 4_040_001, "get_transaction_history",
                [.string("{transaction}"), .null, .object([:]), .string("v2")]),
            AppleClientPeer.failing(
                "statuses of no account", code: 4_040_001, "get_all_subscription_statuses",
                [.string("{transaction}"), .null]),
            AppleClientPeer.failing(
                "notification history of no account", code: 4_040_001, "get_notification_history",
                [.null, .object(period.merging(["transactionId": .string("{transaction}")]) { $1 })]),
        ]
    }

    @Test func `Apple's server client reads each error of the server with its error code`() async throws {
        let codes = try await PeerCustomers.run { served, ids in
            // A test notification is refused only without an address for it.
            try await served.store.setNotificationURL(nil)
            var question = try served.question(ids: ids)
            let table: AppleClientPeer.Errors = try await AppleClientPeer.ask("errors", question)
            #expect(table.failures == [])
            let cases = Self.gone(at: question.now)
            #expect(table.skipped == cases.compactMap { $0["id"]?.text })
            #expect(table.cases.count >= 250)

            question.cases = cases
            try await served.store.fail(.accountNotFound, times: cases.count)
            let gone: AppleClientPeer.Errors = try await AppleClientPeer.ask("errors", question)
            #expect(gone.failures == [])
            #expect(gone.skipped == [])
            let codes = table.codes.union(gone.codes).union(try await Self.codesOfFailures(of: served, question))
            print("\(table.cases.count) cases, \(codes.count) codes")
            return codes
        }
        #expect(codes == Set(ServerError.Code.allCases.filter { Self.unprovoked[$0] == nil }.map(\.rawValue)))
    }

    /// Simulates each failure once.
    ///
    /// - Returns: The error codes that the client has decoded.
    private static func codesOfFailures(of served: ServedStore, _ question: AppleClientPeer.Question) async throws
        -> Set<
            Int
        >
    {
        var (question, codes) = (question, Set<Int>())
        for (failure, code, status) in failures {
            question.cases = [
                AppleClientPeer.failing(
                    failure.rawValue, code: code?.rawValue, status: status, "get_transaction_info",
                    [.string("{transaction}")])
            ]
            try await served.store.fail(failure, times: 1)
            let answer: AppleClientPeer.Errors = try await AppleClientPeer.ask("errors", question)
            #expect(answer.failures == [])
            #expect(answer.skipped == [])
            codes.formUnion(answer.codes)
            guard code == .rateLimitExceeded else { continue }
            // Apple gives the time in milliseconds since 1970.
            let retry = try #require(answer.cases.first?.retryAfter.flatMap { Int64($0) })
            #expect((0...120_000).contains(retry - Date().inMilliseconds))
        }
        return codes
    }

    @Test func `the check for expected errors fails for a request that succeeds or returns another code or status`()
        async throws
    {
        try await ServedStore.run { served in
            var question = try served.question(ids: ["transaction": try await served.buy("coins")[0]])
            question.cases = [
                AppleClientPeer.failing("success", code: 4_040_010, "get_transaction_info", [.string("{transaction}")]),
                AppleClientPeer.failing("another code", code: 4_040_010, "get_transaction_info", [.string("letters")]),
                AppleClientPeer.failing(
                    "another status", code: nil, status: 401, "get_transaction_info", [.string("7")]),
                AppleClientPeer.failing("an unknown id", code: 4_040_010, "get_transaction_info", [.string("7")]),
                AppleClientPeer.failing(
                    "an id without a name", code: 4_040_010, "get_transaction_info", [.string("{renewal}")]),
            ]
            let answer: AppleClientPeer.Errors = try await AppleClientPeer.ask("errors", question)

            #expect(answer.failed == ["success", "another code", "another status"])
            #expect(answer.skipped == ["an id without a name"])
            #expect(answer.codes == [4_040_010])
        }
    }
}
