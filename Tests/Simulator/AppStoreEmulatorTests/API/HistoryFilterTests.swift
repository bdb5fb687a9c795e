import Foundation
import HTTPTypes
import Testing
import VitrineCatalog
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Filters of the history of a customer: `GET /inApps/v1/history` and `GET /inApps/v2/history`.
@Suite(.hangLimit) struct HistoryFilterTests {
    @Test(arguments: ["v1", "v2"])
    func `history filters, alone or combined, return the transactions that match all of them, in both orders`(
        version: String
    ) async throws {
        try await ServedStore.run { served in
            try await HistoryCustomer.live(in: served)
            let caller = try APICaller(served)
            let all = try await served.store.transactions()
            #expect(all.count > 8)
            #expect(Set(all.map(\.kind)).count == 4)
            let path = "/inApps/\(version)/history/\(all[0].id)"

            for entry in HistoryFilterCase.alone + HistoryFilterCase.combined {
                let expected = all.filter { transaction in
                    let isListed =
                        version == "v2" || transaction.kind != .consumable || !transaction.isFinished
                        || transaction.revocationDate != nil
                    return isListed && entry.matches(transaction)
                }
                let answer = try await caller.send(.get, path, query: entry.query)
                let found = try answer.transactions.map(\.transactionID)
                #expect(answer.status == 200, "\(entry.id)")
                #expect(Set(found) == Set(expected.map(\.id)), "\(entry.id)")
                #expect(found.count == expected.count, "\(entry.id)")
                #expect(try answer.hasMore == false, "\(entry.id)")
                let reversed = try await caller.send(.get, path, query: entry.query + [("sort", "DESCENDING")])
                #expect(try reversed.transactions.map(\.transactionID) == found.reversed(), "\(entry.id)")
            }
        }
    }

    @Test func `version 1 of the transaction history omits finished consumables until they are refunded`() async throws
    {
        try await ServedStore.run { served in
            let bought = try await served.buy("coins", "map")
            let caller = try APICaller(served)
            func listed(_ version: String) async throws -> [String] {
                try await caller.send(.get, "/inApps/\(version)/history/\(bought[0])").transactions.map(\.transactionID)
            }
            #expect(try await listed("v1") == bought)
            for transaction in try await served.store.unfinishedTransactions() {
                try await served.store.finish(transaction)
            }
            #expect(try await listed("v1") == [bought[1]])
            #expect(try await listed("v2") == bought)
            try await served.store.refund(bought[0])
            #expect(try await listed("v1") == [bought[1], bought[0]])
            #expect(try await listed("v2") == [bought[1], bought[0]])
        }
    }

    @Test func `the transaction history is ordered by the last change of each transaction, such as a refund`()
        async throws
    {
        try await ServedStore.run { served in
            let (store, ann) = (served.store, try served.store.device("phone", of: "ann"))
            try await store.joinFamily("Smith")
            try await ann.joinFamily("Smith")
            let map = try await served.buy("map", by: ann)[0]
            let (silver, pass, coins) = (
                try await served.buy("club.silver")[0], try await served.buy("pass")[0],
                try await served.buy("coins")[0]
            )
            let copy = try #require(try await store.transactions().first { $0.productIdentifier == "map" }).id
            let caller = try APICaller(served)
            func order() async throws -> [String] {
                try await caller.send(.get, "/inApps/v2/history/\(coins)").transactions.map(\.transactionID)
            }

            #expect(try await order() == [copy, silver, pass, coins])
            let gold = try await served.buy("club.gold")[0]
            #expect(try await order() == [copy, pass, coins, silver, gold])
            try await store.refund(pass)
            #expect(try await order() == [copy, coins, silver, gold, pass])
            try await store.reverseRefund(pass)
            #expect(try await order() == [copy, coins, silver, gold, pass])
            try await ann.refund(map)
            #expect(try await order() == [coins, silver, gold, pass, copy])
        }
    }

    @Test func `any transaction or app transaction identifier of a customer returns the customer's complete history`()
        async throws
    {
        try await ServedStore.run { served in
            try await HistoryCustomer.live(in: served)
            let all = try await served.store.transactions()
            let identifiers = all.map(\.id) + [try await served.appTransaction()]
            for identifier in identifiers {
                var found: [String] = []
                for try await page in served.client.transactionHistory(of: identifier) {
                    found += try page.signedTransactions.map { try APIAnswer.transaction($0).transactionID }
                    #expect(page.bundleIdentifier == ServedStore.bundle)
                    #expect((page.environment, page.appIdentifier) == (.sandbox, nil))
                }
                #expect(Set(found) == Set(all.map(\.id)), "\(identifier)")
            }
            var filter = TransactionHistoryFilter()
            filter.productKinds = [.autoRenewableSubscription]
            filter.ownership = .familyShared
            filter.isRevoked = false
            filter.order = .descending
            let shared = all.filter { $0.groupID != nil && $0.ownershipType == .familyShared }.map(\.id)
            var found: [String] = []
            for try await page in served.client.transactionHistory(of: all[0].id, filter: filter) {
                found += try page.signedTransactions.map { try APIAnswer.transaction($0).transactionID }
            }
            #expect(!shared.isEmpty)
            #expect(found == shared.reversed())
        }
    }
}
