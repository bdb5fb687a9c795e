internal import Logging

/// Writer of events into an app's log.
///
/// Lines at `info` and above contain product identifiers, error codes and counts. Metadata that identifies a customer's
/// purchases, and texts from outside the app, follow in a separate line at `debug`.
struct EventLog {
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// Writes the events of a listener to the log.
    ///
    /// - Returns: Task that ends once every event that the listener receives is written.
    func follow(_ listener: EventListener) -> Task<Void, Never> {
        Task {
            while let event = await listener.next() { write(event.description) }
        }
    }

    private func write(_ event: EventDescription) {
        let facts = event.loggedFacts
        let all = facts + event.loggedDetails
        guard event.level > .debug else {
            logger.log(level: event.level, "\(event.text)", metadata: all.metadata)
            return
        }
        logger.log(level: event.level, "\(event.text)", metadata: facts.metadata)
        guard all.count > facts.count else { return }
        logger.debug("\(event.text)", metadata: all.metadata)
    }
}

extension [EventDescription.Part] {
    fileprivate var metadata: Logger.Metadata {
        Logger.Metadata(map { ($0.name, "\($0.value)") }, uniquingKeysWith: { first, _ in first })
    }
}
