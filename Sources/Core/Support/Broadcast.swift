/// Channel that sends each element to all that listen at that time.
///
/// A listener receives each element that is sent after its stream was made, in the order in which they are sent: a
/// reader that makes its stream before it reads the present state loses no change.
package final class Broadcast<Element: Sendable>: Sendable {
    /// Stream of a listener, and a function that ends it.
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

    /// - Parameters:
    ///   - limit: Number of the newest elements that a stream keeps for a reader that is behind; `nil` for all.
    ///   - missed: Element that tells such a reader that elements were dropped; `nil` if it is not told. It takes the
    ///     place of the oldest element that is left.
    package init(keepingNewest limit: Int? = nil, missed: Element? = nil) {
        policy = limit.map { .bufferingNewest($0) } ?? .unbounded
        self.missed = missed
    }

    package var hasListeners: Bool { state.withLock { !$0.listeners.isEmpty } }

    /// Returns a stream of the elements sent from now on, until it is ended, its reader is cancelled, or the channel is
    /// finished.
    ///
    /// - Parameter onEnd: Called once when the stream has ended and is no longer a listener.
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

    /// Returns a stream of the elements sent from now on, until its reader is cancelled or the channel is finished.
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

    /// Ends all streams, and those that are asked for later.
    package func finish() {
        let listeners = state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
