import Foundation
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Requests and verifications of Apple's server library in Python.
@Suite(
    .blocksThreads, .hangLimit,
    .enabled(if: ApplePeer.isInstalled, "Scripts/peers has not installed Apple's library"))
struct AppleClientPeerTests {
    private static let environments = [StoreEnvironment.sandbox, .production]
    /// Number of methods that each client has.
    private static let methods = 30

    private static func anotherRoot() throws -> String { try ServedStore.club(seed: 8).rootCertificate }

    // MARK: Methods

    @Test(arguments: environments)
    func `all methods of Apple's two server clients are answered, and the signed data in the responses is verified`(
        _ environment: StoreEnvironment
    ) async throws {
        try await PeerCustomers.run(in: environment) { served, ids in
            let answer: AppleClientPeer.Methods = try await AppleClientPeer.ask("methods", served.question(ids: ids))

            #expect(answer.calls.filter { !$0.ok }.map { "\($0.method) \($0.note): \($0.error ?? "")" } == [])
            #expect(answer.async)
            for client in ["sync", "async"] {
                let calls = answer.calls.filter { $0.client == client }
                #expect(Set(calls.map(\.method)).count == Self.methods)
                #expect(calls.filter { $0.code == 4_040_003 }.count == 14)
                #expect(calls.reduce(0) { $0 + $1.verified } >= 200)
            }
            print("\(environment.rawValue): \(answer.calls.count) calls, \(answer.verified) verified payloads")
        }
    }

    @Test func `Apple's server client verifies no signed data under the root certificate of another store`()
        async throws
    {
        try await PeerCustomers.run { served, ids in
            var question = try served.question(ids: ids)
            question.root = try Self.anotherRoot()
            let answer: AppleClientPeer.Methods = try await AppleClientPeer.ask("methods", question)

            #expect(answer.verified == 0)
            #expect(
                Set(answer.calls.filter { !$0.ok }.map(\.method)) == [
                    "get_transaction_info", "get_transaction_history", "get_all_subscription_statuses",
                    "get_refund_history", "look_up_order_id", "get_app_transaction_info",
                    "get_test_notification_status", "get_notification_history",
                ])
            #expect(answer.calls.filter { !$0.ok }.allSatisfy { $0.error?.contains("VERIFICATION_FAILURE") == true })
        }
    }

    // MARK: Tokens

    @Test func `valid authorization tokens are accepted, and invalid ones are refused`() async throws {
        try await ServedStore.run { served in
            let ids = ["transaction": try await served.buy("coins")[0]]
            let answer: AppleClientPeer.Authorization = try await AppleClientPeer.ask(
                "authorization", served.question(ids: ids))

            #expect(answer.failed == [])
            #expect(answer.cases.count >= 40)
            #expect(answer.cases.filter { $0.status == 200 }.count == 4)
        }
    }

    @Test func `valid authorization tokens with an unknown key identifier are refused`() async throws {
        try await ServedStore.run { served in
            var question = try served.question()
            question.keyID = "AAAAAAAAAA"
            let answer: AppleClientPeer.Authorization = try await AppleClientPeer.ask("authorization", question)

            #expect(answer.cases.allSatisfy { $0.status == 401 })
            #expect(answer.failed.contains("as Apple's libraries make it"))
        }
    }

    // MARK: Signed data

    @Test(arguments: environments)
    func `Apple's library verifies the signed data of all kinds of store events, offline and online`(
        _ environment: StoreEnvironment
    ) async throws {
        try await PeerStory.run(in: environment) { notified in
            var question = try notified.served.question()
            question.payloads = try await notified.payloads()
            let answer: AppleClientPeer.Verdicts = try await AppleClientPeer.ask("verify", question)

            #expect(Set(answer.payloads.map(\.verdict)) == ["OK"])
            #expect(answer.payloads.flatMap(\.doubts) == [])
            #expect(
                Set(answer.payloads.compactMap(\.row))
                    == Set(NotificationTable.rows.filter { $0.exclusion == nil }.map(\.id)))
            #expect(
                Set(answer.payloads.flatMap(\.kinds)) == ["transaction", "renewal", "appTransaction", "notification"])
            #expect(answer.verified >= 200)
            print("\(environment.rawValue): \(answer.payloads.count) payloads, \(answer.verified) verified")
        }
    }

    @Test func `Apple's library rejects signed data under another store's root or with one changed character`()
        async throws
    {
        try await PeerStory.run(in: .sandbox) { notified in
            var question = try notified.served.question()
            let payloads = try await notified.payloads()
            question.payloads = payloads.enumerated().flatMap { number, payload in
                (0..<3).map { Self.changed(payload, segment: $0, position: number * 53) }
            }
            let changed: AppleClientPeer.Verdicts = try await AppleClientPeer.ask("verify", question)
            #expect(changed.payloads.count == 3 * payloads.count)
            #expect(changed.payloads.filter { $0.verdict == "OK" }.isEmpty)
            #expect(changed.verified == 0)

            question.payloads = payloads
            question.root = try Self.anotherRoot()
            let other: AppleClientPeer.Verdicts = try await AppleClientPeer.ask("verify", question)
            #expect(Set(other.payloads.map(\.verdict)) == ["VERIFICATION_FAILURE"])
            #expect(other.verified == 0)
        }
    }

    @Test func `data that was signed before the server started is verified offline, but not online`() async throws {
        let store = try ServedStore.club()
        try await store.setNotificationURL(URL(string: "http://127.0.0.1:9/notifications"))
        try await store.purchaseElsewhere("coins")
        try await ServedStore.run(store, at: nil) { served in
            var question = try served.question()
            try await served.buy("coins")
            question.payloads = try await store.notifications().map {
                .init(kind: "notification", text: $0.signedPayload)
            }
            let online: AppleClientPeer.Verdicts = try await AppleClientPeer.ask("verify", question)
            question.online = false
            let offline: AppleClientPeer.Verdicts = try await AppleClientPeer.ask("verify", question)

            // The certificates name no responder to ask.
            #expect(online.payloads.map(\.verdict) == ["VERIFICATION_FAILURE", "OK"])
            #expect(offline.payloads.map(\.verdict) == ["OK", "OK"])
        }
    }

    /// Returns a payload with a changed character in one of the three segments of its compact JWS. The last character
    /// is never changed, because some of its bits are unused.
    private static func changed(
        _ payload: AppleClientPeer.Question.Payload, segment: Int, position: Int
    ) -> AppleClientPeer.Question.Payload {
        var segments = payload.text.split(separator: ".").map { Array($0) }
        let index = position % (segments[segment].count - 1)
        segments[segment][index] = segments[segment][index] == "A" ? "B" : "A"
        return AppleClientPeer.Question.Payload(
            kind: payload.kind, text: segments.map { String($0) }.joined(separator: "."))
    }
}

extension AppleClientPeer.Verdicts.Payload {
    /// Row of the table of notifications; `nil` for another payload.
    fileprivate var row: String? { notificationType.map { NotificationRow.id($0, subtype) } }
}
