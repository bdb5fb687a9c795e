import Foundation
import Vitrine
import VitrineCommandSupport
import VitrineEntitlements
import VitrineHostedContent
import VitrinePurchasing

/// Display of downloads on standard error: progress bars on a terminal, otherwise a line for each change of state and
/// each tenth of the content. From the first active download until all have ended, Ctrl-C pauses the downloads.
struct DownloadDisplay {
    private let manager: CatalogManager
    private let style: Style
    private var shown: [DownloadStatus] = []
    private var height = 0
    /// Products whose downloads have started and not ended.
    private var unended: Set<String> = []
    private var interruption: Task<Void, Never>?

    private static let barWidth = 24

    private enum Style {
        case bars, lines, nothing
    }

    /// Creates a display without downloads.
    ///
    /// - Parameter isVerbose: `true` to display nothing, because all events are printed anyway.
    init(manager: CatalogManager, isVerbose: Bool) {
        self.manager = manager
        style = isVerbose ? .nothing : Console.isScreen(STDERR_FILENO) ? .bars : .lines
    }

    /// Displays the progress of a download. Content that is available without a download is not displayed.
    mutating func show(_ status: DownloadStatus) {
        switch status.state {
        case .active:
            // Ctrl-C must work before the first byte arrives, because a server may be slow.
            unended.insert(status.id)
            pauseWhenInterrupted()
        case .waiting: break
        case .paused, .finished, .failed, .cancelled:
            unended.remove(status.id)
            if unended.isEmpty { end() }
        }
        let index = shown.firstIndex { $0.id == status.id }
        guard index != nil || status.progress.received > 0 && [.active, .finished, .failed].contains(status.state)
        else {
            return
        }
        let before = index.map { shown[$0] }
        if let index { shown[index] = status } else { shown.append(status) }
        switch style {
        case .bars: draw()
        case .lines: if status.isStep(after: before) { Console.say("\(status.id): \(status.description)") }
        case .nothing: break
        }
    }

    /// Ends the display. Its lines remain on the screen.
    mutating func end() {
        interruption?.cancel()
        interruption = nil
    }

    private mutating func pauseWhenInterrupted() {
        guard interruption == nil else { return }
        // Listening starts before any output to which the user may respond with Ctrl-C.
        let interruptions = Interruption.listen()
        interruption = Task { [manager] in
            for await _ in interruptions {}
            guard !Task.isCancelled else { return }
            // The first paused download may end the display and cancel this task, which must not cancel pausing the
            // others.
            await Task {
                do {
                    try await manager.content.pauseDownloads()
                } catch {
                    Console.say("warning: the paused state of downloads could not be saved: \(error)")
                }
            }.value
        }
    }

    private mutating func draw() {
        let (columns, rows) = Screen.size(of: STDERR_FILENO)
        let lines = shown.suffix(max(1, rows - 2)).map { status in
            Screen.fit(
                "\(status.bar(width: Self.barWidth)) \(status.id): \(status.description)".withoutControlCharacters,
                columns)
        }
        Console.draw(Screen.up(height) + lines.map { $0 + "\n" }.joined())
        height = lines.count
    }
}

extension DownloadStatus {
    /// Indicates that the download has progressed enough for a new line: its state has changed, or another tenth of its
    /// bytes was received.
    fileprivate func isStep(after before: DownloadStatus?) -> Bool {
        guard let before, before.state == state else { return true }
        return before.tenth != tenth
    }

    private var tenth: Int? { fraction.map { Int($0 * 10) } }

    fileprivate func bar(width: Int) -> String {
        let full = fraction.map { Int($0 * Double(width)) } ?? 0
        return "[" + String(repeating: "#", count: full) + String(repeating: "-", count: width - full) + "]"
    }
}

/// Table of downloads on a terminal, with further lines below it, which is redrawn in place.
struct Redrawing {
    private var height = 0

    /// Replaces the lines drawn before. Lines that exceed the height of the screen are omitted, because scrolled lines
    /// cannot be replaced.
    mutating func draw(products: [String], below: [String]) throws {
        let (columns, rows) = Screen.size(of: STDOUT_FILENO)
        let room = max(1, rows - below.count - 3)
        let left = products.count - room
        let shown = left > 1 ? products.prefix(room) + ["… \(left) more"] : products[...]
        let lines = (shown + [""] + below).map { Screen.fit($0.withoutControlCharacters, columns) }
        try Console.write(Array((Screen.up(height) + lines.map { $0 + "\n" }.joined()).utf8))
        height = lines.count
    }
}

/// Lines that are redrawn, and control sequences for them.
extension Screen {
    /// Returns the line truncated to the width of the screen, because a wrapped line would occupy two rows.
    static func fit(_ line: String, _ columns: Int) -> String {
        line.count <= columns ? line : String(line.prefix(columns - 1)) + "…"
    }

    /// Returns the escape sequence that moves the cursor up by a number of lines and clears them.
    static func up(_ lines: Int) -> String { lines == 0 ? "" : "\u{1B}[\(lines)A\u{1B}[J" }
}
