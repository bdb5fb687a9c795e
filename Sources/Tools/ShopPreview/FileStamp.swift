internal import Foundation
internal import VitrineFileSystem

/// State of a file for detecting changes: its identity, length and modification date.
struct FileStamp: Sendable, Hashable {
    private let identity: FileStatus.Identity
    private let length: Int
    private let date: Date

    /// Reads the current state of a file.
    ///
    /// - Returns: `nil` if the file does not exist.
    init?(_ url: URL) {
        let file = url.resolvingSymlinksInPath()
        // The file may be missing for a moment while an editor replaces it.
        guard let status = FileStatus(file),
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        else { return nil }
        (identity, length) = (status.identity, status.length)
        date = attributes[.modificationDate] as? Date ?? .distantPast
    }

    /// Indicates that both states belong to the same file, which may still be changing because it is written in place.
    func isSameFile(as other: FileStamp) -> Bool { identity == other.identity }
}

/// Detector of changed files, which may be replaced or written in place.
struct FileWatch {
    /// State of each file at the time of the last read.
    private var read: [URL: FileStamp] = [:]
    /// State of each file at the last check.
    private var seen: [URL: FileStamp] = [:]

    /// Indicates that the last check has found no change that is still to be read.
    var isSettled: Bool { seen == read }

    /// Records the state of a file that is read now.
    mutating func note(_ url: URL) {
        read[url] = FileStamp(url)
        seen[url] = read[url]
    }

    /// Checks a file for changes.
    ///
    /// - Returns: `true` if the file has changed since the last read and is complete: it was replaced, or has not
    ///   changed since the last check.
    mutating func hasChanged(_ url: URL) -> Bool {
        let present = FileStamp(url)
        let before = seen.updateValue(present, forKey: url)
        guard present != read[url] else { return false }
        // A missing file counts as changed only at the second check, because an editor may be replacing it.
        guard let present else { return before == nil }
        guard let last = read[url], present.isSameFile(as: last) else { return true }
        return before == present
    }
}

extension [URL: FileStamp] {
    /// Sets the state of a file.
    ///
    /// - Returns: The previous state; `nil` if there was none.
    fileprivate mutating func updateValue(_ stamp: FileStamp?, forKey url: URL) -> FileStamp? {
        let before = self[url]
        self[url] = stamp
        return before
    }
}
