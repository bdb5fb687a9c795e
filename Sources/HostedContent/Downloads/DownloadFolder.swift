internal import FileSystem
internal import Foundation
internal import ProductCatalog

/// What lies on the disk of a download that is not finished: what has come, and beside it what becomes of it at the next
/// launch.
struct DownloadFolder {
    /// What is remembered of a download.
    struct Record: Codable {
        /// `active`, `paused` or `cancelled`.
        var state: DownloadState
        private var received: Int
        private var total: Int?
        /// Of what these bytes are.
        private var version: String?
        private var digest: String?

        init(_ state: DownloadState, of request: ContentRequest, _ progress: ContentProgress) {
            self.state = state
            (received, total) = (progress.received, progress.total)
            (version, digest) = (request.version, request.digest)
        }

        /// How far it was with what is wanted now, when this was written; `nil` where it is about another version.
        func progress(with request: ContentRequest) -> ContentProgress? {
            guard request.isForSame(version: version, digest: digest) else { return nil }
            return ContentProgress(received: received, total: total)
        }
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
        } catch let error as FileSystemError where !error.isMissing {
            throw ContentError(code: .storage, reason: "\(recordFile.relativePath): \(error.reason)")
        } catch {
            return nil
        }
    }

    /// How far the download is with what is wanted now: by the bytes of its file, or else as it was written down. Bytes of
    /// another version do not count.
    func progress(with request: ContentRequest, _ record: Record?) throws(ContentError) -> ContentProgress {
        guard let noted = record?.progress(with: request) else { return ContentProgress() }
        guard let kept = try PartFile.progress(in: bytes) else { return noted }
        return ContentProgress(received: kept.received, total: kept.total ?? noted.total)
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

    /// Bytes have come that lie here.
    var hasBytes: Bool {
        get throws(ContentError) {
            guard try FolderTree.status(of: bytes)?.kind == .folder else { return false }
            return try FolderTree.size(of: bytes) > 0
        }
    }

    /// A download folder that this process has alone as long as it keeps this.
    struct Hold {
        fileprivate let lock: FolderLock
        fileprivate let identity: FileStatus.Identity
    }

    /// Takes the folder for this process.
    ///
    /// - Parameter root: The content directory, which is locked where folders in it are made and removed.
    /// - Returns: `nil` where another process has it, or has just removed it.
    func hold(in root: URL) throws(ContentError) -> Hold? {
        try FolderLock.locking(root) { () throws(ContentError) in
            guard let identity = try FolderTree.status(of: url)?.identity, let lock = try FolderTree.lockIfFree(url)
            else {
                return nil
            }
            return Hold(lock: lock, identity: identity)
        }
    }
}

extension ContentDirectory {
    /// Removes the download folder that this process has. Where it is gone, another process may have made a new one, which
    /// stays.
    func removeDownload(for product: String, held: DownloadFolder.Hold) throws(ContentError) {
        defer { withExtendedLifetime(held.lock) {} }
        try removeDownload(for: product) { (parts) throws(ContentError) in
            try FolderTree.status(of: parts)?.identity == held.identity
        }
    }
}

extension ContentDirectory {
    /// The products of which something has come that is not installed.
    package func productsWithDownloadedBytes() throws(ContentError) -> Set<String> {
        var products: Set<String> = []
        for product in try downloads() where try DownloadFolder(url: downloadFolder(for: product)).hasBytes {
            products.insert(product)
        }
        return products
    }
}
