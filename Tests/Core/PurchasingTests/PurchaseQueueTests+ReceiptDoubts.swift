import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineTestSupport

/// Purchases in a receipt that cannot be recorded, or not yet.
extension PurchaseQueueTests {
    struct Doubt: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let product: String
        let type: ReceiptProductType?
        var end: Double?
        let reason: String
    }

    private static let doubts = [
        Doubt(
            testDescription: "a product that is not in the catalog", product: "unheard", type: .nonConsumable,
            reason: "unheard is not in the catalog"),
        Doubt(
            testDescription: "a kind that does not exist", product: Sold.guide, type: ReceiptProductType(rawValue: 9),
            reason: "this version of Vitrine does not know the product type of com.example.voyager.lisbon"),
        Doubt(
            testDescription: "something for ever that ends", product: Sold.guide, type: .nonConsumable, end: 30,
            reason: "this version of Vitrine does not know the product type of com.example.voyager.lisbon"),
        Doubt(
            testDescription: "a guide that ends", product: Sold.guide, type: nil, end: 30,
            reason: "the product is nonConsumable in the catalog and autoRenewableSubscription in the store"),
        Doubt(
            testDescription: "a subscription that does not end", product: Sold.club, type: .autoRenewableSubscription,
            reason: "the subscription com.example.voyager.club has no known end"),
        Doubt(
            testDescription: "another kind than the catalog's", product: Sold.pass, type: .nonConsumable,
            reason: "the product is nonRenewingSubscription in the catalog and nonConsumable in the store"),
    ]

    @Test(arguments: doubts)
    func `a purchase in a receipt with uncertain data is not recorded, and other purchases are recorded`(_ doubt: Doubt)
        async throws
    {
        let (_, queue) = try makeSigner()
        let unrecorded = try await queue.record(
            receipt(issued: 1, bought(doubt.product, "7", type: doubt.type, until: doubt.end), bought()))

        #expect(unrecorded.map(\.reason.description) == [doubt.reason])
        #expect(unrecorded.map(\.purchase.transactionID) == ["7"])
        #expect(try await owned(days: 1) == [Sold.guide, .voyager("porto")])
    }

    @Test func `a purchase in a receipt that contradicts the ledger is skipped, and the others are recorded`()
        async throws
    {
        let (signer, queue) = try makeSigner()
        await queue.deliver(try signer.transaction("1", of: .voyager("porto"), signed: day(0)))
        let unrecorded = try await queue.record(
            receipt(issued: 1, bought(), bought(.voyager("porto"), "3", quantity: 0), bought(Sold.guide, "2")))

        #expect(unrecorded.map(\.purchase.transactionID) == ["1", "3"])
        #expect(try await owned(days: 1).contains(Sold.guide))
    }

    @Test func `a purchase of an unknown product in a receipt is recorded once a later catalog contains the product`()
        async throws
    {
        let (_, queue) = try makeSigner(catalog: Catalog(products: []))
        let signed = receipt(issued: 1, bought())
        #expect(try await queue.record(signed).map(\.reason) == [.unknownProduct(Sold.guide)])
        #expect(await kinds.isEmpty)

        #expect(try await makeSigner().1.record(signed).isEmpty)
        #expect(try await owned(days: 1).contains(Sold.guide))
    }

    @Test func `a non-renewing subscription from a receipt lasts for the catalog's duration from its purchase date`()
        async throws
    {
        let (_, queue) = try makeSigner()
        for days in [1, 2] as [Double] {
            _ = try await queue.record(
                receipt(issued: days, bought(Sold.pass, type: .nonRenewingSubscription)))
        }

        #expect(await kinds == [.receipt, .purchase])
        #expect(try await owned(days: 27) == [Sold.pass])
        #expect(try await owned(days: 31) == [])
    }

    @Test func `a receipt that is not recorded because the ledger fails is recorded at the next attempt`() async throws
    {
        let (_, queue) = try makeSigner(ledger: FailingLedger())
        await #expect(throws: LedgerError.self) { try await queue.record(receipt(issued: 1, bought())) }

        #expect(try await makeSigner().1.record(receipt(issued: 1, bought())).isEmpty)
        #expect(try await owned(days: 1).contains(Sold.guide))
    }
}
