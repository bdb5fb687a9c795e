import Logging
import VitrineTestSupport

/// Log handler that records the lines of every level.
struct RecordingLog: LogHandler {
    struct Line: Sendable {
        let level: Logger.Level
        let text: String
        let metadata: Logger.Metadata

        /// Text of the line with its metadata.
        var fullText: String {
            metadata.sorted { $0.key < $1.key }.reduce(text) { "\($0) \($1.key)=\($1.value)" }
        }
    }

    private let lines: Recorder<Line>
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(_ lines: Recorder<Line>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.record(
            Line(
                level: event.level, text: event.message.description,
                metadata: metadata.merging(event.metadata ?? [:]) { $1 }))
    }

    /// Returns a logger that logs every level, and its recorded lines.
    static func make(level: Logger.Level = .trace) -> (logger: Logger, lines: Recorder<Line>) {
        let lines = Recorder<Line>()
        var logger = Logger(label: "test") { _ in RecordingLog(lines) }
        logger.logLevel = level
        return (logger, lines)
    }
}
