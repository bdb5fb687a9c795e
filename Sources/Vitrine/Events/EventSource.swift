internal import DequeModule
internal import FileSystem

/// Sends every event to every listener, in order, without waiting for any of them.
final class EventSource: Sendable {
    let queues = EventQueues()

    deinit { queues.finish() }

    func send(_ event: CatalogEvent) { queues.append(event) }

    /// Returns a listener to the events sent from now on.
    func listener() -> EventListener { EventListener(queues) }

    func stream() -> AsyncStream<CatalogEvent> {
        let listener = listener()
        return AsyncStream { await listener.next() }
    }

    /// Ends every stream, including streams requested later.
    func finish() { queues.finish() }
}

/// A reader of the events of one manager, one after the other.
final class EventListener: Sendable {
    private let queues: EventQueues
    private let number: Int

    init(_ queues: EventQueues) {
        self.queues = queues
        number = queues.add()
    }

    deinit { queues.remove(number) }

    /// - Returns: The next event; `nil` once there will be none, or where the task is cancelled.
    func next() async -> CatalogEvent? { await queues.next(of: number) }
}

/// The unread events of each listener of one manager, at most ten thousand each.
final class EventQueues: Sendable {
    fileprivate typealias Waiting = CheckedContinuation<CatalogEvent?, Never>

    private struct State {
        var queues: [Int: EventQueue] = [:]
        var lastNumber = 0
        var isFinished = false
    }

    private let state = Locked(State())

    /// Number of unread events, summed over all listeners.
    var unreadCount: Int { state.withLock { $0.queues.values.reduce(0) { $0 + $1.events.count } } }

    var listenerCount: Int { state.withLock { $0.queues.count } }

    /// - Returns: The number of a new queue, which receives every event from now on.
    func add() -> Int {
        state.withLock { state in
            state.lastNumber += 1
            state.queues[state.lastNumber] = EventQueue()
            return state.lastNumber
        }
    }

    /// Removes a queue with its unread events. Tasks that wait for its next event get `nil`.
    func remove(_ number: Int) {
        let waiting = state.withLock { $0.queues.removeValue(forKey: number)?.waiting ?? [] }
        for waiting in waiting { waiting.resume(returning: nil) }
    }

    /// Returns the next event of a queue, or `nil` once there will be none. Cancelling the task removes the queue.
    func next(of number: Int) async -> CatalogEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (event, isWaiting) = state.withLock { state -> (CatalogEvent?, Bool) in
                    guard let event = state.queues[number]?.takeFirst() else {
                        guard !state.isFinished, state.queues[number] != nil else { return (nil, false) }
                        state.queues[number]?.waiting.append(continuation)
                        return (nil, true)
                    }
                    return (event, false)
                }
                if !isWaiting { continuation.resume(returning: event) }
            }
        } onCancel: {
            remove(number)
        }
    }

    /// Appends an event to every queue, or hands it directly to a task that waits for it.
    func append(_ event: CatalogEvent) {
        let waiting = state.withLock { state -> [Waiting] in
            guard !state.isFinished else { return [] }
            return state.queues.keys.compactMap { state.queues[$0]?.append(event) }
        }
        for waiting in waiting { waiting.resume(returning: event) }
    }

    /// Ends all queues. Unread events can still be read; later events are ignored.
    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            let waiting = state.queues.values.flatMap(\.waiting)
            for number in state.queues.keys { state.queues[number]?.waiting = [] }
            return waiting
        }
        for waiting in waiting { waiting.resume(returning: nil) }
    }
}

/// The unread events of one listener.
private struct EventQueue {
    private static let capacity = 10_000

    var events: Deque<CatalogEvent> = []
    /// Number of dropped events that were not yet reported to the listener.
    var missedCount = 0
    /// Tasks that wait for the next events, one event each. The list is empty while there are unread events.
    var waiting: [EventQueues.Waiting] = []

    mutating func takeFirst() -> CatalogEvent? {
        guard missedCount == 0 else {
            defer { missedCount = 0 }
            return .eventsMissed(missedCount)
        }
        let event = events.popFirst()
        // Releases the memory of a long queue.
        if events.isEmpty { events = [] }
        return event
    }

    /// Drops the oldest event where the queue is full.
    ///
    /// - Returns: The waiting task that receives the event instead of the queue, if any.
    mutating func append(_ event: CatalogEvent) -> EventQueues.Waiting? {
        guard waiting.isEmpty else { return waiting.removeFirst() }
        events.append(event)
        if events.count > Self.capacity {
            events.removeFirst()
            missedCount += 1
        }
        return nil
    }
}
