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

extension PurchaseQueueTests {
    /// Waits until the store has no unfinished transactions.
    private func everythingFinished() async throws {
        while try await !unfinished.isEmpty { await Task.yield() }
    }

    @Test(
        arguments: [
            (0.0, [15, 30, 60, 120, 240, 480, 900, 900, 900]),
            (1.0, [18.75, 37.5, 75, 150, 300, 600, 1_125, 1_125, 1_125]),
            (0.5, [16.875, 33.75, 67.5, 135, 270, 540, 1_012.5, 1_012.5, 1_012.5]),
        ] as [(Double, [Double])]
    )
    func `each retry delay is twice the previous one, up to 15 minutes, plus up to 25 percent of random jitter`(
        random: Double, delays: [Double]
    ) {
        let schedule = RetrySchedule(random: { random })

        #expect(delays.indices.map { schedule.delay(before: $0) } == delays.map { .seconds($0) })
        #expect(schedule.delay(before: .max) == delays.last.map { .seconds($0) })
        #expect(schedule.delay(before: -1) == .seconds(delays[0]))
    }

    @Test func `a waiting transaction is retried automatically with growing delays until it is delivered`() async throws
    {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        let (sleep, known) = (ManualSleep(), Recorder<Catalog>())
        let queue = try makeQueue(
            catalog: { known.values.last }, schedule: RetrySchedule(random: { 0 }, sleep: sleep.sleep))
        await queue.observe()
        try await queue.drain()
        for seconds in [15, 30, 60, 120, 240, 480, 900] {
            #expect(await sleep.begun() == .seconds(seconds))
            sleep.wake()
        }
        #expect(await sleep.begun() == .seconds(900))

        known.record(try VoyagerStore.catalog())
        sleep.wake()
        try await everythingFinished()
        #expect(await ledger.entries(after: 0).count == 1)
        await queue.stop()
    }

    @Test func `after all waiting transactions are delivered, the next retry delay is the shortest one again`()
        async throws
    {
        let (sleep, known) = (ManualSleep(), Recorder<Catalog?>())
        known.record(nil)
        let queue = try makeQueue(
            catalog: { known.values.last ?? nil }, schedule: RetrySchedule(random: { 0 }, sleep: sleep.sleep))
        await queue.observe()
        for name in ["lisbon", "porto"] {
            _ = await queue.purchase(.voyager(name), quantity: 1)
            #expect(await sleep.begun() == .seconds(15))
            sleep.wake()
            #expect(await sleep.begun() == .seconds(30))
            known.record(try VoyagerStore.catalog())
            sleep.wake()
            try await everythingFinished()
            // The round that delivered it has ended once the queue answers again.
            #expect(try await queue.retry().isEmpty)
            known.record(nil)
        }
        await queue.stop()
    }

    @Test func `a rejected transaction is not retried automatically`() async throws {
        let (sleep, known) = (ManualSleep(), Recorder<Catalog>())
        let signer = try Signer(around: voyager.clock.now)
        let queue = try makeQueue(
            verifier: signer.verifier, catalog: { known.values.last },
            schedule: RetrySchedule(random: { 0 }, sleep: sleep.sleep))
        await queue.observe()
        #expect(await queue.purchase(.voyager("lisbon"), quantity: 1).word == "failed: rejected")
        let waiting = try signer.transaction("8", of: .voyager("porto"), signed: voyager.clock.now)
        await queue.deliver(waiting)

        // Had the first begun to sleep, this would be another round's wait.
        #expect(await sleep.begun() == .seconds(15))
        await queue.stop()
    }

    @Test func `a failed request for the store's unfinished transactions is retried automatically`() async throws {
        _ = try await voyager.store.purchase(.voyager("coins50"), quantity: 1)
        try await voyager.store.fail(.unfinished, times: 2)
        let sleep = ManualSleep()
        let queue = try makeQueue(schedule: RetrySchedule(random: { 0 }, sleep: sleep.sleep))
        await queue.observe()
        await #expect(throws: StoreError.self) { try await queue.drain() }

        #expect(await sleep.begun() == .seconds(15))
        sleep.wake()
        #expect(await sleep.begun() == .seconds(30))
        sleep.wake()
        try await everythingFinished()
        #expect(await balance() == 50)
        await queue.stop()
    }

    @Test func `a delivered transaction that could not be finished in the store is finished by a retry`() async throws {
        try await voyager.store.fail(.finish, times: 1)
        let sleep = ManualSleep()
        let queue = try makeQueue(schedule: RetrySchedule(random: { 0 }, sleep: sleep.sleep))
        await queue.observe()
        #expect(await queue.purchase(.voyager("coins50"), quantity: 1).word == "success, charged")
        #expect(try await unfinished == ["1"])

        #expect(await sleep.begun() == .seconds(15))
        sleep.wake()
        try await everythingFinished()
        #expect(await balance() == 50)
        await queue.stop()
    }

    @Test func `a purchase whose answer was lost is found and delivered by an automatic retry`() async throws {
        try await voyager.store.fail(.lostAnswer, times: 1)
        let sleep = ManualSleep()
        let queue = try makeQueue(schedule: RetrySchedule(random: { 0 }, sleep: sleep.sleep))
        await queue.observe()
        _ = await queue.purchase(.voyager("coins50"), quantity: 1)

        #expect(await sleep.begun() == .seconds(15))
        sleep.wake()
        try await everythingFinished()
        #expect(await balance() == 50)
        await queue.stop()
    }

    @Test func `a purchase whose answer was lost is found by a retry, even if a store request was already running`()
        async throws
    {
        let (sleep, gate, base, asked) = (ManualSleep(), Gate(), voyager.store, Recorder<Void>())
        try await base.fail(.lostAnswer, times: 1)
        var store = InterceptedStore(base)
        store.onUnfinished = { () async throws(StoreError) in
            asked.record(())
            let (count, transactions) = (asked.values.count, try await base.unfinishedTransactions())
            if count == 1 { throw StoreError(code: .network, reason: "no network") }
            if count == 2 { await gate.pass() }
            return transactions
        }
        let queue = try makeQueue(store: store, schedule: RetrySchedule(random: { 0 }, sleep: sleep.sleep))
        await queue.observe()
        _ = try? await queue.drain()
        #expect(await sleep.begun() == .seconds(15))
        sleep.wake()
        await gate.arrival()
        _ = await queue.purchase(.voyager("coins50"), quantity: 1)
        await gate.open()

        #expect(await sleep.begun() == .seconds(30))
        sleep.wake()
        try await everythingFinished()
        #expect(await balance() == 50)
        await queue.stop()
    }

    @Test func `a stopped queue does not retry waiting transactions`() async throws {
        _ = try await voyager.store.purchase(.voyager("lisbon"), quantity: 1)
        let sleep = ManualSleep()
        let queue = try makeQueue(
            catalog: { nil }, schedule: RetrySchedule(random: { 0 }, sleep: sleep.sleep))
        await queue.observe()
        try await queue.drain()
        #expect(await sleep.begun() == .seconds(15))
        await queue.stop()
        let count = steps.values.count
        await queue.observe()
        #expect(await sleep.begun() == .seconds(15))

        #expect(steps.values.count == count)
        await queue.stop()
    }
}
