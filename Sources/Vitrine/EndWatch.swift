internal import Foundation
internal import Synchronization

/// Looks again when something that is owned ends, so that it is told then, whether or not anybody asks.
final class EndWatch: Sendable {
    private struct Plan: Sendable {
        var date: Date?
        var task: Task<Void, Never>?
    }

    private let plan = Mutex(Plan())
    private let now: @Sendable () -> Date
    private let sleep: @Sendable (Duration) async throws -> Void

    init(now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    deinit { plan.withLock { $0.task?.cancel() } }

    /// - Parameters:
    ///   - date: When something ends; `nil` where nothing does.
    ///   - look: What is done then.
    func wait(for date: Date?, _ look: @escaping @Sendable () -> Void) {
        plan.withLock { plan in
            guard plan.date != date else { return }
            plan.task?.cancel()
            plan.date = date
            plan.task = date.map { date in
                Task { [now, sleep] in
                    do {
                        try await sleep(.seconds(max(0, date.timeIntervalSince(now()))))
                    } catch {
                        return
                    }
                    look()
                }
            }
        }
    }

    func stop() { plan.withLock { $0.task?.cancel() } }
}
