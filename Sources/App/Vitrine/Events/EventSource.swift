internal import DequeModule
internal import VitrineSupport

/// Source that sends every event to every listener, in order, without waiting for any of them.
final class EventSource: Sendable {
    let buffer = EventBuffer()

    deinit { buffer.finish() }

    func send(_ event: CatalogEvent) { buffer.append(event) }

    /// Returns a listener to the events sent from now on.
    func listener() -> EventListener { EventListener(buffer) }

    func stream() -> AsyncStream<CatalogEvent> {
        let listener = listener()
        return AsyncStream { await listener.next() }
    }

    /// Ends every stream, including streams requested later.
    func finish() { buffer.finish() }
}

/// Collector of a manager's events between two calls of ``drain()``, for tools that show the events that an app
/// receives.
package struct EventTally: Sendable {
    private let listener: EventListener

    init(_ source: EventSource) { listener = source.listener() }

    /// Returns the events that were sent since the last call, without waiting for more.
    package func drain() -> [CatalogEvent] { listener.unread() }
}

/// A reader of the events of one manager, one after the other.
final class EventListener: Sendable {
    private let buffer: EventBuffer
    private let number: Int

    init(_ buffer: EventBuffer) {
        self.buffer = buffer
        number = buffer.addReader()
    }

    deinit { buffer.removeReader(number) }

    /// Returns the events that were sent and not read, without waiting for more.
    func unread() -> [CatalogEvent] { buffer.unread(of: number) }

    /// Returns the next event, for which it waits; `nil` if no event will follow, or the calling task is cancelled.
    func next() async -> CatalogEvent? { await buffer.next(of: number) }
}

/// The events of one manager that some listener has not read yet, at most ten thousand.
final class EventBuffer: Sendable {
    fileprivate typealias Waiting = CheckedContinuation<CatalogEvent?, Never>

    private struct Reader {
        /// Number of the event that the reader receives next.
        var position: Int
        /// Tasks that wait for the next events, one event each. The list is empty while there are unread events.
        var waiting: [Waiting] = []
    }

    private struct State {
        private static let capacity = 10_000

        /// Stored events, oldest first. Events are numbered from 0 in the order in which they were sent.
        private(set) var events: Deque<CatalogEvent> = []
        /// Number of the oldest stored event.
        private var firstNumber = 0
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        var isFinished = false

        private var endNumber: Int { firstNumber + events.count }

        /// Adds a reader, which receives every event from now on, and returns its number.
        mutating func addReader() -> Int {
            lastReader += 1
            readers[lastReader] = Reader(position: endNumber)
            return lastReader
        }

        /// Returns the next event of a reader, or the number of events that the reader missed; `nil` if the reader has
        /// read all events.
        mutating func popNext(of number: Int) -> CatalogEvent? {
            guard let position = readers[number]?.position, position < endNumber else { return nil }
            guard position >= firstNumber else {
                readers[number]?.position = firstNumber
                return .eventsMissed(firstNumber - position)
            }
            let event = events[position - firstNumber]
            readers[number]?.position = position + 1
            if position == firstNumber { dropReadEvents() }
            return event
        }

        /// Stores an event for the readers without a waiting task. If the buffer is full, drops the oldest event.
        ///
        /// - Returns: The waiting tasks that receive the event, at most one for each reader.
        mutating func append(_ event: CatalogEvent) -> [Waiting] {
            var waiting: [Waiting] = []
            events.append(event)
            var index = readers.values.startIndex
            while index != readers.values.endIndex {
                if !readers.values[index].waiting.isEmpty {
                    waiting.append(readers.values[index].waiting.removeFirst())
                    readers.values[index].position = endNumber
                }
                readers.values.formIndex(after: &index)
            }
            if events.count > Self.capacity { dropFirst(1) }
            if waiting.count == readers.count { dropReadEvents() }
            return waiting
        }

        /// Drops the events that every reader has read.
        mutating func dropReadEvents() {
            let position = readers.values.lazy.map(\.position).min() ?? endNumber
            dropFirst(max(0, position - firstNumber))
        }

        private mutating func dropFirst(_ count: Int) {
            events.removeFirst(count)
            firstNumber += count
            // Releases the memory of a full buffer.
            if events.isEmpty { events = [] }
        }
    }

    private let state = Locked(State())

    /// Number of stored events.
    var count: Int { state.withLock { $0.events.count } }

    var readerCount: Int { state.withLock { $0.readers.count } }

    /// Adds a reader, which receives every event from now on, and returns its number.
    func addReader() -> Int { state.withLock { $0.addReader() } }

    /// Removes a reader. Tasks that wait for its next event get `nil`.
    func removeReader(_ number: Int) {
        let waiting = state.withLock { state in
            let reader = state.readers.removeValue(forKey: number)
            state.dropReadEvents()
            return reader?.waiting ?? []
        }
        for waiting in waiting { waiting.resume(returning: nil) }
    }

    /// Returns the events that a reader has not read yet.
    func unread(of number: Int) -> [CatalogEvent] {
        state.withLock { state in
            var events: [CatalogEvent] = []
            while let event = state.popNext(of: number) { events.append(event) }
            return events
        }
    }

    /// Returns the next event of a reader; `nil` if no event will follow. Cancelling the calling task removes the
    /// reader.
    func next(of number: Int) async -> CatalogEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (event, isWaiting) = state.withLock { state -> (CatalogEvent?, Bool) in
                    guard let event = state.popNext(of: number) else {
                        guard !state.isFinished, state.readers[number] != nil else { return (nil, false) }
                        state.readers[number]?.waiting.append(continuation)
                        return (nil, true)
                    }
                    return (event, false)
                }
                if !isWaiting { continuation.resume(returning: event) }
            }
        } onCancel: {
            removeReader(number)
        }
    }

    /// Stores an event for every reader, or hands it directly to a task that waits for it.
    func append(_ event: CatalogEvent) {
        let waiting = state.withLock { $0.isFinished ? [] : $0.append(event) }
        for waiting in waiting { waiting.resume(returning: event) }
    }

    /// Ends all streams. Unread events can still be read; later events are ignored.
    func finish() {
        let waiting = state.withLock { state in
            state.isFinished = true
            let waiting = state.readers.values.flatMap(\.waiting)
            for number in Array(state.readers.keys) { state.readers[number]?.waiting = [] }
            return waiting
        }
        for waiting in waiting { waiting.resume(returning: nil) }
    }
}
