internal import Foundation
internal import VitrineFileSystem

/// State of a file by which a change is noticed: another file at the path, another length or another date.
struct FileStamp: Sendable, Hashable {
    private let identity: FileStatus.Identity
    private let length: Int
    private let date: Date

    /// - Returns: `nil` if there is no file.
    init?(_ url: URL) {
        let file = url.resolvingSymlinksInPath()
        // The file may be missing for a moment while an editor replaces it.
        guard let status = FileStatus(file),
            let attributes = try? FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
        else { return nil }
        (identity, length) = (status.identity, status.length)
        date = attributes[.modificationDate] as? Date ?? .distantPast
    }

    /// `true` if the other state is one of the same file: it was written in place, and may still be written.
    func isSameFile(as other: FileStamp) -> Bool { identity == other.identity }
}

/// Watch over files that are replaced or written in place.
struct FileWatch {
    /// State of each file when it was last read.
    private var read: [URL: FileStamp] = [:]
    /// State of each file when it was last looked at.
    private var seen: [URL: FileStamp] = [:]

    /// Notes that a file is read now.
    mutating func note(_ url: URL) {
        read[url] = FileStamp(url)
        seen[url] = read[url]
    }

    /// Looks at a file.
    ///
    /// - Returns: `true` if the file has changed since it was read and is complete: it is another file, or it has not
    ///   changed since the last look.
    mutating func hasChanged(_ url: URL) -> Bool {
        let present = FileStamp(url)
        let before = seen.updateValue(present, forKey: url)
        guard present != read[url] else { return false }
        // A file that is missing may be one that an editor is about to replace.
        guard let present else { return before == nil }
        guard let last = read[url], present.isSameFile(as: last) else { return true }
        return before == present
    }
}

extension [URL: FileStamp] {
    /// Sets the state of a file.
    ///
    /// - Returns: The state before.
    fileprivate mutating func updateValue(_ stamp: FileStamp?, forKey url: URL) -> FileStamp? {
        let before = self[url]
        self[url] = stamp
        return before
    }
}
