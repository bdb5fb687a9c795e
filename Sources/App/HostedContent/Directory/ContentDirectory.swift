internal import Crypto
public import Foundation
public import VitrineCatalog
internal import VitrineFileSystem
public import VitrineSupport

/// Folder for the downloaded content of products, each at its own path. The folder is excluded from backups.
///
/// Installed content is always complete: it is assembled and checked in a staging folder, made durable, and renamed
/// into place. Several processes may use one content directory.
public struct ContentDirectory: Sendable {
    /// Folder that holds the content of all products.
    public let url: URL

    /// Creates the value without accessing the file system.
    ///
    /// - Parameter url: An existing folder, or one that can be created in an existing folder.
    public init(url: URL) { self.url = url }

    /// Prepares the content directory at launch: marks it again as excluded from backups, restores content that
    /// interrupted installations had moved away, and removes their staging folders and download folders that name no
    /// product. Does nothing if the content directory does not exist yet: the first installation or download creates
    /// it.
    ///
    /// - Returns: Description of the backups that may include the directory in spite of its marks; `nil` if no such
    ///   backups are known.
    /// - Throws: ``ContentError``.
    @discardableResult
    public func prepareIfPresent() throws(ContentError) -> BackupGap? {
        guard try FolderTree.status(of: url) != nil else { return nil }
        return try prepare()
    }

    /// Creates the content directory, and excludes it from backups before anything is written into it.
    @discardableResult
    func prepare() throws(ContentError) -> BackupGap? {
        try FolderTree.makeFolder(url)
        let gap = try FolderLock.locking(url) { () throws(ContentError) in try excludeFromBackups() }
        try StagingFolder.removeAbandoned(in: url) { (folder) throws(ContentError) in try putBack(from: folder) }
        try removeUnknownDownloads()
        return gap
    }

    /// Returns the content that is installed at a path.
    ///
    /// - Returns: `nil` if nothing is at the path, or something other than installed content.
    /// - Throws: ``ContentError`` `storage` if it cannot be read.
    public func installedContent(at path: ContentPath) throws(ContentError) -> InstalledContent? {
        guard let folder = try place(of: path) else { return nil }
        return try InstalledContent(folder: folder)
    }

    /// Returns `true` if content can be installed at a path: neither the path nor a parent folder is a file or a link.
    ///
    /// - Throws: ``ContentError`` `storage` if that cannot be determined.
    public func canInstall(at path: ContentPath) throws(ContentError) -> Bool {
        do throws(ContentError) {
            guard let place = try place(of: path) else { return true }
            _ = try isFolder(place)
            return true
        } catch {
            guard error.code == .invalidPlace else { throw error }
            return false
        }
    }

    /// Returns all installed content, in the order of the paths.
    ///
    /// - Throws: ``ContentError`` `storage` if something cannot be read.
    public func contents() throws(ContentError) -> [PlacedContent] {
        guard try isFolder(url) else { return [] }
        var contents: [PlacedContent] = []
        var waiting: [[String]] = [[]]
        while let names = waiting.popLast() {
            let folder = FolderWalk.url(names, in: url)
            for name in try FolderTree.namesIfPresent(in: folder) ?? [] {
                let (path, place) = (names + [name], folder.appending(component: name))
                guard try FolderTree.status(of: place)?.kind == .folder,
                    let contentPath = try? ContentPath(path.joined(separator: "/")), !contentPath.isReserved
                else { continue }
                if let content = try InstalledContent(folder: place) {
                    contents.append(PlacedContent(path: contentPath, content: content))
                } else if path.count < Self.greatestDepth {
                    waiting.append(path)
                }
            }
        }
        return contents.sorted { $0.path.description < $1.path.description }
    }

    /// Returns the length of all files of installed content, in bytes.
    ///
    /// - Throws: ``ContentError`` if they cannot be read.
    public func size(of content: InstalledContent) throws(ContentError) -> Int {
        var size = try FolderTree.size(of: content.url)
        for name in InstalledContent.ownNames {
            size -= try FolderTree.status(of: content.url.appending(component: name))?.length ?? 0
        }
        return size
    }

    /// Makes the location of installed content durable, so that the content is at its path even after a power failure.
    ///
    /// - Throws: ``ContentError``.
    public func makeDurable(_ path: ContentPath) throws(ContentError) {
        var folder = url.deletingLastPathComponent()
        try FolderTree.sync(folder)
        folder = url
        try FolderTree.sync(folder)
        for name in path.components.dropLast() {
            folder.append(component: name)
            try FolderTree.sync(folder)
        }
    }

    // MARK: Locations

    /// Maximum depth of nested folders that are searched for installed content.
    private static let greatestDepth = 64

    /// Returns the location of a path in the content directory. All parents of the location must be folders, not files
    /// or symbolic links.
    ///
    /// - Returns: `nil` if a parent folder is missing.
    /// - Throws: ``ContentError`` `invalidPlace` if a parent is a file or link, or if the path is reserved for the
    ///   content directory's own files.
    func place(of path: ContentPath) throws(ContentError) -> URL? {
        guard let last = path.components.last else {
            throw .invalidPlace("the path of content cannot be the content directory \(url.relativePath) itself")
        }
        guard !path.isReserved else {
            throw .invalidPlace("content cannot be in \(path), which is reserved for the content directory itself")
        }
        var folder = url
        guard try isFolder(folder) else { return nil }
        for name in path.components.dropLast() {
            folder.append(component: name)
            guard try isFolder(folder) else { return nil }
        }
        return folder.appending(component: last)
    }

    /// Returns `true` if a folder exists at a location.
    ///
    /// - Returns: `false` if nothing exists there.
    ///
    /// - Throws: ``ContentError`` `invalidPlace` if a file or a link exists there.
    func isFolder(_ place: URL) throws(ContentError) -> Bool {
        switch try FolderTree.status(of: place)?.kind {
        case .folder: return true
        case nil: return false
        case .link:
            throw .invalidPlace("\(place.relativePath) must be a folder, but is a symbolic link")
        case .file, .other:
            throw .invalidPlace("\(place.relativePath) must be a folder, but is not one")
        }
    }
}

/// Installed content with its path.
public struct PlacedContent: Sendable, Hashable {
    /// Path of the content in the content directory.
    public let path: ContentPath
    public let content: InstalledContent
}

extension ContentPath {
    /// Digest of the path, used as a file name.
    var digest: String { SHA256.hash(data: Array(description.utf8)).hexadecimal }
}
