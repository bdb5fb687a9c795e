import Foundation
import Testing
import VitrineCatalog
import VitrineEntitlements
import VitrineNetworking
import VitrinePurchasing
import VitrineReceipts
import VitrineStoreSimulator
import VitrineSupport
import VitrineTestSupport

/// Content of all non-consumables, which becomes available when the test opens a gate. The first attempts may fail.
private struct ComingContent: ContentProvider {
    let asked = Recorder<String>()
    let gate = Gate()
    /// Gate for all attempts after the first one; `nil` for the same gate.
    var nextGate: Gate?
    /// Number of attempts that fail.
    var failures = 0

    static let failure = ContentProviderError(code: .unavailable, reason: "no network")

    func lacksContent(unlockedBy transaction: SignedTransaction) async -> Bool { true }

    func installContent(unlockedBy transaction: SignedTransaction) async throws(ContentProviderError) -> [String] {
        asked.record(transaction.payload.transactionID)
        let count = asked.values.count
        await (count > 1 ? nextGate ?? gate : gate).pass()
        if count <= failures { throw Self.failure }
        return [transaction.payload.productIdentifier]
    }
}

private struct CountingDelivery: DeliveryHandler {
    let asked = Recorder<String>()

    func deliver(_ transaction: SignedTransaction) async -> DeliveryDecision {
        asked.record(transaction.payload.transactionID)
        return .delivered
    }
}

/// Transactions whose content is being downloaded.
extension PurchaseQueueTests {
    private static let guides = ["lisbon", "porto", "madrid", "vienna", "rome", "athens", "iberia", "everything"]

    /// Begins to deliver the guide to Rome, whose content is not available yet.
    private func beginRome(_ content: ComingContent, hooks: AppHooks = AppHooks()) async throws -> PurchaseQueue {
        try await voyager.store.purchaseElsewhere(.voyager("rome"))
        let queue = try makeQueue(content: content, hooks: hooks)
        try await queue.drainUpToContent()
        #expect(steps.values == ["received", "verified", "recorded"])
        return queue
    }

    @Test func `a ninth purchase is delivered and finished while the content of eight others is downloading`()
        async throws
    {
        for guide in Self.guides { try await voyager.store.purchaseElsewhere(.voyager(guide)) }
        try await voyager.store.purchaseElsewhere(.voyager("coins50"))
        let content = ComingContent()
        let queue = try makeQueue(content: content)
        try await queue.drainUpToContent()

        #expect(try await unfinished == (1...8).map(String.init))
        #expect(await balance() == 50)
        #expect(await ledger.entries(after: 0).count { $0.fact.kind == .purchase } == 9)
        #expect(await queue.pending().isEmpty)
        await content.gate.open()
        await queue.contentSettled()
        #expect(try await unfinished.isEmpty)
        #expect(content.asked.values.sorted() == (1...8).map(String.init))
    }

    @Test
    func `waiting for the content of eight purchases does not delay the ninth, and all nine results are returned`()
        async throws
    {
        for guide in Self.guides { try await voyager.store.purchaseElsewhere(.voyager(guide)) }
        try await voyager.store.purchaseElsewhere(.voyager("coins50"))
        let content = ComingContent()
        let queue = try makeQueue(content: content)
        async let drained = queue.drain()
        while try await unfinished != (1...8).map(String.init) { await Task.yield() }
        await content.gate.open()

        #expect(try await drained.map(\.word) == Array(repeating: "delivered, new", count: 9))
        #expect(try await unfinished.isEmpty)
    }

    @Test func `retries skip a transaction whose content is downloading, and process other transactions`() async throws
    {
        for name in ["rome", "coins50"] { try await voyager.store.purchaseElsewhere(.voyager(name)) }
        let (content, sleep, isAway) = (ComingContent(), ManualSleep(), Recorder<Bool>())
        isAway.record(true)
        let hooks = AppHooks(verification: { signed in
            signed.payload.type == .consumable && isAway.values.last == true ? .undetermined("away") : .verified
        })
        let queue = try makeQueue(
            content: content, hooks: hooks, schedule: RetrySchedule(random: { 0 }, sleep: sleep.sleep))
        await queue.observe()
        try await queue.drainUpToContent()
        #expect(await queue.pending().map(\.id) == ["2"])
        #expect(await sleep.begun() == .seconds(15))
        sleep.wake()
        #expect(await sleep.begun() == .seconds(30))
        isAway.record(false)
        sleep.wake()
        // The content still comes, so that it goes on looking.
        #expect(await sleep.begun() == .seconds(60))
        #expect(try await unfinished == ["1"])
        #expect(await balance() == 50)
        #expect(content.asked.values == ["1"])

        await content.gate.open()
        await queue.contentSettled()
        #expect(try await unfinished.isEmpty)
        await queue.stop()
    }

    @Test func `a failing content download is retried with increasing delays`() async throws {
        try await voyager.store.purchaseElsewhere(.voyager("rome"))
        var content = ComingContent()
        content.failures = .max
        await content.gate.open()
        let sleep = ManualSleep()
        let queue = try makeQueue(content: content, schedule: RetrySchedule(random: { 0 }, sleep: sleep.sleep))
        await queue.observe()
        try await queue.drainUpToContent()
        for seconds in [15, 30, 60, 120] {
            #expect(await sleep.begun() == .seconds(seconds))
            await queue.contentSettled()
            #expect(await queue.pending().map(\.id) == ["1"])
            sleep.wake()
        }
        #expect(await sleep.begun() == .seconds(240))
        await queue.stop()
    }

