import Foundation
import Purchasing
import Receipts
import StoreSimulator
import TestSupport
import Testing

/// What calls want to be asked about what they bring, where that comes later.
extension PurchaseQueueTests {
    private static let coins = String.voyager("coins50")

    /// A call that says what a test has said last, and good until it says something.
    private struct AskingCall: Sendable {
        let asked = Recorder<String>()
        let verdicts = Recorder<AppVerification>()

        var verification: TransactionVerification {
            { signed in
                asked.record(signed.payload.transactionID)
                return verdicts.values.last ?? .verified
            }
        }
    }

    private func buyCoins(_ call: AskingCall?, from queue: PurchaseQueue) async -> String {
        await queue.purchase(Self.coins, verification: call?.verification).word
    }

    /// Buys coins that somebody has to approve.
    private func askToBuyCoins(_ call: AskingCall?, from queue: PurchaseQueue) async throws {
        try await voyager.store.setAsksToBuy(true)
        #expect(await buyCoins(call, from: queue) == "pending: ask to buy")
        try await voyager.store.setAsksToBuy(false)
    }

    /// Approves what has waited longest, and has it delivered.
    private func approve(with queue: PurchaseQueue) async throws -> String {
        let id = try #require(try await voyager.store.pendingPurchases().first).id
        let approved = try await voyager.store.approve(id)
        try await queue.drain()
        return approved.id
    }

    /// Buys coins on another device.
    private func buyElsewhere(with queue: PurchaseQueue) async throws {
        try await voyager.store.purchaseElsewhere(Self.coins)
        try await queue.drain()
    }

    @Test func `a refund of what was bought before takes no call's verification away`() async throws {
        let (queue, call) = (try makeQueue(), AskingCall())
        #expect(await buyCoins(nil, from: queue) == "success, charged")
        try await askToBuyCoins(call, from: queue)
        try await voyager.store.refund("1")
        try await queue.drain()
        call.verdicts.record(.rejected("not this one"))
        let approved = try await approve(with: queue)

        #expect(call.asked.values == [approved])
        #expect(await balance() == 0)
        #expect(try await unfinished == [approved])
    }

    @Test func `what another call was answered with is not what the first one waits for`() async throws {
        let (queue, first, second) = (try makeQueue(), AskingCall(), AskingCall())
        try await askToBuyCoins(first, from: queue)
        second.verdicts.record(.undetermined("nobody has decided yet"))
        #expect(await buyCoins(second, from: queue) == "pending: nobody has decided yet")
        second.verdicts.record(.verified)
        try await queue.drain()
        #expect(await balance() == 50)
        #expect(first.asked.values.isEmpty)

        first.verdicts.record(.rejected("not this one"))
        let approved = try await approve(with: queue)
        #expect(first.asked.values == [approved])
        #expect(await balance() == 50)
    }

    @Test(arguments: [true, false])
    func `of two calls that wait each is asked until both have come, and neither afterwards`(secondAsks: Bool)
        async throws
    {
        let (queue, first, second) = (try makeQueue(), AskingCall(), AskingCall())
        try await askToBuyCoins(first, from: queue)
        try await askToBuyCoins(secondAsks ? second : nil, from: queue)
        let approved = [try await approve(with: queue), try await approve(with: queue)]
        try await buyElsewhere(with: queue)

        #expect(first.asked.values == approved)
        #expect(second.asked.values == (secondAsks ? approved : []))
        #expect(await balance() == 150)
    }

    @Test func `a call whose lost answer comes with the next call is not asked any more`() async throws {
        let (queue, first, second) = (try makeQueue(), AskingCall(), AskingCall())
        try await voyager.store.fail(.lostAnswer, times: 1)
        #expect(await buyCoins(first, from: queue).hasPrefix("unknown"))
        #expect(await buyCoins(second, from: queue) == "success, not charged again")
        try await buyElsewhere(with: queue)

        #expect(first.asked.values.count == 1)
        #expect(second.asked.values.isEmpty)
        #expect(await balance() == 100)
    }

    @Test func `what is discarded is not asked about again`() async throws {
        let (queue, call) = (try makeQueue(), AskingCall())
        call.verdicts.record(.rejected("not this one"))
        #expect(await buyCoins(call, from: queue) == "failed: rejected")
        let id = try #require(try await unfinished.first)
        let held = try await voyager.store.unfinishedTransactions()[0]
        try await queue.discard(id)
        let count = call.asked.values.count

        #expect(await queue.deliver(held).word == "delivered, new")
        #expect(call.asked.values.count == count)
    }
}
