import Foundation
import Testing
import VitrineEntitlements
import VitrinePurchasing
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

/// Revocations and reinstatements of purchases by receipts.
extension PurchaseQueueTests {
    @Test func `a cancellation in a receipt revokes exactly its purchase`() async throws {
        let (_, queue) = try makeSigner()
        let porto = bought(.voyager("porto"), "2")
        _ = try await queue.record(receipt(issued: 1, bought(), porto))
        _ = try await queue.record(receipt(issued: 3, bought(cancelled: 2), porto))

        #expect(try await owned(days: 3) == [.voyager("porto")])
        #expect(await ledger.isRevoked("1"))
        #expect(await !ledger.isRevoked("2"))
        _ = try await queue.record(receipt(issued: 1.5, bought(), porto))
        #expect(try await owned(days: 3) == [.voyager("porto")])
    }

    @Test func `a cancellation in a receipt that is recorded before its purchase applies to the purchase`() async throws
    {
        let (signer, queue) = try makeSigner()
        _ = try await queue.record(receipt(issued: 3, bought(cancelled: 2)))

        let transaction = try signer.transaction("1", of: Sold.guide, signed: day(0))
        #expect(await queue.deliver(transaction).word == "taken back, known")
        #expect(try await owned(days: 3) == [])
    }

    @Test func `an older receipt does not revoke a purchase that was reinstated since`() async throws {
        let (signer, queue) = try makeSigner()
        let refund = try signer.transaction("1", of: Sold.guide, signed: day(2), revoked: day(2))
        let again = try signer.transaction("1", of: Sold.guide, signed: day(5))
        for transaction in [refund, again] { await queue.deliver(transaction) }
        _ = try await queue.record(receipt(issued: 4, bought(cancelled: 2)))

        #expect(try await owned(days: 5).contains(Sold.guide))
        // Nor where the queue has only seen the later copy, which changed nothing in the ledger.
        let other = MemoryLedger()
        let queueOfOther = try makeQueue(ledger: other, verifier: signer.verifier, catalog: { Sold.catalog })
        await queueOfOther.deliver(try signer.transaction("1", of: Sold.guide, signed: day(0)))
        await queueOfOther.deliver(again)
        _ = try await queueOfOther.record(receipt(issued: 4, bought(cancelled: 2)))
        #expect(await !other.isRevoked("1"))
    }

    @Test func `a newer receipt reinstates a revoked purchase`() async throws {
        let (signer, queue) = try makeSigner()
        await queue.deliver(
            try signer.transaction("1", of: Sold.guide, signed: day(2), revoked: day(2)))
        _ = try await queue.record(receipt(issued: 1, bought()))
        #expect(try await owned(days: 3) == [])
        _ = try await queue.record(receipt(issued: 3, bought()))

        #expect(try await owned(days: 3).contains(Sold.guide))
    }

    @Test func `a purchase is revoked if one of its two transactions in a receipt is cancelled`() async throws {
        let (_, queue) = try makeSigner()
        for days in [1, 2, 3] as [Double] {
            for order in [["1", "9"], ["9", "1"]] {
                let purchases = order.map { bought(Sold.guide, $0, original: "1", cancelled: $0 == "9" ? 0.5 : nil) }
                _ = try await queue.record(receipt(issued: days, purchases[0], purchases[1]))
                #expect(try await owned(days: 3) == [], "\(days) \(order)")
            }
        }
    }

