import Foundation
import HTTPTypes
import Testing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Refunded transactions of a customer: both versions of `GET /inApps/…/refund/lookup`.
@Suite(.hangLimit) struct RefundHistoryTests {
    private static func read(
        _ customer: String, after revision: String? = nil, by caller: APICaller
    ) async throws -> (transactions: [TransactionPayload], revision: String, hasMore: Bool) {
        let answer = try await caller.send(
            .get, "/inApps/v2/refund/lookup/\(customer)", query: revision.map { [("revision", $0)] } ?? [])
        try #require(answer.status == 200)
        let revision = try #require(answer[text: "revision"])
        return (try answer.transactions, revision, try answer.hasMore)
    }

    /// Buys a subscription, renews it until a number of transactions is reached, and returns their identifiers.
    private static func renew(_ count: Int, in served: ServedStore) async throws -> [String] {
        try await served.store.setTimeRate(.oneRenewalEveryTwoSeconds)
        try await served.buy("news")
        if count > 1 { try await served.store.advance(by: TimeInterval(2 * (count - 1))) }
        return try await served.store.transactions().map(\.id)
    }

    @Test(arguments: [0, 1, 20, 21, 45], [false, true])
    func `the pages of a refund history list the refunds in order, including those made between two pages`(
        count: Int, isInOneMoment: Bool
    ) async throws {
        try await ServedStore.run { served in
            let (caller, customer) = (try APICaller(served), try await served.appTransaction())
            let all = try await Self.renew(count + 3, in: served)
            var (generator, refunded) = (SeededGenerator(seed: UInt64(count)), [String]())
            var left = all.shuffled(using: &generator)
            func refundNext() async throws {
                let id = left.removeLast()
                refunded.append(id)
                try await served.store.refund(id)
                if !isInOneMoment { try await served.store.advance(by: 0.001) }
            }
            for _ in 0..<count { try await refundNext() }

            var (found, revision) = ([TransactionPayload](), String?.none)
            var hasMore = true
            while hasMore {
                let page = try await Self.read(customer, after: revision, by: caller)
                #expect(page.transactions.count <= 20)
                found += page.transactions
                (revision, hasMore) = (page.revision, page.hasMore)
                if hasMore, left.count > 1 { try await refundNext() }
            }
            #expect(found.map(\.transactionID) == refunded)
            #expect(found.allSatisfy { $0.revocationReason == .other && $0.revocationType == .fullRefund })
            #expect(try await Self.read(customer, after: revision, by: caller).transactions.isEmpty)
            try await refundNext()
            let new = try await Self.read(customer, after: revision, by: caller)
            #expect(new.transactions.map(\.transactionID) == refunded.suffix(1))
            #expect(!new.hasMore)
        }
    }

    @Test func `a reversed refund leaves the refund history, and is listed again when it is refunded again`()
        async throws
    {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let bought = try await served.buy("coins", "coins", "map")
            try await served.store.refund(bought[0], .percent(25))
            try await served.store.refund(bought[1])
            let first = try await Self.read(bought[2], by: caller)
            #expect(first.transactions.map(\.transactionID) == [bought[0], bought[1]])
            #expect(first.transactions[0].revocationPercentage == 25_000)
            #expect(first.transactions[0].revocationType == .proratedRefund)
            try await served.store.reverseRefund(bought[0])
            #expect(try await Self.read(bought[2], by: caller).transactions.map(\.transactionID) == [bought[1]])
            try await served.store.refund(bought[0])
            let later = try await Self.read(bought[2], after: first.revision, by: caller)
            #expect(later.transactions.map(\.transactionID) == [bought[0]])
        }
    }

    @Test func `the refund of a shared product is not in the refund history of another family member`() async throws {
        try await ServedStore.run { served in
            let (store, ann) = (served.store, try served.store.device("phone", of: "ann"))
            try await store.joinFamily("Smith")
            try await ann.joinFamily("Smith")
            let map = try await served.buy("map")[0]
            try await store.refund(map)
            let caller = try APICaller(served)
            let copy = try #require(try await ann.transactions().first)
            #expect(copy.revocationDate != nil)
            #expect(try await Self.read(copy.id, by: caller).transactions.isEmpty)
            #expect(try await Self.read(map, by: caller).transactions.map(\.transactionID) == [map])
        }
    }

    @Test func `version 1 of the refund history returns the newest fifty refunds of an original transaction`()
        async throws
    {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let all = try await Self.renew(60, in: served)
            func lookUp(_ id: String) async throws -> APIAnswer {
                try await caller.send(.get, "/inApps/v1/refund/lookup/\(id)")
            }
            #expect(try await lookUp(all[0]).transactions.isEmpty)
            for id in all.prefix(3) { try await served.store.refund(id) }
            #expect(try await lookUp(all[0]).transactions.map(\.transactionID) == Array(all.prefix(3)))
            for id in all[3..<55] { try await served.store.refund(id) }
            let answer = try await lookUp(all[0])
            #expect(try answer.transactions.map(\.transactionID) == Array(all[5..<55]))
            #expect((answer.json?["revision"], answer.json?["hasMore"]) == (nil, nil))

            #expect(try await lookUp(all[1]).code == 4_040_005)
            #expect(try await lookUp(try await served.appTransaction()).code == 4_040_005)
            #expect(try await lookUp(ServedStore.unknown).code == 4_040_005)
            #expect(try await lookUp("abc").code == 4_000_008)
        }
    }
}
