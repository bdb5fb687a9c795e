internal import Logging
internal import VitrineSupport

/// Description of an event, from which its log line, its line for `--verbose`, its products and its error are derived.
struct EventDescription {
    typealias Part = (name: String, value: String)

    /// Part of the log line that names an event's products.
    enum Listed {
        /// Products are named at every log level, because they are known to be products of the app.
        case facts
        /// Products are named at log level `debug` only, because an unverified transaction may claim anything as its
        /// product.
        case details
        case nowhere
    }

    let level: Logger.Level
    /// Message of the log, and beginning of the line for `--verbose`. It is the same for all events of a kind, and
    /// contains no data of the customer.
    let text: String
    /// Identifiers of the products that the event concerns.
    let products: [String]
    let error: (any DescribedError)?
    private let listed: Listed
    private let facts: [Part]
    private let details: [Part]
    private let note: String?

    /// Creates the description of an event.
    ///
    /// - Parameters:
    ///   - facts: Values that are logged at the event's level, and must not identify a customer's purchases.
    ///   - details: Values that are logged at level `debug` only.
    ///   - note: Text from outside the app, such as a server's error message, which is logged at level `debug` only;
    ///     by default the description of the error.
    init(
        _ level: Logger.Level, _ text: String, products: [String] = [], listed: Listed = .facts,
        error: (any DescribedError)? = nil, facts: [Part] = [], details: [Part] = [], note: String? = nil
    ) {
        (self.level, self.text, self.products, self.listed) = (level, text, products, listed)
        (self.error, self.facts, self.details) = (error, facts, details)
        self.note = note ?? error.map { "\($0)" }
    }

    /// Metadata that is logged at the event's level.
    var loggedFacts: [Part] { named(.facts) + facts + (error.map { [("error", $0.codeName)] } ?? []) }

    /// Metadata that is logged at level `debug` only.
    var loggedDetails: [Part] { named(.details) + details + (note.map { [("note", $0)] } ?? []) }

    private func named(_ part: Listed) -> [Part] {
        listed == part && !products.isEmpty ? [("products", products.joined(separator: " "))] : []
    }

    /// Description of the event in one line, including data of the customer: text, products, facts, details, and the
    /// text from outside the app.
    var line: String {
        let subjects = listed == .nowhere ? "" : products.joined(separator: ", ")
        let parts = (facts + details).filter { !$0.value.isEmpty }.map { "\($0.name) \($0.value)" }
        return text + (subjects.isEmpty ? "" : ": \(subjects)")
            + (parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))") + (note.map { ": \($0)" } ?? "")
    }
}
