internal import Foundation
internal import VitrineSupport

/// Tasks that read the streams of changes of a manager, until it stops.
final class ChangeReaders: Sendable {
    private struct State {
        var tasks: [UUID: Task<Void, Never>] = [:]
        var isStopped = false
    }

    private let state = Locked(State())

    func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        let id = UUID()
        return state.withLock { state in
            let task = Task { [weak self] in
                await body()
                self?.state.withLock { $0.tasks[id] = nil }
            }
            if state.isStopped { task.cancel() } else { state.tasks[id] = task }
            return task
        }
    }

    /// Cancels all tasks, and those that start later.
    func stop() {
        let tasks = state.withLock { state in
            state.isStopped = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }
}
