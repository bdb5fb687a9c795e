import Entitlements
import Foundation
import ProductCatalog
import Purchasing
import Receipts
import StoreSimulator
import TestSupport
import Testing

/// What a verified app receipt says, beside what comes as transactions.
extension PurchaseQueueTests {
    private static let day: TimeInterval = 86_400
    private static let guide = String.voyager("lisbon")
    private static let coins = String.voyager("coins50")
    private static let club = String.voyager("club")
    private static let pass = String.voyager("pass")

    private static let catalog = Catalog(products: [
        CatalogProduct(identifier: guide, kind: .nonConsumable, childProducts: [.voyager("porto")]),
        CatalogProduct(identifier: .voyager("porto"), kind: .nonConsumable),
        CatalogProduct(identifier: coins, kind: .consumable, storageKey: "coins", productValue: 50),
        CatalogProduct(identifier: club, kind: .autoRenewableSubscription),
        CatalogProduct(identifier: .voyager("lounge"), kind: .autoRenewableSubscription),
        CatalogProduct(
            identifier: pass, kind: .nonRenewingSubscription, subscriptionDuration: SubscriptionDuration("P1M")),
        CatalogProduct(identifier: .voyager("unclear"), kind: .unknown),
    ])

    private func after(days: Double) -> Date { voyager.clock.now + days * Self.day }

    private func makeSigner(
        hooks: AppHooks = AppHooks(), catalog: Catalog = catalog, ledger: (any Ledger)? = nil
    ) throws -> (Signer, PurchaseQueue) {
        let signer = try Signer(around: after(days: 0))
        return (
            signer, try makeQueue(ledger: ledger, verifier: signer.verifier, hooks: hooks, catalog: { catalog })
        )
    }

    /// A receipt that somebody has verified.
    private func receipt(issued days: Double, _ purchases: ReceiptPurchase...) -> SignedAppReceipt {
        let receipt = AppReceipt(
            type: .sandbox, bundleIdentifier: VoyagerStore.bundleIdentifier, applicationVersion: "1",
            creationDate: after(days: days), opaqueValue: Data(), purchases: purchases)
        return SignedAppReceipt(receipt: receipt, data: Data("\(receipt)".utf8))
    }

    private func bought(
        _ product: String = guide, _ id: String = "1", original: String? = nil,
        type: ReceiptProductType? = .nonConsumable, on days: Double = 0, until end: Double? = nil,
        cancelled: Double? = nil, quantity: Int = 1
    ) -> ReceiptPurchase {
        ReceiptPurchase(
            quantity: quantity, productIdentifier: product, transactionID: id, originalTransactionID: original ?? id,
            purchaseDate: after(days: days), productType: type, expirationDate: end.map(after),
            cancellationDate: cancelled.map(after))
    }

    private func owned(days: Double) async throws -> [String] {
        try EntitlementSnapshot(
            catalog: Self.catalog, entries: await ledger.entries(after: 0), at: after(days: days)
        ).owned
    }

    private var kinds: [Fact.Kind] { get async { await ledger.entries(after: 0).map(\.fact.kind) } }

    // MARK: The same purchase twice

    @Test func `what a receipt has and a transaction brings later is recorded once`() async throws {
        let (signer, queue) = try makeSigner()
        #expect(try await queue.record(receipt(issued: 1, bought())).isEmpty)
        #expect(await kinds == [.receipt, .purchase])
        #expect(try await owned(days: 1) == [Self.guide, .voyager("porto")])

        for days in [0, 2] as [Double] {
            let transaction = try signer.transaction("1", of: Self.guide, signed: after(days: days))
            #expect(await queue.deliver(transaction).word == "delivered, known")
        }
        #expect(await kinds == [.receipt, .purchase])
        #expect(steps.values.filter { $0 == "finished" }.count == 2)
    }

    @Test func `what a transaction has brought and a receipt has later is recorded once`() async throws {
        let (signer, queue) = try makeSigner()
        await queue.deliver(try signer.transaction("1", of: Self.guide, signed: after(days: 0)))
        for days in [1, 2] as [Double] {
            let restored = bought(Self.guide, "9", original: "1")
            #expect(try await queue.record(receipt(issued: days, bought(), restored)).isEmpty)
        }

        #expect(await kinds == [.purchase])
    }

