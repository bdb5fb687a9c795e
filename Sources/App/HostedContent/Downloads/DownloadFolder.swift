internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// Folder of an unfinished download: its received bytes, and beside them its stored state.
struct DownloadFolder {
    /// Stored state of the download of a product's content.
    struct Record: Codable {
        /// State of the download: `active`, `paused`, `cancelled`, or `failed` for content that was wrong.
        var state: DownloadState
        /// Code and reason of the error of a failed download.
        var code: String?
        var reason: String?
        /// Date before which a failed download starts again only if the user requests it.
        var notBefore: Date?
        /// Number of consecutive attempts that received unusable content.
        var wrongCount: Int?
        private var received: Int
        private var total: Int?
        /// Version of the content that the received bytes belong to.
        private var version: String?
        private var digest: String?

        init(_ state: DownloadState, of request: ContentRequest, _ progress: ContentProgress) {
            self.state = state
            (received, total) = (progress.received, progress.total)
            (version, digest) = (request.version, request.digest)
        }

        var error: ContentError? {
            code.flatMap(ContentErrorCode.init).map { ContentError(code: $0, reason: reason ?? "") }
        }

        /// Returns the stored progress if the record describes the requested version and digest; otherwise `nil`.
        func progress(with request: ContentRequest) -> ContentProgress? {
            guard request.isForSame(version: version, digest: digest) else { return nil }
            return ContentProgress(received: received, total: total)
        }
    }

    let url: URL

    private static let sizeLimit = 16 * 1024

    /// Folder for the bytes that the source receives.
    var bytes: URL { url.appending(component: "bytes") }

    private var recordFile: URL { url.appending(component: "download.json") }

    /// Reads the stored state of the download.
    ///
    /// - Returns: `nil` if there is no record, or it is damaged.
    /// - Throws: ``ContentError`` `storage` if it cannot be read.
    func record() throws(ContentError) -> Record? {
        do {
            return try JSONDecoder().decodeForeign(
                Record.self, from: BoundedFile.read(recordFile, limit: Self.sizeLimit))
        } catch let error as FileSystemError where !error.isMissing {
            throw .storage("\(recordFile.relativePath): \(error.reason)")
        } catch {
            return nil
        }
    }

    /// Returns the progress of the download for a request: the length of the received file, or else the progress that
    /// the record stores. Bytes of another version are ignored.
    func progress(with request: ContentRequest, _ record: Record?) throws(ContentError) -> ContentProgress {
        guard let noted = record?.progress(with: request) else { return ContentProgress() }
        guard let stored = try PartFile.progress(in: bytes) else { return noted }
        return ContentProgress(received: stored.received, total: stored.total ?? noted.total)
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

    /// `true` if the folder has received bytes.
    var hasBytes: Bool {
        get throws(ContentError) {
            guard try FolderTree.status(of: bytes)?.kind == .folder else { return false }
            return try FolderTree.size(of: bytes) > 0
        }
    }

    /// Exclusive lock of this process on a download folder, for the lifetime of the value.
    struct Hold {
        fileprivate let lock: FolderLock
        fileprivate let identity: FileStatus.Identity
    }

    /// Locks the folder for this process.
    ///
    /// - Parameter root: The content directory, which is locked while folders in it are created and removed.
    /// - Returns: `nil` if another process has locked the folder, or has just removed it.
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
    /// Removes the download folder that this process has locked. If that folder is missing, another process may have
    /// created a new one, which stays.
    func removeDownload(for product: String, held: DownloadFolder.Hold) throws(ContentError) {
        defer { withExtendedLifetime(held.lock) {} }
        try removeDownload(for: product) { (parts) throws(ContentError) in
            try FolderTree.status(of: parts)?.identity == held.identity
        }
    }
}

extension ContentDirectory {
    /// Returns the identifiers of products with received bytes that are not installed yet.
    package func productsWithDownloadedBytes() throws(ContentError) -> Set<String> {
        var products: Set<String> = []
        for product in try downloads() where try DownloadFolder(url: downloadFolder(for: product)).hasBytes {
            products.insert(product)
        }
        return products
    }
}
