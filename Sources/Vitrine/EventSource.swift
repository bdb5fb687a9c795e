internal import Foundation
internal import Locking

/// Tells every listener every event, in order, and waits for none of them.
final class EventSource: Sendable {
    private struct Listeners {
        var continuations: [UUID: AsyncStream<CatalogEvent>.Continuation] = [:]
        var isFinished = false
    }

    private let listeners = Locked(Listeners())

    /// A listener that has not taken this many events loses the oldest.
    private static let bufferSize = 10_000

    deinit { finish() }

    func send(_ event: CatalogEvent) {
        listeners.withLock { listeners in
            for continuation in listeners.continuations.values { continuation.yield(event) }
        }
    }

    func stream() -> AsyncStream<CatalogEvent> {
        let key = UUID()
        let (stream, continuation) = AsyncStream<CatalogEvent>.makeStream(
            bufferingPolicy: .bufferingNewest(Self.bufferSize))
        let isFinished = listeners.withLock { listeners in
            if !listeners.isFinished { listeners.continuations[key] = continuation }
            return listeners.isFinished
        }
        if isFinished { continuation.finish() }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { _ = $0.continuations.removeValue(forKey: key) }
        }
        return stream
    }

    /// Ends every stream, and each that is asked for later.
    func finish() {
        let continuations = listeners.withLock { listeners in
            listeners.isFinished = true
            return listeners.continuations.values.map(\.self)
        }
        for continuation in continuations { continuation.finish() }
    }
}
