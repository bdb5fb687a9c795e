import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineTestSupport

extension PurchaseQueueTests {
    @Test func `a purchase whose answer was lost is returned by the next call without a second charge`() async throws {
        try await voyager.store.fail(.lostAnswer, times: 1)
        let queue = try makeQueue()
        #expect(
            await queue.purchase(.voyager("coins50"), quantity: 1).word
                == "unknown: the connection was lost before the store answered")

        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "success, not charged again")
        #expect(try await voyager.store.transactions().count == 1)
        #expect(await balance() == 50)
        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "success, charged")
    }

    @Test func `a product is not bought again while the store cannot report the outcome of its last purchase`()
        async throws
    {
        try await voyager.store.fail(.lostAnswer, times: 1)
        let queue = try makeQueue()
        _ = await queue.purchase(.voyager("coins50"), quantity: 1)
        try await voyager.store.fail(.unfinished, times: 2)
        for _ in 0..<2 {
            #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "failed: outcome-unknown")
        }
        #expect(try await voyager.store.transactions().count == 1)

        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "success, not charged again")
    }

    @Test func `another product can be bought while the outcome of a purchase is not known`() async throws {
        try await voyager.store.fail(.lostAnswer, times: 1)
        let queue = try makeQueue()
        _ = await queue.purchase(.voyager("coins50"), quantity: 1)

        #expect(await queue.purchase(.voyager("lisbon"), quantity: 1).word == "success, charged")
    }

    @Test func `if a purchase without an answer never reached the store, the next call buys the product`() async throws
    {
        try await voyager.store.fail(.network, times: 1)
        let queue = try makeQueue()
        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "unknown: the store cannot be reached")

        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "success, charged")
        #expect(await balance() == 50)
    }

    @Test func `an older refunded transaction is not mistaken for the outcome of a purchase without an answer`()
        async throws
    {
        let queue = try makeQueue()
        _ = await queue.purchase(.voyager("coins50"), quantity: 1)
        try await voyager.store.refund("1")
        try await voyager.store.fail(.lostAnswer, times: 1)
        _ = await queue.purchase(.voyager("coins50"), quantity: 1)

        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "success, not charged again")
        #expect(try await voyager.store.transactions().count == 2)
        try await queue.drain()
        #expect(await balance() == 50)
    }
}
