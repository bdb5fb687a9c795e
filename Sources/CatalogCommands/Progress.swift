import Foundation

/// Line on a terminal that counts what a command has done, once it takes longer than a second. Nothing is shown if standard
/// error is not a terminal.
package final class Progress {
    private let verb: String
    private let isShown = isatty(STDERR_FILENO) == 1
    private var next = ContinuousClock.now + .seconds(1)
    private var isDrawn = false

    /// Creates a progress display that has drawn nothing yet.
    ///
    /// - Parameter verb: Participle of what is done to each thing, such as `checked`.
    package init(_ verb: String) { self.verb = verb }

    /// Shows the number of things that are done, at most ten times a second.
    package func show(_ count: Int, of total: Int? = nil) {
        guard isShown, ContinuousClock.now >= next else { return }
        next = ContinuousClock.now + .milliseconds(100)
        isDrawn = true
        draw("\(count)\(total.map { " of \($0)" } ?? "") \(verb) …")
    }

    /// Clears the line, before other output.
    package func end() {
        if isDrawn { draw("") }
        isDrawn = false
    }

    private func draw(_ text: String) {
        // A failure to write is ignored: the display is informative only.
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }
}