    @Test func `a purchase joins a delivery that is already in progress and waits for its content`() async throws {
        let base = voyager.store
        _ = try await base.purchase(.voyager("rome"), quantity: 1)
        let held = try await base.unfinishedTransactions()[0]
        var store = InterceptedStore(base)
        store.onUnfinished = { () throws(StoreError) in [held] }
        let (purchases, purchased) = AsyncStream<Void>.makeStream()
        store.onPurchase = { _, _ throws(StoreError) in
            purchased.yield()
            return .purchased(held)
        }
        let content = ComingContent()
        let queue = try makeQueue(store: store, content: content)
        try await queue.drainUpToContent()
        async let answer = queue.purchase(.voyager("rome"), quantity: 1)
        // The store answers while the content is coming: afterwards it would be a delivery of its own.
        for await _ in purchases { break }
        try await queue.drainUpToContent()
        #expect(steps.values == ["received", "verified", "recorded"])
        await content.gate.open()

        #expect(await answer.word == "success, not charged again")
        #expect(content.asked.values == ["1"])
    }

    @Test func `restoring does not wait for content that is downloading`() async throws {
        let content = ComingContent()
        let queue = try await beginRome(content)
        let result = try await queue.restore()

        #expect(result.restored + result.alreadyOwned == [.voyager("rome")])
        #expect(result.failed.isEmpty)
        #expect(try await unfinished == ["1"])
        await content.gate.open()
        await queue.contentSettled()
        #expect(try await unfinished.isEmpty)
        #expect(content.asked.values == ["1"])
        #expect(steps.values.count { $0 == "finished" } == 1)
    }

    @Test func `a refund is applied at once while content is downloading, and the purchase is not delivered`()
        async throws
    {
        let (content, delivery) = (ComingContent(), CountingDelivery())
        let queue = try await beginRome(content, hooks: AppHooks(delivery: delivery))
        try await voyager.store.refund("1")
        try await queue.drainUpToContent()

        #expect(await ledger.isRevoked("1"))
        #expect(try await unfinished.isEmpty)
        await content.gate.open()
        await queue.contentSettled()
        #expect(delivery.asked.values.isEmpty)
        #expect(await queue.pending().isEmpty)
    }

    @Test func `newly signed copies of a transaction share one content download and one delivery`() async throws {
        let signer = try Signer(around: voyager.clock.now)
        let (content, delivery) = (ComingContent(), CountingDelivery())
        let queue = try makeQueue(
            verifier: signer.verifier, content: content, hooks: AppHooks(delivery: delivery))
        let copies = try (0..<3).map {
            try signer.transaction("7", of: .voyager("rome"), signed: voyager.clock.now + Double($0))
        }
        let deliveries = copies.map { copy in Task { await queue.deliver(copy).word } }
        while steps.values.count(where: { $0 == "recorded" }) < 3 { await Task.yield() }
        await content.gate.open()

        var names: [String] = []
        for delivery in deliveries { names.append(await delivery.value) }
        #expect(Set(names) == ["delivered, new"])
        #expect(content.asked.values == ["7"])
        #expect(delivery.asked.values == ["7"])
        #expect(steps.values.filter { !["received", "verified", "recorded"].contains($0) }.count == 2)
    }

    @Test func `a transaction copy that is verified after the first copy's delivery is finished separately`()
        async throws
    {
        let signer = try Signer(around: voyager.clock.now)
        let (content, check, later) = (ComingContent(), Gate(), voyager.clock.now + 1)
        let hooks = AppHooks(verification: { signed in
            if signed.payload.signedDate == later { await check.pass() }
            return .verified
        })
        let queue = try makeQueue(verifier: signer.verifier, content: content, hooks: hooks)
        let copies = try [voyager.clock.now, later].map {
            try signer.transaction("7", of: .voyager("rome"), signed: $0)
        }
        async let first = queue.deliver(copies[0]).word
        while steps.values.last != "recorded" { await Task.yield() }
        async let second = queue.deliver(copies[1]).word
        await check.arrival()
        await content.gate.open()
        #expect(await first == "delivered, new")
        await check.open()

        #expect(await second == "delivered, known")
        #expect(steps.values.last == "finished")
    }

    @Test func `a transaction with a failed content download is not pending while the download is retried`()
        async throws
    {
        var content = ComingContent()
        (content.nextGate, content.failures) = (Gate(), 1)
        let queue = try await beginRome(content)
        #expect(await queue.pending().isEmpty)
        await content.gate.open()
        await queue.contentSettled()
        #expect(await queue.pending().map(\.state) == [.waiting(.content(ComingContent.failure))])

        try await queue.drainUpToContent()
        #expect(await queue.pending().isEmpty)
        await content.nextGate?.open()
        await queue.contentSettled()
        #expect(try await unfinished.isEmpty)
    }

    @Test func `a content download that fails after the queue is stopped leaves its transaction pending`() async throws
    {
        var content = ComingContent()
        content.failures = 1
        let queue = try await beginRome(content)
        await queue.stop()
        await content.gate.open()
        await queue.contentSettled()

        #expect(steps.values.last == "waiting")
        #expect(await queue.pending().map(\.id) == ["1"])
        #expect(try await unfinished == ["1"])
    }
}
