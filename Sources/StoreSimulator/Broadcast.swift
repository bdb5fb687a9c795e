internal import FileSystem
internal import Foundation

/// Broadcast of values to all current listeners.
final class Broadcast<Value: Sendable>: Sendable {
    private let listeners = Locked<[UUID: AsyncStream<Value>.Continuation]>([:])

    /// Returns a stream of the values sent from now on, until the reader is cancelled.
    func stream() -> AsyncStream<Value> {
        let key = UUID()
        let (stream, continuation) = AsyncStream<Value>.makeStream()
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.removeValue(forKey: key) }
        }
        listeners.withLock { $0[key] = continuation }
        return stream
    }

    func send(_ value: Value) {
        for listener in listeners.withLock({ Array($0.values) }) { listener.yield(value) }
    }
}
