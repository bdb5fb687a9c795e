import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

/// Purchases in a verified app receipt, in addition to transactions.
extension PurchaseQueueTests {
    // MARK: The same purchase twice

    @Test func `a purchase from a receipt is not recorded again when its transaction arrives later`() async throws {
        let (signer, queue) = try makeSigner()
        #expect(try await queue.record(receipt(issued: 1, bought())).isEmpty)
        #expect(await kinds == [.receipt, .purchase])
        #expect(try await owned(days: 1) == [Sold.guide, .voyager("porto")])

        for days in [0, 2] as [Double] {
            let transaction = try signer.transaction("1", of: Sold.guide, signed: day(days))
            #expect(await queue.deliver(transaction).word == "delivered, known")
        }
        #expect(await kinds == [.receipt, .purchase])
        #expect(steps.values.filter { $0 == "finished" }.count == 2)
    }

    @Test func `a purchase from a transaction is not recorded again when a receipt contains it later`() async throws {
        let (signer, queue) = try makeSigner()
        await queue.deliver(try signer.transaction("1", of: Sold.guide, signed: day(0)))
        for days in [1, 2] as [Double] {
            let restored = bought(Sold.guide, "9", original: "1")
            #expect(try await queue.record(receipt(issued: days, bought(), restored)).isEmpty)
        }

        #expect(await kinds == [.purchase])
    }

    @Test func `each period of a subscription in a receipt is recorded separately and once`() async throws {
        let (signer, queue) = try makeSigner()
        func period(_ id: String, on first: Double, until last: Double) -> ReceiptPurchase {
            bought(Sold.club, id, original: "1", type: .autoRenewableSubscription, on: first, until: last)
        }
        let (first, second) = (period("1", on: 0, until: 30), period("2", on: 30, until: 60))
        _ = try await queue.record(receipt(issued: 31, first, second))
        #expect(await kinds == [.receipt, .purchase, .purchase])
        for (id, days) in [("1", 0), ("2", 30)] as [(String, Double)] {
            let transaction = try signer.transaction(
                id, of: Sold.club, .autoRenewableSubscription, original: "1", signed: day(days),
                until: day(days + 30))
            #expect(await queue.deliver(transaction).word == "delivered, known")
        }

        #expect(await kinds == [.receipt, .purchase, .purchase])
        #expect(try await owned(days: 59) == [Sold.club])
        #expect(try await owned(days: 60) == [])
    }

    @Test func `an ended subscription period in a receipt does not make the product owned`() async throws {
        let (_, queue) = try makeSigner()
        let ended = bought(Sold.club, type: .autoRenewableSubscription, until: 30)

        #expect(try await queue.record(receipt(issued: 31, ended)).isEmpty)
        #expect(try await owned(days: 31) == [])
        // A device whose clock was set back.
        #expect(try await owned(days: 1) == [])
    }

    // MARK: Consumables

    @Test func `consumables in a receipt are ignored, and credited only by their transactions`() async throws {
        let (signer, queue) = try makeSigner()
        let pack = bought(Sold.coins, type: .consumable, quantity: 3)
        let unsaid = bought(Sold.coins, "2", type: nil)
        for days in [1, 2] as [Double] {
            #expect(try await queue.record(receipt(issued: days, pack, unsaid)).isEmpty)
        }
        #expect(await kinds.isEmpty)

        await queue.deliver(try signer.transaction("1", of: Sold.coins, .consumable, signed: day(0)))
        #expect(await balance() == 50)
        let cancelled = bought(Sold.coins, type: .consumable, cancelled: 3)
        #expect(try await queue.record(receipt(issued: 4, cancelled)).isEmpty)
        #expect(await balance() == 50)
        let refund = try signer.transaction(
            "1", of: Sold.coins, .consumable, signed: day(3), revoked: day(3))
        #expect(await queue.deliver(refund).word == "taken back, new")
        #expect(await balance() == 0)
    }

    @Test func `a purchase without a product type in a receipt is recorded only from its transaction`()
        async throws
    {
        let (signer, queue) = try makeSigner()
        for product in [Sold.guide, Sold.club, .voyager("unclear")] {
            for cancelled in [nil, 1] as [Double?] {
                let unsaid = bought(product, type: nil, cancelled: cancelled)
                #expect(try await queue.record(receipt(issued: 2, unsaid)).isEmpty)
            }
        }
        #expect(await kinds.isEmpty)

        // The catalog had it wrong.
        let mended = Catalog(products: [
            CatalogProduct(identifier: Sold.guide, kind: .consumable, storageKey: "coins", productValue: 5)
        ])
        let later = try makeQueue(verifier: signer.verifier, catalog: { mended })
        #expect(try await later.record(receipt(issued: 3, bought(type: nil))).isEmpty)
        let transaction = try signer.transaction("1", of: Sold.guide, .consumable, signed: day(0))
        #expect(await later.deliver(transaction).word == "delivered, new")
        #expect(await balance() == 5)
    }

    @Test func `a consumable that a receipt lists as a non-consumable remains unfinished until it is credited`()
        async throws
    {
        let (signer, queue) = try makeSigner()
        _ = try await queue.record(receipt(issued: 1, bought(.voyager("unclear"), type: .nonConsumable)))
        let transaction = try signer.transaction(
            "1", of: .voyager("unclear"), .consumable, signed: day(0))

        #expect(await queue.deliver(transaction).word.hasPrefix("waiting"))
        #expect(!steps.values.contains("finished"))
        let credited = try signer.transaction("2", of: Sold.coins, .consumable, signed: day(0))
        await queue.deliver(credited)
        let other = receipt(issued: 2, bought(Sold.coins, "2", type: .nonConsumable, cancelled: 1))
        #expect(try await queue.record(other).count == 1)
        #expect(await balance() == 50)
    }
}
