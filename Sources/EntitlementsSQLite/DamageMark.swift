internal import FileSystem
package import Foundation

/// Mark in a file beside a ledger, set once an operation has found the ledger damaged. The next opening examines the whole
/// ledger, because damage in a part that is only written is not noticed when the ledger is opened.
package final class DamageMark: Sendable {
    private let file: URL
    private let isSetHere = Locked(false)

    package init(ledger: URL) {
        file = ledger.deletingLastPathComponent()
            .appending(path: "\(ledger.lastPathComponent).damaged", directoryHint: .notDirectory)
    }

    /// `true` if this or another process has set the mark.
    package var isSet: Bool { isSetHere.withLock { $0 } || isSetInFile }

    private var isSetInFile: Bool { FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) }

    func set() {
        isSetHere.withLock { $0 = true }
        // Without the file, the mark counts in this process only, and the next process finds the damage by itself.
        try? DurableFile.mark(file)
    }

    /// - Throws: Error of the file system.
    package func remove() throws {
        guard isSetInFile else { return }
        try FileManager.default.removeItem(at: file)
        try DurableFile.syncFolder(file.deletingLastPathComponent())
    }
}
