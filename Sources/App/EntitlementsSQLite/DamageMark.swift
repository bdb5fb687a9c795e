package import Foundation
internal import VitrineFileSystem
internal import VitrineSupport

/// Marker file beside a damaged ledger. While the file exists, the whole ledger is checked when it is opened; the usual
/// check reads only a part.
package final class DamageMark: Sendable {
    private let file: URL
    private let isSetHere = Locked(false)

    package init(ledger: URL) {
        file = ledger.deletingLastPathComponent()
            .appending(path: "\(ledger.lastPathComponent).damaged", directoryHint: .notDirectory)
    }

    /// `true` if this or another process has marked the ledger as damaged.
    package var isSet: Bool { isSetHere.withLock { $0 } || isSetInFile }

    private var isSetInFile: Bool { FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) }

    func set() {
        isSetHere.withLock { $0 = true }
        // Without the file, the mark counts in this process only, and the next process finds the damage by itself.
        try? DurableFile.mark(file)
    }

    /// Removes the file that marks the ledger as damaged.
    ///
    /// - Throws: Error of the file system if the file cannot be removed.
    package func remove() throws {
        guard isSetInFile else { return }
        try FileManager.default.removeItem(at: file)
        try DurableFile.syncFolder(file.deletingLastPathComponent())
    }
}
