internal import FileSystem
public import Foundation

/// Clock of a simulated store: that of the machine, or a date that moves only if it is advanced.
///
/// An app that is tested with the store takes this clock as its own.
public struct StoreClock: Sendable {
    private let core: StoreCore

    init(_ core: StoreCore) { self.core = core }

    /// Current date of the store; the latest known one if the store's state cannot be read.
    public var now: Date {
        do {
            let date = try core.now()
            core.latestDate.withLock { $0 = date }
            return date
        } catch {
            // Whoever uses the store next learns why.
            return core.latestDate.withLock { $0 } ?? core.machineNow()
        }
    }

    /// Interval, in seconds, at which a sleeper reads the clock again, because another process may have advanced it, or
    /// have let the store follow another clock.
    private static let interval: TimeInterval = 1

    /// Returns when the clock has reached a date, or was set back, because the store follows the machine's clock again:
    /// what is to happen at the date may then have another date.
    ///
    /// The clock is read whenever this process changes the store, and each second for other processes.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until date: Date) async throws {
        var latest = now
        while true {
            // The signals are awaited from before the look at the clock, so that no change is missed.
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

    /// Returns after an interval of the clock, in seconds.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(for interval: TimeInterval) async throws { try await sleep(until: now + interval) }
}
