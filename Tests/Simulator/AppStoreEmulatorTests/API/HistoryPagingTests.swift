import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Pages and revisions of the history of a customer.
@Suite(.hangLimit) struct HistoryPagingTests {
    /// Buys a subscription, renews it until a number of transactions is reached, and returns their identifiers.
    private func renew(_ count: Int, in served: ServedStore) async throws -> [String] {
        guard count > 0 else { return [] }
        try await served.store.setTimeRate(.oneRenewalEveryTwoSeconds)
        try await served.buy("news")
        if count > 1 { try await served.store.advance(by: TimeInterval(2 * (count - 1))) }
        return try await served.store.transactions().map(\.id)
    }

    /// Reader of a history that continues with the last revision.
    private struct Reader {
        let caller: APICaller
        let path: String
        var revision: String?
        var pages: [[TransactionPayload]] = []

        mutating func readPage() async throws -> Bool {
            let answer = try await caller.send(.get, path, query: revision.map { [("revision", $0)] } ?? [])
            try #require(answer.status == 200)
            let next = try #require(answer[text: "revision"])
            revision = next
            pages.append(try answer.transactions)
            return try answer.hasMore
        }

        /// Reads the remaining pages, and returns their transactions.
        mutating func readAll() async throws -> [TransactionPayload] {
            let first = pages.count
            while try await readPage() {}
            return pages[first...].flatMap { $0 }
        }
    }

    @Test(arguments: [0, 1, 20, 21, 1_000])
    func `no transaction is missing in a paged history if transactions are refunded between two pages`(count: Int)
        async throws
    {
        try await ServedStore.run { served in
            let all = try await renew(count, in: served)
            let customer = try await served.appTransaction()
            var reader = Reader(caller: try APICaller(served), path: "/inApps/v2/history/\(customer)")
            var (generator, refunded) = (SeededGenerator(seed: UInt64(count)), Set<String>())
            var hasMore = try await reader.readPage()
            while hasMore {
                if let id = all.randomElement(using: &generator), refunded.insert(id).inserted {
                    try await served.store.refund(id)
                }
                hasMore = try await reader.readPage()
            }
            #expect(reader.pages.allSatisfy { $0.count <= 20 })
            #expect(reader.pages.dropLast().allSatisfy { $0.count == 20 })
            #expect(count != 1_000 || refunded.count > 40)

            let read = reader.pages.flatMap { $0 }
            #expect(Set(read.map(\.transactionID)) == Set(all))
            for (id, seen) in Dictionary(grouping: read, by: \.transactionID) {
                #expect(seen.count <= (refunded.contains(id) ? 2 : 1))
                #expect((seen.last?.revocationDate != nil) == refunded.contains(id), "the last state of \(id)")
            }

            #expect(try await reader.readAll().isEmpty)
            #expect(try await reader.readAll().isEmpty)
            let new = try await served.buy("map")[0]
            #expect(try await reader.readAll().map(\.transactionID) == [new])
            if let first = all.first(where: { !refunded.contains($0) }) {
                try await served.store.refund(first)
                #expect(try await reader.readAll().map(\.transactionID) == [first])
            }
            #expect(try await reader.readAll().isEmpty)
        }
    }

    @Test(arguments: [20, 21, 41])
    func `the pages of a transaction history in descending order list the last change first`(count: Int) async throws {
        try await ServedStore.run { served in
            let all = try await renew(count, in: served)
            let caller = try APICaller(served)
            var (found, query): ([String], [(String, String)]) = ([], [("sort", "DESCENDING")])
            var hasMore = true
            while hasMore {
                let answer = try await caller.send(.get, "/inApps/v2/history/\(all[0])", query: query)
                found += try answer.transactions.map(\.transactionID)
                query = [("sort", "DESCENDING"), ("revision", try #require(answer[text: "revision"]))]
                hasMore = try answer.hasMore
            }
            #expect(found == all.reversed())
        }
    }

    @Test func `a history revision is accepted only unaltered and for the customer, version and filter it belongs to`()
        async throws
    {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let own = try await served.buy("coins", "map")[0]
            let other = try await served.buy("coins", by: try served.store.device("phone", of: "ann"))[0]
            let filter = [("productId", "coins")]
            func revision(_ path: String, _ query: [(String, String)] = []) async throws -> String {
                let answer = try await caller.send(.get, path, query: query)
                guard let revision = answer[text: "revision"] else { throw ServedTestFailure("no revision") }
                return revision
            }
            let history = "/inApps/v2/history/\(own)"
            let good = try await revision(history, filter)
            let refunds = try await revision("/inApps/v2/refund/lookup/\(own)")
            typealias Case = (id: String, path: String, query: [(String, String)], revision: String)
            var cases: [Case] = [
                ("no filter", history, [], good),
                ("another filter", history, [("productId", "map")], good),
                ("one filter more", history, filter + [("revoked", "false")], good),
                ("another order", history, filter + [("sort", "DESCENDING")], good),
                ("the other version", "/inApps/v1/history/\(own)", filter, good),
                ("another customer", "/inApps/v2/history/\(other)", filter, good),
                ("a revision of refunds", history, filter, refunds),
                ("a revision of history among refunds", "/inApps/v2/refund/lookup/\(own)", [], good),
                ("nothing", history, filter, ""),
                ("a number", history, filter, "7"),
                ("two lines", history, filter, good + "\n"),
                ("a longer one", history, filter, good + "0"),
                ("a shorter one", history, filter, String(good.dropLast())),
                ("more than 64 bits", history, filter, "9999999999999999999_" + good),
                ("a very long one", history, filter, String(repeating: "1_", count: 2_000)),
            ]
            for index in good.indices {
                let flipped = good.replacingCharacters(in: index...index, with: good[index] == "7" ? "8" : "7")
                let place = good.distance(from: good.startIndex, to: index)
                cases.append(("another character \(place)", history, filter, flipped))
            }
            for entry in cases {
                let query = entry.query + [("revision", entry.revision)]
                #expect(try await caller.send(.get, entry.path, query: query).code == 4_000_005, "\(entry.id)")
            }
            let twice = filter + [("revision", good), ("revision", good)]
            #expect(try await caller.send(.get, history, query: twice).code == 4_000_005)
            let answer = try await caller.send(.get, history, query: [("revision", good)] + filter)
            #expect((answer.status, try answer.transactions.count) == (200, 0))
        }
    }
}
