import Foundation
import VitrineSupport

/// Line on a terminal about what a command does, once that takes longer than a second. Nothing is shown if standard error
/// is not a terminal.
package final class Progress: Sendable {
    private struct State {
        var count: String?
        var isDrawn = false
        var isEnded = false
    }

    private let activity: String
    private let state = Locked(State())

    /// Starts to show the line, a second from now.
    ///
    /// - Parameter activity: Activity as a participle with its object, such as "checking catalogs".
    package init(_ activity: String) {
        self.activity = activity
        guard isatty(STDERR_FILENO) == 1 else { return }
        Task.detached { [weak self] in
            for seconds in 1... {
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
                guard self?.draw(after: seconds) == true else { return }
            }
        }
    }

    /// Sets the number of things that are done, for the next time that the line is drawn.
    package func show(_ count: Int, of total: Int) {
        state.withLock { $0.count = "\(count) of \(total)" }
    }

    /// Clears the line, before other output.
    package func end() {
        state.withLock { state in
            if state.isDrawn, !state.isEnded { Self.replaceLine(with: "") }
            state.isEnded = true
        }
    }

    /// Draws the line.
    ///
    /// - Returns: `false` if the activity has ended.
    private func draw(after seconds: Int) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            state.isDrawn = true
            let parts = [activity, state.count, "\(seconds) s"].compactMap(\.self)
            Self.replaceLine(with: parts.joined(separator: ", "))
            return true
        }
    }

    private static func replaceLine(with text: String) {
        // A failure to write is ignored: the display is informative only.
        try? FileHandle.standardError.write(contentsOf: Data("\r\u{1B}[K\(text)".utf8))
    }
}
