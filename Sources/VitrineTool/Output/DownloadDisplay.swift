import Foundation
import HostedContent
import Vitrine

/// Shows downloads on standard error while a command works: as bars on a terminal, otherwise a line for each step. As soon
/// as one is under way, Ctrl-C pauses them.
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

    /// - Parameter isVerbose: Each event is written anyway.
    init(manager: CatalogManager, isVerbose: Bool) {
        self.manager = manager
        style = isVerbose ? .nothing : isatty(STDERR_FILENO) == 1 ? .bars : .lines
    }

    /// Takes in how far a download is. What is simply there, without a byte that had to come, is not shown.
    mutating func show(_ status: DownloadStatus) {
        // It may take long until a server sends the first byte.
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

    /// What is drawn stays.
    func end() { interruption?.cancel() }

    private mutating func pauseWhenInterrupted() {
        guard interruption == nil else { return }
        // Before anything is shown that somebody may answer with Ctrl-C.
        let interruptions = Interruption.listen()
        interruption = Task { [manager] in
            for await _ in interruptions {}
            guard !Task.isCancelled else { return }
            do {
                try await manager.pauseDownloads()
            } catch {
                Console.say("warning: it is not remembered that downloads are paused: \(error)")
            }
        }
    }

    private mutating func draw() {
        let (columns, rows) = Screen.size(of: STDERR_FILENO)
        let lines = shown.suffix(max(1, rows - 2)).map { status in
            Screen.fit(
                "\(status.bar(width: Self.barWidth)) \(status.id): \(status.words)".withoutControlCharacters, columns)
        }
        // Where nobody reads it, nothing is lost.
        try? FileHandle.standardError.write(
            contentsOf: Data((Screen.up(height) + lines.map { $0 + "\n" }.joined()).utf8))
        height = lines.count
    }
}

extension DownloadStatus {
    /// Another state, or another tenth of the bytes.
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
