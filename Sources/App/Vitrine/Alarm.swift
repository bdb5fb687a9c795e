internal import Foundation
internal import VitrineSupport

/// Timer that runs an action at a date, unless it is set to another date or stopped before.
final class Alarm: Sendable {
    private struct Plan: Sendable {
        var date: Date?
        var task: Task<Void, Never>?
        /// Number of times that the alarm was set, to distinguish a postponed date from one that is due.
        var number = 0
        var isStopped = false
    }

    private let plan = Locked(Plan())
    private let now: @Sendable () -> Date
    private let sleep: @Sendable (Duration) async throws -> Void

    init(now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    deinit { plan.withLock { $0.task?.cancel() } }

    /// Due date; `nil` if the alarm is not set.
    var date: Date? { plan.withLock(\.date) }

    /// Sets the alarm to a date and an action, in place of the earlier ones. Does nothing if the alarm is set to this
    /// date already, or was stopped.
    ///
    /// - Parameters:
    ///   - date: Due date; `nil` for never.
    ///   - clock: Clock that has to reach the date; `nil` for the clock of the machine.
    ///   - action: Action to run at that date.
    func set(
        to date: Date?, on clock: ManagerOptions.Clock? = nil, _ action: @escaping @Sendable () async -> Void
    ) {
        plan.withLock { plan in
            guard plan.date != date, !plan.isStopped else { return }
            plan.task?.cancel()
            plan.number += 1
            plan.date = date
            plan.task = date.map { wait(until: $0, on: clock, number: plan.number, action) }
        }
    }

    private func wait(
        until date: Date, on clock: ManagerOptions.Clock?, number: Int, _ action: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        Task { [weak self, sleep, duration = Duration.seconds(max(0, date.timeIntervalSince(now())))] in
            do {
                if let clock { try await clock.sleepUntil(date) } else { try await sleep(duration) }
            } catch {
                return
            }
            if self?.isDue(number) == true { await action() }
        }
    }

    private func isDue(_ number: Int) -> Bool {
        plan.withLock { plan in
            guard plan.number == number, !plan.isStopped else { return false }
            (plan.date, plan.task) = (nil, nil)
            return true
        }
    }

    func stop() {
        plan.withLock { plan in
            plan.task?.cancel()
            plan = Plan(number: plan.number, isStopped: true)
        }
    }
}
