import Synchronization

/// Thread-safe list that collects values in the order of their arrival.
package final class Recorder<Value: Sendable>: Sendable {
    private let collected = Mutex<[Value]>([])

    package init() {}

    package var values: [Value] { collected.withLock { $0 } }

    package func record(_ value: Value) { collected.withLock { $0.append(value) } }
}

/// Gate that stays closed until a test opens it.
package actor Gate {
    private var isOpen = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var arrivals: [CheckedContinuation<Void, Never>] = []

    package init() {}

    /// Waits until the gate is open.
    package func pass() async {
        for arrival in arrivals { arrival.resume() }
        arrivals = []
        guard !isOpen else { return }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Waits until a caller waits at the gate.
    package func arrival() async {
        guard waiting.isEmpty else { return }
        await withCheckedContinuation { arrivals.append($0) }
    }

    package func open() {
        isOpen = true
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
