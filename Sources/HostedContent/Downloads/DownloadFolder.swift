internal import Foundation
internal import ProductCatalog

/// What lies on the disk of a download that is not finished: what has come, and beside it what becomes of it at the next
/// launch.
struct DownloadFolder {
    /// What is remembered of a download.
    struct Record: Codable {
        enum State: String, Codable {
            case running, paused, cancelled
        }

        var state: State
        var received: Int
        var total: Int?
    }

    let url: URL

    private static let sizeLimit = 16 * 1024

    /// What the source keeps.
    var bytes: URL { url.appending(component: "bytes") }

    private var recordFile: URL { url.appending(component: "download.json") }

    /// - Returns: `nil` where there is none, or one that cannot be used.
    /// - Throws: ``ContentError`` `storage` where it cannot be read.
    func record() throws(ContentError) -> Record? {
        do {
            return try JSONDecoder().decode(Record.self, from: BoundedFile.read(recordFile, limit: Self.sizeLimit))
        } catch let error as BoundedFile.ReadFailure where !error.isMissing {
            throw ContentError(code: .storage, reason: "\(recordFile.relativePath): \(error.reason)")
        } catch {
            return nil
        }
    }

    func write(_ record: Record) throws(ContentError) {
        do {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            try DurableFile.write(encoder.encode(record), to: recordFile)
        } catch {
            throw ContentError(error, at: recordFile)
        }
    }

    /// Takes the folder for this process.
    ///
    /// - Parameter root: The content directory, which is locked where folders in it are made and removed.
    /// - Returns: `nil` where another process has it, or has just removed it.
    func lock(in root: URL) throws(ContentError) -> FolderLock? {
        try FolderLock.locking(root) { () throws(ContentError) in
            guard try FolderTree.status(of: url) != nil else { return nil }
            return try FolderLock.unlessTaken(url)
        }
    }
}
