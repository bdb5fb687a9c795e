import Foundation
import GRDB
import Testing
import VitrineCatalog
import VitrineReceipts
import VitrineSupport
import VitrineTestSupport

@testable import VitrineStoreSimulator

/// Reads of the store's server side, between changes of this and of another process.
@Suite(.hangLimit) struct StoreOverviewTests {
    private let folder: TemporaryFolder
    private let store: SimulatedStore
    /// The same store, with a connection to its database of its own, as in another process.
    private let other: SimulatedStore

    init() throws {
        folder = try TemporaryFolder()
        try SimulatedStore.create(
            in: folder.url, configuration: Data(contentsOf: Repository.file("Catalogs/Club.storekit")),
            bundleIdentifier: ClubStore.bundleIdentifier, now: { ClubStore.start })
        store = try SimulatedStore(folder: folder.url, now: { ClubStore.start })
        other = try SimulatedStore(folder: folder.url, now: { ClubStore.start })
    }

    @Test(arguments: [false, true])
    func `a transaction is signed for a server at the date to which this or another process has advanced the clock`(
        inAnotherProcess: Bool
    ) async throws {
        try await store.useVirtualClock()
        let writer = inAnotherProcess ? other : store
        for minute in 1...4 {
            let bought = try await writer.purchaseElsewhere("coins")
            try await writer.advance(by: 60)

            let answer = try await store.serverAPI.transaction(bought.id)

            let payload = try #require(TransactionPayload(unverified: answer.signedTransactionInfo))
            #expect(payload.signedDate == ClubStore.start + TimeInterval(60 * minute))
        }
    }

    @Test func `a server's read renews a subscription that another process has sold since the last read`()
        async throws
    {
        let date = Locked(ClubStore.start)
        let core = try StoreCore(
            database: store.core.database, configuration: store.core.configuration,
            machineNow: { date.withLock { $0 } }, sleep: { _ in throw CancellationError() })
        func count() async throws -> Int {
            try await core.readInPlace { try PurchaseRecord.fetchCount($0.database) }
        }
        #expect(try await count() == 0)

        _ = try await other.purchaseElsewhere("club.silver")
        #expect(try await count() == 1)
        date.withLock { $0 += 40 * 86_400 }
        let renewed = try await count()
        #expect(renewed > 1)
        // Time alone makes the next renewal due, in the same state of the store.
        date.withLock { $0 += 40 * 86_400 }
        #expect(try await count() > renewed)
    }

    @Test func `concurrent reads of a server see clock and purchases of one state while another process changes both`()
        async throws
    {
        try await store.useVirtualClock()
        _ = try await store.purchaseElsewhere("coins")
        async let changes: Void = buyEachMinute(40)
        async let first: Void = expectOneState(until: ClubStore.start + 40 * 60)
        async let second: Void = expectOneState(until: ClubStore.start + 40 * 60)
        try await changes
        try await first
        try await second
    }

    /// Advances the clock by a minute, and then buys something, again and again.
    private func buyEachMinute(_ count: Int) async throws {
        for _ in 0..<count {
            try await other.advance(by: 60)
            _ = try await other.purchaseElsewhere("coins")
        }
    }

    private func expectOneState(until last: Date) async throws {
        var latest = ClubStore.start
        while latest < last {
            let (clock, bought) = try await store.core.readInPlace { scope in
                let bought = try Int64.fetchOne(scope.database, sql: "SELECT MAX(purchaseDate) FROM purchase")
                return (scope.date, bought ?? 0)
            }
            latest = Date(milliseconds: bought)
            #expect([0, 60].contains(clock.timeIntervalSince(latest)))
            try Task.checkCancellation()
            await Task.yield()
        }
    }
}
