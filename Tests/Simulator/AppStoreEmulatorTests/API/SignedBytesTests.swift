import Foundation
import HTTPTypes
import Testing
import VitrineAppStoreEmulator
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

/// Signed data in responses, which is identical until its content changes.
@Suite(.hangLimit) struct SignedBytesTests {
    /// Reader of the signed data of a subscription.
    private struct Reader {
        let served: ServedStore
        let caller: APICaller
        let id: String

        init(_ served: ServedStore, _ id: String) throws {
            (self.served, caller, self.id) = (served, try APICaller(served), id)
        }

        /// Returns a signed transaction, and expects the same one in the transaction request, the history and the
        /// statuses.
        func transaction(_ id: String? = nil) async throws -> String {
            let answer = try await caller.send(.get, "/inApps/v1/transactions/\(id ?? self.id)")
            let single = try #require(answer[text: "signedTransactionInfo"])
            let history = try await caller.send(.get, "/inApps/v2/history/\(self.id)")
            #expect(history.json?["signedTransactions"]?.list?.contains(.string(single)) == true)
            return single
        }

        func renewal() async throws -> String {
            let statuses = try await served.client.subscriptionStatuses(of: id)
            return try #require(statuses.groups.first?.subscriptions.first).signedRenewal
        }
    }

    @Test func `a transaction is signed again only when it has changed`() async throws {
        try await ServedStore.run { served in
            let id = try await served.buy("club.silver")[0]
            let reader = try Reader(served, id)
            let (first, renewal) = (try await reader.transaction(), try await reader.renewal())
            try await served.buy("map")
            try await served.store.advance(by: 1 * .days)
            #expect(try await reader.transaction() == first)
            #expect(try await reader.renewal() == renewal)

            try await served.store.setRenewal(false, of: "club.silver")
            #expect(try await reader.transaction() == first)
            let turnedOff = try await reader.renewal()
            #expect(turnedOff != renewal)
            try await served.store.setRenewal(true, of: "club.silver")
            #expect(try await reader.renewal() != turnedOff)
            #expect(try await reader.transaction() == first)

            try await served.store.advance(by: 40 * .days)
            #expect(try await reader.transaction() == first)
            let second = try #require(try await served.store.transactions().last).id
            let renewed = try await reader.transaction(second)
            try await served.store.refund(second)
            let refunded = try await reader.transaction(second)
            #expect(refunded != renewed)
            #expect(try await reader.transaction(second) == refunded)
            #expect(try await reader.transaction() == first)
        }
    }

    @Test(arguments: [false, true])
    func `a reversed refund is signed later than the refund, whether a server has read the refund or not`(
        readsAll: Bool
    ) async throws {
        try await ServedStore.run { served in
            let id = try await served.buy("club.silver")[0]
            let reader = try Reader(served, id)
            let (first, renewal) = (try await reader.transaction(), try await reader.renewal())
            try await served.store.advance(by: 60)
            let updates = served.store.updates()
            try await served.store.refund(id)
            let refund = try #require(await updates.first { _ in true })
            if readsAll { #expect(try APIAnswer.transaction(try await reader.transaction()).revocationDate != nil) }
            try await served.store.reverseRefund(id)

            let (last, renewed) = (try await reader.transaction(), try await reader.renewal())
            let refunded = try APIAnswer.transaction(refund.signedData)
            #expect((last != first, renewed != renewal) == (true, true))
            #expect(try APIAnswer.transaction(last).revocationDate == nil)
            #expect(try APIAnswer.transaction(last).signedDate > refunded.signedDate)
            #expect(try await Self.signedDate(renewed, served) > refunded.signedDate)
        }
    }

    private static func signedDate(_ renewal: String, _ served: ServedStore) async throws -> Date {
        guard case .verified(let renewal) = try await served.verifier().verify(renewal: renewal) else {
            throw ServedTestFailure("the renewal is not verified")
        }
        return renewal.payload.signedDate
    }

    @Test func `renewal information is signed again with a new date when renewal is turned off and on again`()
        async throws
    {
        try await ServedStore.run(at: nil) { served in
            let id = try await served.buy("club.silver")[0]
            let reader = try Reader(served, id)
            let renewal = try await reader.renewal()
            #expect(try await reader.renewal() == renewal)
            let updates = served.store.updates()
            try await served.store.setRenewal(false, of: "club.silver")
            let update = try #require(await updates.first { _ in true }?.signedRenewal)
            try await served.store.setRenewal(true, of: "club.silver")
            let last = try await reader.renewal()
            #expect(last != renewal)
            #expect(try await Self.signedDate(last, served) >= Self.signedDate(update, served))
        }
    }
}
