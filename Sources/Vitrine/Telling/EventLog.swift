internal import DequeModule
internal import FileSystem

/// The latest events, once for all listeners, and how far each of them has come.
final class EventLog: Sendable {
    fileprivate typealias Waiting = CheckedContinuation<CatalogEvent?, Never>

    fileprivate struct Reader {
        /// The number of the event that it reads next.
        var position: Int
        /// Those who wait for the events that come next, one event each.
        var waiting: [Waiting] = []
    }

    fileprivate struct State {
        var events: Deque<CatalogEvent> = []
        /// The number of the first of them.
        var first = 0
        var readers: [Int: Reader] = [:]
        var lastReader = 0
        /// The readers that somebody waits with, each once.
        var waiting: [Int] = []
        /// So many readers have read everything.
        var readersAtEnd = 0
        var isFinished = false
        /// With the event of this number it is looked which of them everybody has read.
        var nextLook = State.leastUnread

        static let leastUnread = 64

        var next: Int { first + events.count }
    }

    private let state = Locked(State())

    /// No more than these are kept for a slow listener.
    private static let capacity = 10_000

    /// How many events are kept.
    var count: Int { state.withLock { $0.events.count } }

    var readerCount: Int { state.withLock { $0.readers.count } }

    // MARK: Readers

    /// - Returns: The number of a reader of everything that happens from now on.
    func enter() -> Int {
        state.withLock { state in
            state.lastReader += 1
            state.readers[state.lastReader] = Reader(position: state.next)
            state.readersAtEnd += 1
            return state.lastReader
        }
    }

    /// Nothing is kept for a reader any more, and whoever waits with it is told that there will be no more.
    func leave(_ reader: Int) {
        for waiting in state.withLock({ $0.leave(reader) }) { waiting.resume(returning: nil) }
    }

    /// The next event of a reader; `nil` once there will be none. A cancelled reader has left.
    func next(for reader: Int) async -> CatalogEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if let answer = state.withLock({ $0.take(reader, continuation) }) { answer.give() }
            }
        } onCancel: {
            leave(reader)
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
        guard var reader = readers[number] else { return EventLog.Answer(waiting: waiting, event: nil) }
        if reader.position < first {
            let missed = first - reader.position
            readers[number]?.position = first
            return EventLog.Answer(waiting: waiting, event: .eventsMissed(missed))
        }
        if reader.position < next {
            let event = events[reader.position - first]
            reader.position += 1
            readers[number] = reader
            if reader.position == next {
                readersAtEnd += 1
                forgetIfEverythingIsRead()
            }
            return EventLog.Answer(waiting: waiting, event: event)
        }
        guard !isFinished else { return EventLog.Answer(waiting: waiting, event: nil) }
        if reader.waiting.isEmpty { self.waiting.append(number) }
        reader.waiting.append(waiting)
        readers[number] = reader
        return nil
    }

    /// - Returns: Who waited for the event.
    fileprivate mutating func append(_ event: CatalogEvent, capacity: Int) -> [EventLog.Waiting] {
        guard !isFinished else { return [] }
        events.append(event)
        let numbers = waiting
        waiting = []
        var woken: [EventLog.Waiting] = []
        for number in numbers {
            guard var reader = readers[number], !reader.waiting.isEmpty else { continue }
            woken.append(reader.waiting.removeFirst())
            reader.position = next
            if !reader.waiting.isEmpty { waiting.append(number) }
            readers[number] = reader
        }
        // Whoever had read everything and does not wait has one to read now.
        readersAtEnd = woken.count
        forgetIfEverythingIsRead()
        if next >= nextLook { forgetWhatEverybodyHasRead() }
        if events.count > capacity { forget(events.count - capacity) }
        return woken
    }

    private mutating func forgetIfEverythingIsRead() {
        guard readersAtEnd == readers.count else { return }
        first = next
        events.removeAll(keepingCapacity: events.count <= Self.leastUnread)
    }

    /// Looked at only now and then: there may be many readers.
    private mutating func forgetWhatEverybodyHasRead() {
        forget(max(0, (readers.values.lazy.map(\.position).min() ?? next) - first))
        nextLook = next + max(Self.leastUnread, events.count)
    }

    private mutating func forget(_ count: Int) {
        events.removeFirst(count)
        first += count
    }

    /// - Returns: Who waited with the reader.
    fileprivate mutating func leave(_ number: Int) -> [EventLog.Waiting] {
        guard let reader = readers.removeValue(forKey: number) else { return [] }
        if reader.position == next { readersAtEnd -= 1 }
        forgetIfEverythingIsRead()
        // What was kept for the slowest is not needed any more.
        if reader.position <= first, !events.isEmpty { forgetWhatEverybodyHasRead() }
        return reader.waiting
    }

    fileprivate mutating func finish() -> [EventLog.Waiting] {
        isFinished = true
        let waiting = readers.values.flatMap(\.waiting)
        for number in readers.keys { readers[number]?.waiting = [] }
        self.waiting = []
        return waiting
    }
}
