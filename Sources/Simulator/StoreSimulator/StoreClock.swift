public import Foundation
internal import VitrineFileSystem
internal import VitrineSupport

/// Clock of a simulated store: the machine's clock, or a virtual clock that moves only when it is advanced.
///
/// An app that is tested with the store uses this clock as its own.
public struct StoreClock: Sendable {
    private let core: StoreCore

    init(_ core: StoreCore) { self.core = core }

    /// Current date of the store; the last known date if the store's state cannot be read.
    public var now: Date {
        do {
            let date = try core.now()
            core.latestDate.withLock { $0 = date }
            return date
        } catch {
            // The next call to the store throws the reason.
            return core.latestDate.withLock { $0 } ?? core.machineNow()
        }
    }

    /// Interval in seconds between two readings of the clock by a waiting task. Repeated readings are necessary because
    /// another process may have advanced the clock, or replaced it by the machine's or a virtual clock.
    private static let interval: TimeInterval = 1

    /// Waits until the clock has reached a date. Returns early if the clock goes back, because the store follows the
    /// machine's clock again: the event for which the caller waits may then have another date.
    ///
    /// The clock is read after each change of the store by this process, and every second, because other processes may
    /// change it.
    ///
    /// - Throws: `CancellationError` if the task is canceled.
    public func sleep(until date: Date) async throws {
        var latest = now
        while true {
            // Listening to the signals before reading the clock ensures that no change is missed.
            let signals = core.changeSignals.stream()
            let now = now
            guard now < date, now > latest - Self.interval else { return }
            latest = now
            let wait = min(max(date.timeIntervalSince(now), 0.001), Self.interval)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { [core] in try await core.sleep(wait) }
                group.addTask { for await _ in signals { return } }
                try await group.next()
                group.cancelAll()
            }
            try Task.checkCancellation()
        }
    }

    /// Waits for an interval of this clock, in seconds.
    ///
    /// - Throws: `CancellationError` if the task is canceled.
    public func sleep(for interval: TimeInterval) async throws { try await sleep(until: now + interval) }
}
