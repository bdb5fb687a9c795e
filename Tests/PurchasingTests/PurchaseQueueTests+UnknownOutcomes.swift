import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import Receipts
import StoreSimulator
import TestSupport
import Testing

extension PurchaseQueueTests {
    @Test func `what was bought without an answer answers the next call, and is not charged again`() async throws {
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

    @Test func `until the store can be asked what became of a purchase, nothing is bought again`() async throws {
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

    @Test func `where nothing came of a purchase without an answer, the next call buys`() async throws {
        try await voyager.store.fail(.network, times: 1)
        let queue = try makeQueue()
        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "unknown: the store cannot be reached")

        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "success, charged")
        #expect(await balance() == 50)
    }

    @Test func `an older refund is not what became of a purchase without an answer`() async throws {
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
