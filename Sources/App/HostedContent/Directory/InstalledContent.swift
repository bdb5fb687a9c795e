public import Foundation
public import VitrineCatalog
internal import VitrineFileSystem
public import VitrineSupport

/// Installed content of a product, complete as it was packed.
public struct InstalledContent: Sendable, Hashable {
    /// Identifier of the content's product, `IAPProductIdentifier` in the content's package.
    public let productIdentifier: String
    /// Version of the content, `ContentVersion` in the content's package.
    public let version: String
    /// Digest of the archive or manifest that the content was installed from, in 64 lowercase hexadecimal digits; `nil`
    /// for other sources.
    public let digest: String?
    /// Folder with the installed files, which the package contained in `Contents`.
    public let url: URL

    /// Reads the folder of installed content.
    ///
    /// - Returns: `nil` for a folder that does not contain installed content.
    /// - Throws: ``ContentError`` `storage` if it cannot be read.
    init?(folder: URL) throws(ContentError) {
        guard try FolderTree.status(of: folder)?.kind == .folder else { return nil }
        do {
            let info = try ContentInfo(file: folder.appending(component: Self.recordName))
            (productIdentifier, version) = (info.productIdentifier, info.version)
        } catch {
            guard error.code == .storage else { return nil }
            throw error
        }
        digest = try Self.digest(in: folder.appending(component: Self.digestName))
        url = folder
    }

    private static func digest(in file: URL) throws(ContentError) -> String? {
        guard try FolderTree.status(of: file)?.kind == .file else { return nil }
        do {
            let text = String(decoding: try BoundedFile.read(file, limit: 64), as: UTF8.self)
            return text.utf8.count == 64 ? text : nil
        } catch {
            guard !error.isMissing else { return nil }
            throw .storage("\(file.relativePath): \(error.reason)")
        }
    }

    /// Name of the package's `ContentInfo.plist` in the folder of installed content.
    static let recordName = InstalledContentName.record.rawValue
    /// Name of the file that lists all files of installed content with their digests.
    static let manifestName = InstalledContentName.manifest.rawValue
    /// Name of the file in the folder of installed content that stores ``digest``.
    static let digestName = InstalledContentName.digest.rawValue

    /// Names that files of content must not have, because the content directory stores its own files under them.
    static let ownNames = InstalledContentName.allCases.map(\.rawValue)
}

/// Proof that installed content is in use. The content is not evicted while this value and its process exist.
///
/// The content may still be replaced by another version at the same path, or removed.
public final class ContentUse: Sendable {
    public let content: InstalledContent
    private let lock: FolderLock

    fileprivate init(_ content: InstalledContent, lock: FolderLock) {
        self.content = content
        self.lock = lock
    }
}

extension ContentDirectory {
    /// Name of the folder that records uses of content, with one folder for each path. Each use holds a shared lock on
    /// its folder, whose modification date is the time of the last use, to the hour.
    private static let usesName = ReservedContentName.uses.rawValue

    /// Minimum interval between two updates of the stored date of use, in seconds.
    private static let shortestTime: TimeInterval = 3600

    private func use(of path: ContentPath) -> URL {
        url.appending(component: Self.usesName).appending(component: path.digest)
    }

    /// Marks the content at a path as in use for the lifetime of the result, so that it is not evicted.
    ///
    /// - Parameters:
    ///   - path: Path of the content.
    ///   - date: Date of the use.
    /// - Returns: `nil` if nothing is installed.
    /// - Throws: ``ContentError``: `invalidPlace` for a path that cannot be used, or `storage`.
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

    /// Returns `true` if the content at a path is in use. Called while the directory is locked, so that no use can
    /// start.
    func isInUse(_ path: ContentPath) throws(ContentError) -> Bool {
        let folder = use(of: path)
        guard try FolderTree.status(of: folder)?.kind == .folder else { return false }
        return try FolderTree.lockIfFree(folder) == nil
    }

    /// Returns the date of the last use of installed content, or of its installation if it was never used.
    func lastUse(of placed: PlacedContent) throws(ContentError) -> Date {
        let folder = use(of: placed.path)
        if try FolderTree.status(of: folder)?.kind == .folder { return try FolderTree.modificationDate(of: folder) }
        return try FolderTree.modificationDate(
            of: placed.content.url.appending(component: InstalledContent.recordName))
    }

    /// Removes the stored date of last use of the content at a path, because the content was removed.
    func forgetUse(of path: ContentPath) throws(ContentError) {
        try FolderTree.remove(use(of: path))
        try FolderTree.removeFolderIfEmpty(url.appending(component: Self.usesName))
    }
}
