import Foundation
import HTTPTypes
import Testing
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Transactions that the server finishes: `POST /inApps/v1/transactions/{transactionId}/finish`.
@Suite(.hangLimit) struct FinishTests {
    @Test(arguments: ["coins", "map", "pass", "club.silver"])
    func `a transaction that the server finishes is finished on all devices, and can be finished again`(
        product: String
    ) async throws {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let tablet = try served.store.device("tablet")
            let id = try await served.buy(product)[0]
            let stored = try await served.buy("map", "map").last
            #expect(try await served.store.unfinishedTransactions().map(\.id).contains(id))
            #expect(try await tablet.unfinishedTransactions().map(\.id).contains(id))
            for _ in 0..<3 {
                let answer = try await caller.send(.post, "/inApps/v1/transactions/\(id)/finish")
                #expect((answer.status, answer.body) == (200, Data()))
                for device in [served.store, tablet] {
                    let left = try await device.unfinishedTransactions().map(\.id)
                    #expect(!left.contains(id))
                    #expect(try left.contains(#require(stored)))
                }
            }
            #expect(try await served.store.transactions().first { $0.id == id }?.isFinished == true)
            try await served.store.refund(id)
            #expect(try await served.store.unfinishedTransactions().map(\.id).contains(id))
            #expect(try await caller.send(.post, "/inApps/v1/transactions/\(id)/finish").status == 200)
            #expect(try await !served.store.unfinishedTransactions().map(\.id).contains(id))
        }
    }

    @Test func `a consumable that the server has finished can be bought again`() async throws {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            let id = try #require(try await served.store.purchase("coins", options: .init()).transaction).id
            let again = try await served.store.purchase("coins", options: .init())
            #expect(again.transaction?.id == id)
            #expect(try await caller.send(.post, "/inApps/v1/transactions/\(id)/finish").status == 200)
            let next = try await served.store.purchase("coins", options: .init())
            #expect(next.transaction?.id != id)
        }
    }

    @Test func `finishing a malformed or unknown transaction identifier is refused`() async throws {
        try await ServedStore.run { served in
            let caller = try APICaller(served)
            try await served.buy("coins")
            let cases = [
                ("abc", 4_000_006), (ServedStore.unknown, 4_040_010), (try await served.appTransaction(), 4_000_048),
            ]
            for (id, code) in cases {
                #expect(try await caller.send(.post, "/inApps/v1/transactions/\(id)/finish").code == code, "\(id)")
            }
            #expect(try await served.store.unfinishedTransactions().count == 1)
        }
    }
}
