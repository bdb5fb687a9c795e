/// Broadcast channel: sends each element to all current listeners.
///
/// A listener receives, in order, every element that is sent after its stream was created. To miss no change, a reader
/// creates its stream first and reads the current state second.
package final class Broadcast<Element: Sendable>: Sendable {
    /// Stream of elements for one listener, and a function that ends the stream.
    package typealias Subscription = (elements: AsyncStream<Element>, end: @Sendable () -> Void)

    private typealias Continuation = AsyncStream<Element>.Continuation

    private struct State: Sendable {
        var listeners: [Int: Continuation] = [:]
        var lastNumber = 0
        var isFinished = false
    }

    private let state = Locked(State())
    private let policy: Continuation.BufferingPolicy
    private let missed: Element?

    /// Creates a channel without listeners.
    ///
    /// - Parameters:
    ///   - limit: Maximum number of unread elements per stream, beyond which the oldest are dropped; `nil` for no
    ///     maximum.
    ///   - missed: Element that is added to a stream from which unread elements were dropped, as a notice to its
    ///     reader; `nil` to drop elements without a notice.
    package init(keepingNewest limit: Int? = nil, missed: Element? = nil) {
        policy = limit.map { .bufferingNewest($0) } ?? .unbounded
        self.missed = missed
    }

    package var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Returns a stream of the elements sent from now on. The stream ends if its `end` function is called, its reader
    /// is canceled, or the channel is finished.
    ///
    /// - Parameter onEnd: Function that is called once after the stream has ended.
    package func subscription(onEnd: @escaping @Sendable () -> Void = {}) -> Subscription {
        let (stream, continuation) = AsyncStream<Element>.makeStream(bufferingPolicy: policy)
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.listeners[number] = nil }
            onEnd()
        }
        let isFinished = state.withLock { state in
            if !state.isFinished { state.listeners[number] = continuation }
            return state.isFinished
        }
        if isFinished { continuation.finish() }
        return (stream, { continuation.finish() })
    }

    /// Returns a stream of the elements sent from now on, until its reader is canceled or the channel is finished.
    package func stream(onEnd: @escaping @Sendable () -> Void = {}) -> AsyncStream<Element> {
        subscription(onEnd: onEnd).elements
    }

    /// Sends an element to all streams.
    package func send(_ element: Element) {
        for listener in state.withLock({ Array($0.listeners.values) }) {
            guard case .dropped = listener.yield(element), let missed else { continue }
            listener.yield(missed)
        }
    }

    /// Ends all streams. Streams that are requested later are empty.
    package func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
