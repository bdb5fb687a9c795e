import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Several stores in one process, and several clients of one store.
@Suite(.hangLimit) struct SideBySideTests {
    @Test func `stores that are served at the same time share no tokens, failures or transactions`() async throws {
        try await ServedStore.run { sandbox in
            try await ServedStore.run(environment: .production) { production in
                // A store with another seed, on another clock.
                try await ServedStore.run(ServedStore.club(seed: 8), at: .init(timeIntervalSince1970: 1_900_000_000)) {
                    other in
                    let all = [sandbox, production, other]
                    #expect(Set(all.map(\.url)).count == 3)
                    let products = ["coins", "map", "pass"]
                    var bought: [String] = []
                    for (served, product) in zip(all, products) { bought.append(try await served.buy(product)[0]) }
                    try await production.store.fail(.serverError)
                    for (index, served) in all.enumerated() {
                        let caller = try APICaller(served)
                        for (number, stranger) in all.enumerated() {
                            let answer = try await caller.send(
                                .get, "/inApps/v2/history/\(bought[index])",
                                authorization: "Bearer \(try stranger.token())")
                            let expected = number != index ? 401 : index == 1 ? 5_000_000 : 200
                            #expect(answer.verdict == expected, "store \(index), token \(number)")
                        }
                    }
                    try await production.store.clearFailures()
                    let found = try await APICaller(other).send(.get, "/inApps/v2/history/\(bought[2])")
                    #expect(try found.transactions.map(\.productIdentifier) == ["pass"])
                    #expect(try found.transactions.map(\.signedDate) == [Date(timeIntervalSince1970: 1_900_000_000)])
                    #expect(found[text: "environment"] == "Sandbox")
                    let shop = try await APICaller(production).send(.get, "/inApps/v2/history/\(bought[1])")
                    #expect(try shop.transactions.map(\.productIdentifier) == ["map"])
                    #expect(shop[text: "environment"] == "Production")
                    #expect(
                        try await APICaller(other).send(.get, "/inApps/v1/transactions/\(bought[0])").code == 4_040_010)
                }
            }
        }
    }

    @Test func `two concurrent clients read the same signed bytes of each transaction while the store changes`()
        async throws
    {
        try await ServedStore.run { served in
            try await served.store.setTimeRate(.oneRenewalEveryTwoSeconds)
            let first = try await served.buy("news")[0]
            async let changes: Void = change(served)
            async let left = catchUp(served, first)
            async let right = catchUp(served, first)
            let (seen, other) = (try await left, try await right)
            try await changes

            let all = try await served.store.transactions()
            #expect(all.count > 100)
            for states in [seen, other] {
                #expect(Set(states.keys) == Set(all.map(\.id)))
                for transaction in all {
                    let last = try #require(states[transaction.id]?.last)
                    #expect(try APIAnswer.transaction(last).revocationDate == transaction.revocationDate)
                }
            }
            // Where both have read the same state, they have read the same bytes.
            for transaction in all { #expect(seen[transaction.id]?.last == other[transaction.id]?.last) }
        }
    }

    /// Renews a subscription and refunds periods of it.
    private func change(_ served: ServedStore) async throws {
        for round in 0..<40 {
            try await served.store.advance(by: 6)
            if round.isMultiple(of: 2) {
                let all = try await served.store.transactions()
                try await served.store.refund(all[all.count / 2].id)
            }
        }
    }

    /// Reads the whole history, continuing with the last revision, and returns the states of each transaction.
    private func catchUp(_ served: ServedStore, _ id: String) async throws -> [String: [String]] {
        let caller = try APICaller(served)
        var (states, revision): ([String: [String]], String?) = ([:], nil)
        var isAtEnd = false
        while !isAtEnd {
            let answer = try await caller.send(
                .get, "/inApps/v2/history/\(id)", query: revision.map { [("revision", $0)] } ?? [])
            try #require(answer.status == 200)
            let next = try #require(answer[text: "revision"])
            revision = next
            for signed in answer.json?["signedTransactions"]?.list ?? [] {
                let text = try #require(signed.text)
                states[try APIAnswer.transaction(text).transactionID, default: []].append(text)
            }
            let events = try await served.store.timeline()
            isAtEnd =
                try !answer.hasMore && events.count { $0.kind == .refunded } == 20
                && served.store.clock.now == ServedStore.start.addingTimeInterval(240)
        }
        // What has changed since the last page.
        for page in try await rest(caller, id, revision) {
            states[try APIAnswer.transaction(page).transactionID, default: []].append(page)
        }
        return states
    }

    private func rest(_ caller: APICaller, _ id: String, _ revision: String?) async throws -> [String] {
        var (signed, revision, hasMore) = ([String](), revision, true)
        while hasMore {
            let answer = try await caller.send(
                .get, "/inApps/v2/history/\(id)", query: revision.map { [("revision", $0)] } ?? [])
            signed += answer.json?["signedTransactions"]?.list?.compactMap(\.text) ?? []
            (revision, hasMore) = (answer[text: "revision"], try answer.hasMore)
        }
        return signed
    }
}
