/// Tells every listener every event, in order, and waits for none of them.
///
/// The latest events are kept once for all listeners, each of which goes through them at its own pace. One that is slower
/// than what is kept is told how many it has missed.
final class EventSource: Sendable {
    let log = EventLog()

    deinit { log.finish() }

    func send(_ event: CatalogEvent) { log.append(event) }

    /// A listener to what happens from now on.
    func listener() -> EventListener { EventListener(log) }

    func stream() -> AsyncStream<CatalogEvent> {
        let listener = listener()
        return AsyncStream { await listener.next() }
    }

    /// Ends every stream, and each that is asked for later.
    func finish() { log.finish() }
}

/// Somebody who goes through the events, one after the other.
final class EventListener: Sendable {
    private let log: EventLog
    private let number: Int

    init(_ log: EventLog) {
        self.log = log
        number = log.enter()
    }

    deinit { log.leave(number) }

    /// - Returns: The next event; `nil` once there will be none, or where the task is cancelled.
    func next() async -> CatalogEvent? { await log.next(for: number) }
}
