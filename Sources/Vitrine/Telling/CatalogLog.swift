internal import Logging

/// Writes what happens into an app's log.
///
/// From `info` on a line has product identifiers, codes of errors and counts. What names a customer's purchases, and words
/// that others have chosen, which may, follow in a line of their own at `debug`.
struct CatalogLog {
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// - Returns: What ends once everything is written that the listener hears.
    func follow(_ listener: EventListener) -> Task<Void, Never> {
        Task {
            while let event = await listener.next() { write(event.logLine) }
        }
    }

    private func write(_ line: LogLine) {
        guard line.level > .debug else {
            logger.log(
                level: line.level, "\(line.text)", metadata: (line.facts + line.details).metadata)
            return
        }
        logger.log(level: line.level, "\(line.text)", metadata: line.facts.metadata)
        guard !line.details.isEmpty else { return }
        logger.debug("\(line.text)", metadata: (line.facts + line.details).metadata)
    }
}

/// What is written of an event.
struct LogLine {
    typealias Part = (name: String, value: String)

    let level: Logger.Level
    let text: String
    /// What anybody may read.
    var facts: [Part] = []
    /// What only whoever looks for a fault may read.
    var details: [Part] = []
}

extension [LogLine.Part] {
    fileprivate var metadata: Logger.Metadata {
        Logger.Metadata(map { ($0.name, "\($0.value)") }, uniquingKeysWith: { first, _ in first })
    }
}
