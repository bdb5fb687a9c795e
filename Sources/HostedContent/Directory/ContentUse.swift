internal import FileSystem
public import Foundation
public import ProductCatalog

/// Installed content that somebody uses: it is not evicted while there is this value, and the process that has it.
///
/// It may be replaced by another version, or removed; its folder is the same afterwards, or gone.
public final class ContentUse: Sendable {
    public let content: InstalledContent
    private let lock: FolderLock

    fileprivate init(_ content: InstalledContent, lock: FolderLock) {
        self.content = content
        self.lock = lock
    }
}

extension ContentDirectory {
    /// A folder for each place that was ever used. Whoever uses what is there has it locked, together with others; when it
    /// was last changed is when that was, to the hour.
    static let usesName = ".uses"

    /// The dates of use are written no more often than that, in seconds.
    private static let shortestTime: TimeInterval = 3600

    private func use(of path: ContentPath) -> URL {
        url.appending(component: Self.usesName).appending(component: path.digest)
    }

    /// Uses what is installed at a path, as long as the answer is kept.
    ///
    /// - Parameters:
    ///   - path: Where it is installed.
    ///   - date: When that is.
    /// - Returns: `nil` where nothing is installed.
    /// - Throws: ``ContentError``: `invalidPlace` for a place that cannot be one, or `storage`.
    public func use(at path: ContentPath, on date: Date = Date()) throws(ContentError) -> ContentUse? {
        guard try installedContent(at: path) != nil else { return nil }
        return try FolderLock.locking(url) { () throws(ContentError) in
            guard let content = try installedContent(at: path) else { return nil }
            let folder = use(of: path)
            try FolderTree.makeFolder(folder.deletingLastPathComponent())
            let isNew = try FolderTree.status(of: folder) == nil
            try FolderTree.makeFolder(folder)
            let last = try FolderTree.modificationDate(of: folder)
            if isNew || abs(date.timeIntervalSince(last)) >= Self.shortestTime {
                try FolderTree.setModificationDate(date, of: folder)
            }
            do {
                return ContentUse(content, lock: try FolderLock.share(folder))
            } catch {
                throw ContentError(error, at: folder)
            }
        }
    }

    /// Somebody uses what is installed at a path. Asked while the directory is locked: then nobody begins to.
    func isInUse(_ path: ContentPath) throws(ContentError) -> Bool {
        let folder = use(of: path)
        guard try FolderTree.status(of: folder)?.kind == .folder else { return false }
        return try FolderTree.lockIfFree(folder) == nil
    }

    /// When content was used, or else installed.
    func lastUse(of placed: PlacedContent) throws(ContentError) -> Date {
        let folder = use(of: placed.path)
        if try FolderTree.status(of: folder)?.kind == .folder { return try FolderTree.modificationDate(of: folder) }
        return try FolderTree.modificationDate(
            of: placed.content.url.appending(component: InstalledContent.recordName))
    }

    /// Removes what is known about the use of a place whose content is gone.
    func forgetUse(of path: ContentPath) throws(ContentError) {
        try FolderTree.remove(use(of: path))
        try FolderTree.removeFolderIfEmpty(url.appending(component: Self.usesName))
    }
}
