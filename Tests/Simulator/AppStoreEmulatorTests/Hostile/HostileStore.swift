import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator

/// Served store with a customer, whose state must not change whatever is sent to it.
struct HostileStore {
    let served: ServedStore
    let caller: APICaller
    /// Identifiers of a consumable and of a subscription.
    let coins: String
    let silver: String

    init(_ served: ServedStore) async throws {
        self.served = served
        caller = try APICaller(served)
        coins = try await served.buy("coins")[0]
        silver = try await served.buy("club.silver")[0]
    }

    var raw: RawClient { RawClient(url: served.url) }

    /// Request as it is sent, with a good token.
    func request(
        _ method: String = "GET", _ target: String, _ fields: String..., body: String = "", keepsAlive: Bool = false
    ) -> String {
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(caller.token)"] + fields
            + (keepsAlive ? [] : ["Connection: close"])
        return (lines + ["", ""]).joined(separator: "\r\n") + body
    }

    /// What the store answers about its customer: the history, signed, and the statuses.
    func state() async throws -> [JSONValue?] {
        var answers: [JSONValue?] = []
        for path in ["/inApps/v2/history/\(coins)", "/inApps/v1/subscriptions/\(silver)"] {
            let answer = try await caller.send(.get, path)
            try #require(answer.status == 200)
            answers.append(answer.json)
        }
        return answers
    }

    /// Runs a function, after which the store must be as before and the server must answer.
    static func unharmed(_ body: (HostileStore) async throws -> Void) async throws {
        try await ServedStore.run { served in
            let store = try await HostileStore(served)
            let before = try await store.state()
            try await body(store)
            #expect(try await store.state() == before)
            #expect(try await served.store.transactions().allSatisfy { !$0.isFinished && $0.accountToken == nil })
        }
    }
}
