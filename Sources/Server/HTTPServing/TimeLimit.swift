internal import VitrineSupport

/// Time limit for tasks that nearly always end long before it.
///
/// All tasks share one timer. A sleep for each task would be expensive, because the timer of a canceled sleep remains
/// until its end.
package final class TimeLimit: Sendable {
    private struct Running: Sendable {
        let end: ContinuousClock.Instant
        let cancel: @Sendable () -> Void
    }

    private struct State: Sendable {
        var lastNumber = 0
        var running: [Int: Running] = [:]
        /// `true` while the timer runs.
        var isWaiting = false
    }

    private let duration: Duration
    private let state = Locked(State())

    package init(_ duration: Duration) { self.duration = duration }

    /// Runs a function in a task that is canceled at the limit.
    ///
    /// - Returns: `nil` if the limit was reached. The result of the function is then lost.
    /// - Throws: The error of the function, if the limit was not reached.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async throws -> Value? {
        let task = Task { try await body() }
        let number = add { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.result
        } onCancel: {
            task.cancel()
        }
        guard state.withLock({ $0.running.removeValue(forKey: number) }) != nil else { return nil }
        return try result.get()
    }

    /// Number of tasks that have neither ended nor reached the limit.
    package var count: Int { state.withLock { $0.running.count } }

    private func add(_ cancel: @escaping @Sendable () -> Void) -> Int {
        let running = Running(end: .now + duration, cancel: cancel)
        let (number, isFirst) = state.withLock { state in
            state.lastNumber += 1
            state.running[state.lastNumber] = running
            defer { state.isWaiting = true }
            return (state.lastNumber, !state.isWaiting)
        }
        if isFirst { Task.detached { await self.cancelLate() } }
        return number
    }

    /// Cancels tasks that reach the limit, until no task runs.
    private func cancelLate() async {
        while let next = nextEnd {
            // The sleep is never canceled. If it ended early, the loop would sleep again.
            do { try await Task.sleep(until: next, clock: .continuous) } catch {}
            let late = state.withLock { state in
                let now = ContinuousClock.now
                let late = state.running.filter { $0.value.end <= now }
                for number in late.keys { state.running[number] = nil }
                return late.values.map(\.cancel)
            }
            for cancel in late { cancel() }
        }
    }

    /// First time at which a running task reaches the limit; `nil` if no task runs, after which the timer has ended.
    private var nextEnd: ContinuousClock.Instant? {
        state.withLock { state in
            let next = state.running.values.map(\.end).min()
            state.isWaiting = next != nil
            return next
        }
    }
}
