import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator

/// Served store with a customer. No request may change its state.
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

    /// Returns a request in the form in which it is sent, with a valid token.
    func request(
        _ method: String = "GET", _ target: String, _ fields: String..., body: String = "", keepsAlive: Bool = false
    ) -> String {
        let lines =
            ["\(method) \(target) HTTP/1.1", "Host: localhost", "Authorization: Bearer \(caller.token)"] + fields
            + (keepsAlive ? [] : ["Connection: close"])
        return (lines + ["", ""]).joined(separator: "\r\n") + body
    }

    /// Returns the state of the customer in the store's responses: the signed history, and the statuses.
    func state() async throws -> [JSONValue?] {
        var answers: [JSONValue?] = []
        for path in ["/inApps/v2/history/\(coins)", "/inApps/v1/subscriptions/\(silver)"] {
            let answer = try await caller.send(.get, path)
            try #require(answer.status == 200)
            answers.append(answer.json)
        }
        return answers
    }

    /// Runs a function, and expects that the state of the store is unchanged and the server still responds.
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
