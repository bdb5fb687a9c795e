internal import DequeModule
internal import Locking

/// The latest events, once for all listeners, and how far each of them has come.
final class EventLog: Sendable {
    fileprivate typealias Waiting = CheckedContinuation<CatalogEvent?, Never>

    fileprivate struct Reader {
        /// The number of the event that it reads next.
        var position: Int
        /// Those who wait for the events that come next.
        var waiting: [Waiting] = []
        var isCancelled = false
    }

    fileprivate struct State {
        var events: Deque<CatalogEvent> = []
        /// The number of the first of them.
        var first = 0
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        /// The readers that somebody waits with.
        var waiting: [Int] = []
        var isFinished = false
        /// So many events are kept before it is looked which of them everybody has read.
        var mostUnread = State.leastUnread

        static let leastUnread = 64

        var next: Int { first + events.count }
    }

    private let state = Locked(State())

    /// No more than these are kept for a slow listener.
    private static let capacity = 10_000

    // MARK: Readers

    /// - Returns: The number of a reader of everything that happens from now on.
    func enter() -> Int {
        state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = Reader(position: state.next)
            return state.lastReader
        }
    }

    func leave(_ reader: Int) { state.withLock { $0.readers[reader] = nil } }

    /// The next event of a reader; `nil` once there will be none.
    func next(for reader: Int) async -> CatalogEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let answer = state.withLock({ $0.take(reader, continuation) }) { answer.give() }
            }
        } onCancel: {
            for waiting in state.withLock({ $0.cancel(reader) }) { waiting.resume(returning: nil) }
        }
    }

    // MARK: Events

    func append(_ event: CatalogEvent) {
        for waiting in state.withLock({ $0.append(event, capacity: Self.capacity) }) {
            waiting.resume(returning: event)
        }
    }

    /// What has happened can still be read; nothing happens any more.
    func finish() {
        for waiting in state.withLock({ $0.finish() }) { waiting.resume(returning: nil) }
    }
}

extension EventLog {
    fileprivate struct Answer {
        let waiting: Waiting
        let event: CatalogEvent?

        func give() { waiting.resume(returning: event) }
    }
}

extension EventLog.State {
    /// - Returns: What a reader gets at once; `nil` where it has to wait.
    fileprivate mutating func take(_ number: Int, _ waiting: EventLog.Waiting) -> EventLog.Answer? {
        guard var reader = readers[number], !reader.isCancelled else {
            return EventLog.Answer(waiting: waiting, event: nil)
        }
        defer { readers[number] = reader }
        if reader.position < first {
            let missed = first - reader.position
            reader.position = first
            return EventLog.Answer(waiting: waiting, event: .eventsMissed(missed))
        }
        if reader.position < next {
            reader.position += 1
            return EventLog.Answer(waiting: waiting, event: events[reader.position - 1 - first])
        }
        guard !isFinished else { return EventLog.Answer(waiting: waiting, event: nil) }
        reader.waiting.append(waiting)
        self.waiting.append(number)
        return nil
    }

    /// - Returns: Who waited for the event.
    fileprivate mutating func append(_ event: CatalogEvent, capacity: Int) -> [EventLog.Waiting] {
        guard !isFinished else { return [] }
        guard !readers.isEmpty else {
            first = next + 1
            events.removeAll()
            return []
        }
        events.append(event)
        let numbers = waiting
        waiting = []
        let woken = numbers.compactMap { number in
            guard var reader = readers[number], !reader.waiting.isEmpty else { return nil as EventLog.Waiting? }
            let woken = reader.waiting.removeFirst()
            reader.position = next
            readers[number] = reader
            return woken
        }
        forgetWhatEverybodyHasRead()
        if events.count > capacity { forget(events.count - capacity) }
        return woken
    }

    /// Looked at only now and then: there may be many readers.
    private mutating func forgetWhatEverybodyHasRead() {
        guard events.count > mostUnread else { return }
        forget(max(0, (readers.values.lazy.map(\.position).min() ?? next) - first))
        mostUnread = max(Self.leastUnread, 2 * events.count)
    }

    private mutating func forget(_ count: Int) {
        events.removeFirst(count)
        first += count
    }

    fileprivate mutating func cancel(_ number: Int) -> [EventLog.Waiting] {
        readers[number]?.isCancelled = true
        let waiting = readers[number]?.waiting ?? []
        readers[number]?.waiting = []
        return waiting
    }

    fileprivate mutating func finish() -> [EventLog.Waiting] {
        isFinished = true
        let waiting = readers.values.flatMap(\.waiting)
        for number in readers.keys { readers[number]?.waiting = [] }
        self.waiting = []
        return waiting
    }
}
