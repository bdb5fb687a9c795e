internal import Foundation
internal import Logging

/// Writer of events into an app's log.
///
/// Lines at `info` and above contain product identifiers, error codes and counts. Metadata that identifies a customer's
/// purchases, and texts written by others, follow in a line of their own at `debug`.
struct EventLog {
    private let logger: Logger

    init(_ logger: Logger) { self.logger = logger }

    /// - Returns: Task that ends once every event that the listener receives is written.
    func follow(_ listener: EventListener) -> Task<Void, Never> {
        Task {
            while let event = await listener.next() { write(event.description) }
        }
    }

    private func write(_ event: EventDescription) {
        guard event.level > .debug else {
            logger.log(level: event.level, "\(event.text)", metadata: (event.facts + event.details).metadata)
            return
        }
        logger.log(level: event.level, "\(event.text)", metadata: event.facts.metadata)
        guard !event.details.isEmpty else { return }
        logger.debug("\(event.text)", metadata: (event.facts + event.details).metadata)
    }
}

extension [EventDescription.Part] {
    fileprivate var metadata: Logger.Metadata {
        Logger.Metadata(map { ($0.name, "\($0.value)") }, uniquingKeysWith: { first, _ in first })
    }
}

/// Description of an event: its log line, its products and its error.
struct EventDescription {
    typealias Part = (name: String, value: String)

    /// Part of the log in which an event's products are named.
    enum Listed {
        /// Products are named at every log level, because they are known to be products of the app.
        case facts
        /// Products are named at log level `debug` only, because an unverified transaction may claim anything as its
        /// product.
        case details
        case nowhere
    }

    let level: Logger.Level
    let text: String
    /// Identifiers of the products that the event concerns.
    let products: [String]
    let error: (any DescribedError)?
    /// Metadata that is logged at the event's level, and must not identify a customer's purchases.
    let facts: [Part]
    /// Metadata that is logged at level `debug` only.
    let details: [Part]

    init(
        _ level: Logger.Level, _ text: String, products: [String] = [], listed: Listed = .facts,
        error: (any DescribedError)? = nil, facts: [Part] = [], details: [Part] = []
    ) {
        self.level = level
        self.text = text
        self.products = products
        self.error = error
        let named: [Part] = products.isEmpty ? [] : [("products", products.joined(separator: " "))]
        self.facts =
            (listed == .facts ? named : []) + facts + (error.map { [("error", $0.codeName)] } ?? [])
        self.details =
            (listed == .details ? named : []) + details + (error.map { [("words", "\($0)")] } ?? [])
    }
}
