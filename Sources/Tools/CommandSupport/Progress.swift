import Foundation
import VitrineSupport

/// Progress display of a command in the last line of a terminal, shown if the command takes more than a second. It is
/// not shown if standard error is not a terminal.
package final class Progress: Sendable {
    private struct State {
        var count: String?
        var isDrawn = false
        var isEnded = false
    }

    private let activity: String
    private let state = Locked(State())

    /// Starts the display, which becomes visible after a second.
    ///
    /// - Parameter activity: Activity as a participle with its object, such as "checking catalogs".
    package init(_ activity: String) {
        self.activity = activity
        guard Console.isScreen(STDERR_FILENO) else { return }
        Task.detached { [weak self] in
            for seconds in 1... {
                do { try await Task.sleep(for: .seconds(1)) } catch { return }
                guard self?.draw(after: seconds) == true else { return }
            }
        }
    }

    /// Sets the number of completed items and of all items; both appear at the next update of the display.
    package func show(_ count: Int, of total: Int) {
        state.withLock { $0.count = "\(count) of \(total)" }
    }

    /// Removes the display, so that other output can follow.
    package func end() {
        state.withLock { state in
            if state.isDrawn, !state.isEnded { Self.replaceLine(with: "") }
            state.isEnded = true
        }
    }

    /// Updates the display.
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

    private static func replaceLine(with text: String) { Console.draw("\r\u{1B}[K\(text)") }
}
