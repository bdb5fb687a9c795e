import Foundation
import HostedContent
import Vitrine

/// Display of downloads on standard error: bars on a terminal, otherwise a line for each step. Once a download has
/// become active, Ctrl-C pauses the downloads.
struct DownloadDisplay {
    private let manager: CatalogManager
    private let style: Style
    private var shown: [DownloadStatus] = []
    private var height = 0
    private var interruption: Task<Void, Never>?

    private static let barWidth = 24

    private enum Style {
        case bars, lines, nothing
    }

    /// - Parameter isVerbose: `true` if every event is printed anyway.
    init(manager: CatalogManager, isVerbose: Bool) {
        self.manager = manager
        style = isVerbose ? .nothing : isatty(STDERR_FILENO) == 1 ? .bars : .lines
    }

    /// Shows the progress of a download. Content that is available without receiving a byte is not shown.
    mutating func show(_ status: DownloadStatus) {
        // Ctrl-C works before the first byte: the server may take long to send it.
        if status.state == .active { pauseWhenInterrupted() }
        let index = shown.firstIndex { $0.id == status.id }
        guard index != nil || status.progress.received > 0 && [.active, .finished, .failed].contains(status.state)
        else {
            return
        }
        let before = index.map { shown[$0] }
        if let index { shown[index] = status } else { shown.append(status) }
        switch style {
        case .bars: draw()
        case .lines: if status.isStep(after: before) { Console.say("\(status.id): \(status.words)") }
        case .nothing: break
        }
    }

    /// Ends the display; drawn lines stay.
    func end() { interruption?.cancel() }

    private mutating func pauseWhenInterrupted() {
        guard interruption == nil else { return }
        // Listens before any output to which the user may respond with Ctrl-C.
        let interruptions = Interruption.listen()
        interruption = Task { [manager] in
            for await _ in interruptions {}
            guard !Task.isCancelled else { return }
            do {
                try await manager.content.pauseDownloads()
            } catch {
                Console.say("warning: the paused state of downloads could not be saved: \(error)")
            }
        }
    }

    private mutating func draw() {
        let (columns, rows) = Screen.size(of: STDERR_FILENO)
        let lines = shown.suffix(max(1, rows - 2)).map { status in
            Screen.fit(
                "\(status.bar(width: Self.barWidth)) \(status.id): \(status.words)".withoutControlCharacters, columns)
        }
        // A failure to write is ignored: the display is informative only.
        try? FileHandle.standardError.write(
            contentsOf: Data((Screen.up(height) + lines.map { $0 + "\n" }.joined()).utf8))
        height = lines.count
    }
}

extension DownloadStatus {
    /// Returns `true` if the state or the tenth of the bytes has changed.
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