    @Test func `each period of a subscription is recorded by itself, and once`() async throws {
        let (signer, queue) = try makeSigner()
        func period(_ id: String, on first: Double, until last: Double) -> ReceiptPurchase {
            bought(Self.club, id, original: "1", type: .autoRenewableSubscription, on: first, until: last)
        }
        let (first, second) = (period("1", on: 0, until: 30), period("2", on: 30, until: 60))
        _ = try await queue.record(receipt(issued: 31, first, second))
        #expect(await kinds == [.receipt, .purchase, .purchase])
        for (id, days) in [("1", 0), ("2", 30)] as [(String, Double)] {
            let transaction = try signer.transaction(
                id, of: Self.club, .autoRenewableSubscription, original: "1", signed: after(days: days),
                until: after(days: days + 30))
            #expect(await queue.deliver(transaction).word == "delivered, known")
        }

        #expect(await kinds == [.receipt, .purchase, .purchase])
        #expect(try await owned(days: 59) == [Self.club])
        #expect(try await owned(days: 60) == [])
    }

    @Test func `a period that has ended gives nothing now`() async throws {
        let (_, queue) = try makeSigner()
        let ended = bought(Self.club, type: .autoRenewableSubscription, until: 30)

        #expect(try await queue.record(receipt(issued: 31, ended)).isEmpty)
        #expect(try await owned(days: 31) == [])
        // A device whose clock was set back.
        #expect(try await owned(days: 1) == [])
    }

    // MARK: Consumables

    @Test func `consumables are left to their transactions`() async throws {
        let (signer, queue) = try makeSigner()
        let pack = bought(Self.coins, type: .consumable, quantity: 3)
        let unsaid = bought(Self.coins, "2", type: nil)
        for days in [1, 2] as [Double] {
            #expect(try await queue.record(receipt(issued: days, pack, unsaid)).isEmpty)
        }
        #expect(await kinds.isEmpty)

        await queue.deliver(try signer.transaction("1", of: Self.coins, .consumable, signed: after(days: 0)))
        #expect(await balance() == 50)
        let cancelled = bought(Self.coins, type: .consumable, cancelled: 3)
        #expect(try await queue.record(receipt(issued: 4, cancelled)).isEmpty)
        #expect(await balance() == 50)
        let refund = try signer.transaction(
            "1", of: Self.coins, .consumable, signed: after(days: 3), revoked: after(days: 3))
        #expect(await queue.deliver(refund).word == "taken back, new")
        #expect(await balance() == 0)
    }

    @Test func `what a receipt does not tell the kind of is left to its transaction, whatever the catalog says`()
        async throws
    {
        let (signer, queue) = try makeSigner()
        for product in [Self.guide, Self.club, .voyager("unclear")] {
            for cancelled in [nil, 1] as [Double?] {
                let unsaid = bought(product, type: nil, cancelled: cancelled)
                #expect(try await queue.record(receipt(issued: 2, unsaid)).isEmpty)
            }
        }
        #expect(await kinds.isEmpty)

        // The catalog had it wrong.
        let mended = Catalog(products: [
            CatalogProduct(identifier: Self.guide, kind: .consumable, storageKey: "coins", productValue: 5)
        ])
        let later = try makeQueue(verifier: signer.verifier, catalog: { mended })
        #expect(try await later.record(receipt(issued: 3, bought(type: nil))).isEmpty)
        let transaction = try signer.transaction("1", of: Self.guide, .consumable, signed: after(days: 0))
        #expect(await later.deliver(transaction).word == "delivered, new")
        #expect(await balance() == 5)
    }

    @Test func `what a receipt calls a non-consumable and the transaction a consumable is not finished uncredited`()
        async throws
    {
        let (signer, queue) = try makeSigner()
        _ = try await queue.record(receipt(issued: 1, bought(.voyager("unclear"), type: .nonConsumable)))
        let transaction = try signer.transaction(
            "1", of: .voyager("unclear"), .consumable, signed: after(days: 0))

        #expect(await queue.deliver(transaction).word.hasPrefix("waiting"))
        #expect(!steps.values.contains("finished"))
        let credited = try signer.transaction("2", of: Self.coins, .consumable, signed: after(days: 0))
        await queue.deliver(credited)
        let other = receipt(issued: 2, bought(Self.coins, "2", type: .nonConsumable, cancelled: 1))
        #expect(try await queue.record(other).count == 1)
        #expect(await balance() == 50)
    }

    // MARK: What was taken back

