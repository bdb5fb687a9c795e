import Foundation
import Testing
import VitrineSupport
import VitrineTestSupport

@testable import VitrineStoreSimulator

/// Store in which more changes are due than are processed in one database transaction.
@Suite(.hangLimit) struct StoreTransactionScopeTests {
    private let store: SimulatedStore

    init() async throws {
        store = try await ClubStore().store
        _ = try await store.purchase("week".club, quantity: 1)
    }

    /// Returns the core of the same store with at most five changes in one transaction.
    private func core(machineDate: Date = ClubStore.start) throws -> StoreCore {
        try StoreCore(
            database: store.core.database, configuration: store.core.configuration, machineNow: { machineDate },
            sleep: { _ in throw CancellationError() }, mostEvents: 5)
    }

    private static func week(_ number: Int) -> Date { ClubStore.start + TimeInterval(number * 7 * 86_400) }

    @Test
    func `advancing the clock over too many events is refused with a suggested earlier date, and changes nothing`()
        async throws
    {
        let core = try core()
        let timeline = try await store.timeline()
        let error = await #expect(throws: SimulatedStoreError.self) {
            try await core.perform { try $0.moveClock(to: Self.week(12)) }
        }

        #expect(error?.code == .invalidDate)
        #expect(error?.reason.hasPrefix("more than 5 events are due until 2026-04-09T00:00:00Z") == true)
        #expect(error?.reason.contains("to a date before 2026-02-19T00:00:00Z first") == true)
        #expect(error?.reason.hasSuffix("or set a slower rate with 'vitrine store rate'") == true)
        #expect(try await store.timeline() == timeline)
        #expect(store.clock.now == ClubStore.start)
        for end in [5, 10, 12] { try await core.perform { try $0.moveClock(to: Self.week(end)) } }
        #expect(try await store.timeline().map(\.date) == (0...12).map(Self.week))
    }

    @Test func `events that became due on the machine's clock are committed in several database transactions`()
        async throws
    {
        try await store.useMachineClock()
        let core = try core(machineDate: Self.week(12))
        await #expect(throws: SimulatedStoreError.self) {
            try await core.perform { _ in throw SimulatedStoreError(code: .storage, reason: "the disk is full") }
        }
        // The last step is undone with the change that fails.
        #expect(try await store.timeline().map(\.date) == (0...10).map(Self.week))

        #expect(try await core.read { try EventRecord.latest(in: $0.database) } == 13)
        #expect(try await store.timeline().map(\.date) == (0...12).map(Self.week))
    }
}