    struct Known: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// Signature date of each copy in days, and the date of its revocation; `nil` without a revocation.
        let copies: [(signed: Double, revoked: Double?)]
        var isTrusted = true
        let isTakenBack: Bool
    }

    private static let knownCopies = [
        Known(testDescription: "later, and counts", copies: [(5, nil)], isTakenBack: false),
        Known(testDescription: "earlier, and counts", copies: [(1, nil)], isTakenBack: true),
        Known(testDescription: "later, and taken back", copies: [(5, 2)], isTakenBack: true),
        Known(testDescription: "several", copies: [(1, nil), (3, 2), (5, nil)], isTakenBack: false),
        Known(
            testDescription: "later, and not to be trusted", copies: [(5, nil)], isTrusted: false, isTakenBack: true),
        Known(testDescription: "nothing", copies: [], isTakenBack: true),
    ]

    @Test(arguments: knownCopies)
    func `an old receipt revokes a purchase only if the store has not signed a later valid transaction`(_ known: Known)
        async throws
    {
        let (signer, _) = try makeSigner()
        let other = try Signer(around: day(0))
        let copies = try known.copies.map { copy in
            try (known.isTrusted ? signer : other).transaction(
                "1", of: Sold.guide, signed: day(copy.signed), revoked: copy.revoked.map(day))
        }
        var store = InterceptedStore(voyager.store)
        store.onKnownTransactions = { () throws(StoreError) in copies }
        let launch = { try makeQueue(store: store, verifier: signer.verifier, catalog: { Sold.catalog }) }
        _ = await (try launch()).deliver(try signer.transaction("1", of: Sold.guide, signed: day(0)))

        for _ in 1...2 {
            #expect(try await launch().record(receipt(issued: 4, bought(cancelled: 2))).isEmpty)
            #expect(try await owned(days: 6).contains(Sold.guide) != known.isTakenBack)
        }
    }

    @Test func `a receipt revokes nothing while the store's later transactions cannot be read and verified`()
        async throws
    {
        let (signer, _) = try makeSigner()
        let copy = try signer.transaction("1", of: Sold.guide, signed: day(5))
        let refunded = receipt(issued: 4, bought(cancelled: 2))
        var store = InterceptedStore(voyager.store)
        store.onKnownTransactions = { () throws(StoreError) in
            throw StoreError(code: .network, reason: "no network")
        }
        let queue = try makeQueue(store: store, verifier: signer.verifier, catalog: { Sold.catalog })
        await queue.deliver(try signer.transaction("1", of: Sold.guide, signed: day(0)))
        #expect(try await queue.record(refunded).map(\.reason) == [.verification("no network")])
        store.onKnownTransactions = { () throws(StoreError) in [copy] }
        let undecided = try makeQueue(store: store, verifier: Unreachable(), catalog: { Sold.catalog })
        #expect(try await undecided.record(refunded).map(\.reason) == [.verification("no answer")])
        #expect(try await owned(days: 6).contains(Sold.guide))

        store.onKnownTransactions = { () throws(StoreError) in [] }
        let next = try makeQueue(store: store, verifier: signer.verifier, catalog: { Sold.catalog })
        #expect(try await next.record(refunded).isEmpty)
        #expect(try await owned(days: 6) == [])
    }

    @Test func `a product bought again after its cancellation is not revoked by the old cancellation`() async throws {
        for order in [[0, 1], [1, 0]] {
            for earlier in [false, true] {
                let ledger = MemoryLedger()
                let queue = try makeSigner(ledger: ledger).1
                if earlier { _ = try await queue.record(receipt(issued: 2.5, bought(cancelled: 2))) }
                let lines = [bought(cancelled: 2), bought(Sold.guide, "9", original: "1", on: 3)]
                for days in [4, 5] as [Double] {
                    let signed = receipt(issued: days, lines[order[0]], lines[order[1]])
                    #expect(try await queue.record(signed).isEmpty)
                    #expect(await !ledger.isRevoked("1"))
                }
                #expect(await ledger.entry(of: .purchase, key: "1") != nil)
                let again = bought(Sold.guide, "9", original: "1", on: 3, cancelled: 6)
                _ = try await queue.record(receipt(issued: 7, bought(cancelled: 2), again))
                #expect(await ledger.isRevoked("1"))
            }
        }
    }

    @Test func `a product bought again after its cancellation remains owned if the app verifies transactions`()
        async throws
    {
        let (signer, queue) = try makeSigner(hooks: AppHooks(verification: { _ in .verified }))
        await queue.deliver(try signer.transaction("1", of: Sold.guide, signed: day(0)))
        let again = bought(Sold.guide, "9", original: "1", on: 3)
        _ = try await queue.record(receipt(issued: 4, bought(cancelled: 2), again))

        #expect(try await owned(days: 4).contains(Sold.guide))
    }

    struct Change: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var product = String.voyager("lounge")
        var original = "1"
        var seconds: Double = 0
        let isTakenBack: Bool
    }

    private static let changes = [
        Change(testDescription: "another product at that moment", isTakenBack: false),
        Change(testDescription: "another product five seconds later", seconds: 5, isTakenBack: false),
        Change(testDescription: "another product five seconds before", seconds: -5, isTakenBack: false),
        Change(testDescription: "another product six seconds later", seconds: 6, isTakenBack: true),
        Change(testDescription: "the same product", product: Sold.club, isTakenBack: true),
        Change(testDescription: "another subscription", original: "7", isTakenBack: true),
    ]

    @Test(arguments: changes)
    func `a subscription period that is cancelled by a change to another product is not revoked`(_ change: Change)
        async throws
    {
        let (_, queue) = try makeSigner()
        let first = bought(Sold.club, original: "1", type: .autoRenewableSubscription, until: 30, cancelled: 10)
        let second = bought(
            change.product, "2", original: change.original, type: .autoRenewableSubscription,
            on: 10 + change.seconds / 86_400, until: 40)

        #expect(try await queue.record(receipt(issued: 11, first, second)).isEmpty)
        #expect(await ledger.isRevoked("1") == change.isTakenBack)
        #expect(try await owned(days: 11) == [change.product])
    }

    @Test func `a purchase that is missing in a newer receipt is not revoked`() async throws {
        let (_, queue) = try makeSigner()
        _ = try await queue.record(receipt(issued: 1, bought()))
        _ = try await queue.record(receipt(issued: 2))

        #expect(try await owned(days: 2).contains(Sold.guide))
    }
}

private struct Unreachable: TransactionVerifier {
    func verify(transaction signedData: String) async -> Verification<SignedTransaction> {
        .undetermined("no answer")
    }

    func verify(appTransaction signedData: String) async -> Verification<SignedAppTransaction> {
        .undetermined("no answer")
    }

    func verify(renewal signedData: String) async -> Verification<SignedRenewal> { .undetermined("no answer") }
}
