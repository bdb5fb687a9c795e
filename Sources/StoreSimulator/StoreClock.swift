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

    /// Returns when the clock has reached a date.
    ///
    /// With its own clock the store is looked at whenever this process changes it, and each second for other processes.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until date: Date) async throws {
        while true {
            // The signals are awaited from before the look at the clock, so that no change is missed.
            let signals = core.changeSignals.stream()
            guard now < date else { return }
            let isVirtual = try await core.database.settings().clock != nil
            let wait = isVirtual ? 1 : max(date.timeIntervalSince(now), 0.001)
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