    @Test func `a cancellation takes back exactly its purchase`() async throws {
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

    @Test func `a cancellation that comes before its purchase is kept`() async throws {
        let (signer, queue) = try makeSigner()
        _ = try await queue.record(receipt(issued: 3, bought(cancelled: 2)))

        let transaction = try signer.transaction("1", of: Self.guide, signed: after(days: 0))
        #expect(await queue.deliver(transaction).word == "taken back, known")
        #expect(try await owned(days: 3) == [])
    }

    @Test func `an older receipt takes nothing back that was given back since`() async throws {
        let (signer, queue) = try makeSigner()
        let refund = try signer.transaction("1", of: Self.guide, signed: after(days: 2), revoked: after(days: 2))
        let again = try signer.transaction("1", of: Self.guide, signed: after(days: 5))
        for transaction in [refund, again] { await queue.deliver(transaction) }
        _ = try await queue.record(receipt(issued: 4, bought(cancelled: 2)))

        #expect(try await owned(days: 5).contains(Self.guide))
        // Nor where the queue has only seen the later copy, which changed nothing in the ledger.
        let other = MemoryLedger()
        let queueOfOther = try makeQueue(ledger: other, verifier: signer.verifier, catalog: { Self.catalog })
        await queueOfOther.deliver(try signer.transaction("1", of: Self.guide, signed: after(days: 0)))
        await queueOfOther.deliver(again)
        _ = try await queueOfOther.record(receipt(issued: 4, bought(cancelled: 2)))
        #expect(await !other.isRevoked("1"))
    }

    @Test func `a newer receipt gives back what was taken back`() async throws {
        let (signer, queue) = try makeSigner()
        await queue.deliver(
            try signer.transaction("1", of: Self.guide, signed: after(days: 2), revoked: after(days: 2)))
        _ = try await queue.record(receipt(issued: 1, bought()))
        #expect(try await owned(days: 3) == [])
        _ = try await queue.record(receipt(issued: 3, bought()))

        #expect(try await owned(days: 3).contains(Self.guide))
    }

    @Test func `of two transactions of one purchase the one that was taken back counts`() async throws {
        let (_, queue) = try makeSigner()
        for days in [1, 2, 3] as [Double] {
            for order in [["1", "9"], ["9", "1"]] {
                let purchases = order.map { bought(Self.guide, $0, original: "1", cancelled: $0 == "9" ? 0.5 : nil) }
                _ = try await queue.record(receipt(issued: days, purchases[0], purchases[1]))
                #expect(try await owned(days: 3) == [], "\(days) \(order)")
            }
        }
    }

    // MARK: An old receipt

    struct Known: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// When the store has signed what it knows, and when that was taken back.
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
    func `an old receipt takes back only what the store has not signed later`(_ known: Known) async throws {
        let (signer, _) = try makeSigner()
        let other = try Signer(around: after(days: 0))
        let copies = try known.copies.map { copy in
            try (known.isTrusted ? signer : other).transaction(
                "1", of: Self.guide, signed: after(days: copy.signed), revoked: copy.revoked.map(after))
        }
        var store = InterceptedStore(voyager.store)
        store.onKnownTransactions = { () throws(StoreError) in copies }
        let launch = { try makeQueue(store: store, verifier: signer.verifier, catalog: { Self.catalog }) }
        _ = await (try launch()).deliver(try signer.transaction("1", of: Self.guide, signed: after(days: 0)))

        for _ in 1...2 {
            #expect(try await launch().record(receipt(issued: 4, bought(cancelled: 2))).isEmpty)
            #expect(try await owned(days: 6).contains(Self.guide) != known.isTakenBack)
        }
    }

    @Test func `nothing is taken back by a receipt while the store cannot be asked what it has signed since`()
        async throws
    {
        let (signer, _) = try makeSigner()
        let copy = try signer.transaction("1", of: Self.guide, signed: after(days: 5))
        let refunded = receipt(issued: 4, bought(cancelled: 2))
        var store = InterceptedStore(voyager.store)
        store.onKnownTransactions = { () throws(StoreError) in
            throw StoreError(code: .network, reason: "no network")
        }
        let queue = try makeQueue(store: store, verifier: signer.verifier, catalog: { Self.catalog })
        await queue.deliver(try signer.transaction("1", of: Self.guide, signed: after(days: 0)))
        #expect(try await queue.record(refunded).map(\.reason) == [.verification("no network")])
        store.onKnownTransactions = { () throws(StoreError) in [copy] }
        let undecided = try makeQueue(store: store, verifier: Unreachable(), catalog: { Self.catalog })
        #expect(try await undecided.record(refunded).map(\.reason) == [.verification("no answer")])
        #expect(try await owned(days: 6).contains(Self.guide))

        store.onKnownTransactions = { () throws(StoreError) in [] }
        let next = try makeQueue(store: store, verifier: signer.verifier, catalog: { Self.catalog })
        #expect(try await next.record(refunded).isEmpty)
        #expect(try await owned(days: 6) == [])
    }

    @Test func `what was bought again after it was taken back counts`() async throws {
        for order in [[0, 1], [1, 0]] {
            for earlier in [false, true] {
                let ledger = MemoryLedger()
                let queue = try makeSigner(ledger: ledger).1
                if earlier { _ = try await queue.record(receipt(issued: 2.5, bought(cancelled: 2))) }
                let lines = [bought(cancelled: 2), bought(Self.guide, "9", original: "1", on: 3)]
                for days in [4, 5] as [Double] {
                    let signed = receipt(issued: days, lines[order[0]], lines[order[1]])
                    #expect(try await queue.record(signed).isEmpty)
                    #expect(await !ledger.isRevoked("1"))
                }
                #expect(await ledger.entry(of: .purchase, key: "1") != nil)
                let again = bought(Self.guide, "9", original: "1", on: 3, cancelled: 6)
                _ = try await queue.record(receipt(issued: 7, bought(cancelled: 2), again))
                #expect(await ledger.isRevoked("1"))
            }
        }
    }

    @Test func `an app that judges transactions loses nothing that was bought again`() async throws {
        let (signer, queue) = try makeSigner(hooks: AppHooks(verification: { _ in .verified }))
        await queue.deliver(try signer.transaction("1", of: Self.guide, signed: after(days: 0)))
        let again = bought(Self.guide, "9", original: "1", on: 3)
        _ = try await queue.record(receipt(issued: 4, bought(cancelled: 2), again))

        #expect(try await owned(days: 4).contains(Self.guide))
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
        Change(testDescription: "the same product", product: club, isTakenBack: true),
        Change(testDescription: "another subscription", original: "7", isTakenBack: true),
    ]

    @Test(arguments: changes)
    func `a period that was given up for another product was not taken back`(_ change: Change) async throws {
        let (_, queue) = try makeSigner()
        let first = bought(Self.club, original: "1", type: .autoRenewableSubscription, until: 30, cancelled: 10)
        let second = bought(
            change.product, "2", original: change.original, type: .autoRenewableSubscription,
            on: 10 + change.seconds / Self.day, until: 40)

        #expect(try await queue.record(receipt(issued: 11, first, second)).isEmpty)
        #expect(await ledger.isRevoked("1") == change.isTakenBack)
        #expect(try await owned(days: 11) == [change.product])
    }

    @Test func `what a receipt does not have is not taken away`() async throws {
        let (_, queue) = try makeSigner()
        _ = try await queue.record(receipt(issued: 1, bought()))
        _ = try await queue.record(receipt(issued: 2))

        #expect(try await owned(days: 2).contains(Self.guide))
    }

    // MARK: What cannot be recorded

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
            testDescription: "a kind that does not exist", product: guide, type: ReceiptProductType(rawValue: 9),
            reason: "com.example.voyager.lisbon is of a kind that this version does not know"),
        Doubt(
            testDescription: "something for ever that ends", product: guide, type: .nonConsumable, end: 30,
            reason: "com.example.voyager.lisbon is of a kind that this version does not know"),
        Doubt(
            testDescription: "a guide that ends", product: guide, type: nil, end: 30,
            reason: "the catalog says nonConsumable and the store autoRenewableSubscription"),
        Doubt(
            testDescription: "a subscription that does not end", product: club, type: .autoRenewableSubscription,
            reason: "nothing says until when the subscription com.example.voyager.club lasts"),
        Doubt(
            testDescription: "another kind than the catalog's", product: pass, type: .nonConsumable,
            reason: "the catalog says nonRenewingSubscription and the store nonConsumable"),
    ]

    @Test(arguments: doubts)
    func `what is doubtful gives nothing, and holds nothing up`(_ doubt: Doubt) async throws {
        let (_, queue) = try makeSigner()
        let unrecorded = try await queue.record(
            receipt(issued: 1, bought(doubt.product, "7", type: doubt.type, until: doubt.end), bought()))

        #expect(unrecorded.map(\.reason.description) == [doubt.reason])
        #expect(unrecorded.map(\.purchase.transactionID) == ["7"])
        #expect(try await owned(days: 1) == [Self.guide, .voyager("porto")])
    }

    @Test func `what contradicts the ledger is left out alone`() async throws {
        let (signer, queue) = try makeSigner()
        await queue.deliver(try signer.transaction("1", of: .voyager("porto"), signed: after(days: 0)))
        let unrecorded = try await queue.record(
            receipt(issued: 1, bought(), bought(.voyager("porto"), "3", quantity: 0), bought(Self.guide, "2")))

        #expect(unrecorded.map(\.purchase.transactionID) == ["1", "3"])
        #expect(try await owned(days: 1).contains(Self.guide))
    }

    @Test func `a product that a later catalog knows is owned then`() async throws {
        let (_, queue) = try makeSigner(catalog: Catalog(products: []))
        let signed = receipt(issued: 1, bought())
        #expect(try await queue.record(signed).map(\.reason) == [.unknownProduct(Self.guide)])
        #expect(await kinds.isEmpty)

        #expect(try await makeSigner().1.record(signed).isEmpty)
        #expect(try await owned(days: 1).contains(Self.guide))
    }

    @Test func `a pass lasts as long as the catalog says from when it was bought, as a receipt has it`() async throws {
        let (_, queue) = try makeSigner()
        for days in [1, 2] as [Double] {
            _ = try await queue.record(
                receipt(issued: days, bought(Self.pass, type: .nonRenewingSubscription)))
        }

        #expect(await kinds == [.receipt, .purchase])
        #expect(try await owned(days: 27) == [Self.pass])
        #expect(try await owned(days: 31) == [])
    }

    @Test func `a ledger that fails loses nothing`() async throws {
        let (_, queue) = try makeSigner(ledger: FailingLedger())
        await #expect(throws: LedgerError.self) { try await queue.record(receipt(issued: 1, bought())) }

        #expect(try await makeSigner().1.record(receipt(issued: 1, bought())).isEmpty)
        #expect(try await owned(days: 1).contains(Self.guide))
    }

    // MARK: The app's say

    @Test func `an app that judges transactions judges no receipts: only what was taken back is recorded`()
        async throws
    {
        let (signer, queue) = try makeSigner(hooks: AppHooks(verification: { _ in .rejected("no") }))
        let (_, trusting) = try makeSigner()
        await trusting.deliver(try signer.transaction("2", of: .voyager("porto"), signed: after(days: 0)))
        _ = try await trusting.record(receipt(issued: 0, bought(.voyager("porto"), "2")))
        _ = try await queue.record(receipt(issued: 1, bought(), bought(.voyager("porto"), "2", cancelled: 1)))

        #expect(try await owned(days: 1) == [])
        #expect(await ledger.isRevoked("2"))
    }

    @Test func `the app delivers what a receipt had brought when its transaction is restored`() async throws {
        let recorder = Recorder<String>()
        let handler = RecordingHandler(deliveries: recorder)
        let queue = try makeQueue(hooks: AppHooks(delivery: handler))
        guard case .purchased(let transaction) = try await voyager.store.purchase(Self.guide, quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        try await voyager.store.finish(transaction)
        _ = try await queue.record(receipt(issued: 1, bought()))
        #expect(recorder.values.isEmpty)

        for _ in 1...2 {
            let next = try makeQueue(hooks: AppHooks(delivery: handler))
            #expect(try await next.restore().alreadyOwned == [Self.guide])
            #expect(try await next.rebuild().alreadyOwned == [Self.guide])
        }
        #expect(recorder.values == ["1"])
    }

    @Test func `the app is asked again about what it could not deliver of a receipt`() async throws {
        let recorder = Recorder<String>()
        guard case .purchased(let transaction) = try await voyager.store.purchase(Self.guide, quantity: 1) else {
            throw StoreError(code: .unavailable, reason: "not purchased")
        }
        try await voyager.store.finish(transaction)
        for decision in [.retryLater("busy"), .delivered, .delivered] as [DeliveryDecision] {
            let handler = RecordingHandler(deliveries: recorder, decision: decision)
            let queue = try makeQueue(hooks: AppHooks(delivery: handler))
            _ = try await queue.record(receipt(issued: 1, bought()))
            _ = try await queue.restore()
        }

        #expect(recorder.values == ["1", "1"])
        #expect(await kinds == [.receipt, .purchase, .note])
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

private struct RecordingHandler: DeliveryHandler {
    let deliveries: Recorder<String>
    var decision = DeliveryDecision.delivered

    func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision {
        deliveries.record(transaction.payload.transactionID)
        return decision
    }
}
