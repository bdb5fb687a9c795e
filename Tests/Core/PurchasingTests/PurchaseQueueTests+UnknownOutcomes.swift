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

    /// Transaction of a product that is delivered after a purchase of the product without an answer.
    enum LaterDelivery: String, CaseIterable, CustomTestStringConvertible {
        case new, recordedBefore, unfinishedBefore, boughtBeforeLastSignature, renewal, refund

        var testDescription: String { rawValue }
    }

    @Test(arguments: LaterDelivery.allCases)
    func `only a transaction that may be of the purchase answers a purchase without an answer`(
        _ later: LaterDelivery
    ) async throws {
        func date(_ second: Double) -> Date { Date(timeIntervalSince1970: 1_900_000_000 + second) }
        let signer = try Signer(around: date(0))
        func coins(
            _ id: String, bought: Double, signed: Double, revoked: Double? = nil, _ reason: TransactionReason? = nil
        ) throws -> StoreTransaction {
            try signer.transaction(
                id, of: .voyager("coins50"), .consumable, bought: date(bought), signed: date(signed),
                revoked: revoked.map(date), reason: reason)
        }
        let listed = Recorder<Result<[StoreTransaction], StoreError>>()
        listed.record(.success(later == .unfinishedBefore ? [try coins("1", bought: 150, signed: 150)] : []))
        var store = InterceptedStore(voyager.store)
        store.onUnfinished = { () throws(StoreError) in try listed.values.last?.get() ?? [] }
        store.onFinish = { _ throws(StoreError) in }
        store.onPurchase = { _, _ throws(StoreError) in
            throw StoreError(code: .unavailable, reason: "the connection was lost")
        }
        let queue = try makeQueue(store: store, verifier: signer.verifier)
        await queue.deliver(try coins("2", bought: 100, signed: 100))
        await queue.deliver(try signer.transaction("3", of: .voyager("lisbon"), signed: date(100)))
        #expect(
            await queue.purchase(.voyager("coins50"), quantity: 1).word == "unknown: the connection was lost")

        let transaction =
            switch later {
            case .new: try coins("4", bought: 200, signed: 200)
            case .recordedBefore: try coins("2", bought: 100, signed: 200)
            case .unfinishedBefore: try coins("1", bought: 150, signed: 200)
            case .boughtBeforeLastSignature: try coins("4", bought: 50, signed: 200)
            case .renewal: try coins("4", bought: 200, signed: 200, .renewal)
            case .refund: try coins("2", bought: 100, signed: 200, revoked: 200)
            }
        await queue.deliver(transaction)
        listed.record(.failure(StoreError(code: .network, reason: "the store cannot be reached")))
        #expect(
            await queue.purchase(.voyager("coins50"), quantity: 1).word
                == (later == .new ? "failed: network" : "failed: outcome-unknown"))
    }

    @Test func `a transaction that was unfinished before a purchase without an answer is not its outcome`() async throws
    {
        let earlier = try #require(try await voyager.store.purchase(.voyager("coins50"), quantity: 1).transaction)
        var store = InterceptedStore(voyager.store)
        store.onUnfinished = { () throws(StoreError) in [earlier] }
        let purchases = Recorder<String>()
        store.onPurchase = { identifier, _ throws(StoreError) in
            purchases.record(identifier)
            throw StoreError(code: .unavailable, reason: "the connection was lost")
        }
        let queue = try makeQueue(store: store)
        for _ in 1...2 {
            #expect(
                await queue.purchase(.voyager("coins50"), quantity: 1).word == "unknown: the connection was lost")
        }
        #expect(purchases.values.count == 2)
    }
}
