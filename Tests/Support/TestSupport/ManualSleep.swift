import Foundation
import Synchronization

/// Sleep function whose sleeps end when a test ends them.
package final class ManualSleep: Sendable {
    private let asked = AsyncStream<Duration>.makeStream()
    private let state = Mutex(State())

    private struct State {
        var sleepers: [(id: UUID, continuation: CheckedContinuation<Bool, Never>)] = []
        var wakes = 0
    }

    package init() {}

    package func sleep(_ duration: Duration) async throws {
        let id = UUID()
        let isOver = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state -> Bool? in
                    guard !Task.isCancelled else { return false }
                    guard state.wakes == 0 else {
                        state.wakes -= 1
                        return true
                    }
                    state.sleepers.append((id, continuation))
                    return nil
                }
                asked.continuation.yield(duration)
                if let isOver { continuation.resume(returning: isOver) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                state.sleepers.firstIndex { $0.id == id }.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(returning: false)
        }
        if !isOver { throw CancellationError() }
    }

    /// Waits until a sleep begins.
    ///
    /// - Returns: The duration of the sleep.
    package func begun() async -> Duration? { await asked.stream.first { _ in true } }

    /// Ends the oldest current sleep or, without one, the next sleep.
    package func wake() {
        let sleeper = state.withLock { state in
            guard !state.sleepers.isEmpty else {
                if state.wakes < .max { state.wakes += 1 }
                return nil as CheckedContinuation<Bool, Never>?
            }
            return state.sleepers.removeFirst().continuation
        }
        sleeper?.resume(returning: true)
    }

    /// Ends all current and future sleeps.
    package func wakeAll() {
        let sleepers = state.withLock { state in
            state.wakes = .max
            defer { state.sleepers = [] }
            return state.sleepers
        }
        for sleeper in sleepers { sleeper.continuation.resume(returning: true) }
    }
}
