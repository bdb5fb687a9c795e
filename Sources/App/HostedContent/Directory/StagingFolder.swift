internal import Foundation
internal import VitrineCatalog
internal import VitrineFileSystem
internal import VitrineSupport

/// Folder for the assembly of content before it is renamed into its final location.
///
/// The process that creates a staging folder holds a lock on it, which ends with the process: a folder that is not
/// locked was abandoned. Staging folders are created, found and removed only while the content directory is locked.
struct StagingFolder {
    let url: URL
    private let root: URL
    private let path: ContentPath?
    private let lock: FolderLock

    private static let areaName = ReservedContentName.staging.rawValue
    private static let pathName = "Path"
    private static let numberName = "Number"
    /// Maximum length in bytes of the content path that a staging folder stores.
    private static let longestPath = 1024

    private static func area(of root: URL) -> URL { root.appending(component: areaName) }

    /// Creates a staging folder in a content directory.
    ///
    /// - Parameter path: Path at which the assembled content will be installed; `nil` for a folder that only receives
    ///   content to be removed.
    init(in root: URL, for path: ContentPath? = nil) throws(ContentError) {
        let url = Self.area(of: root).appending(component: Self.prefix(for: path) + UUID().uuidString)
        lock = try FolderLock.locking(root) { () throws(ContentError) in
            try FolderTree.makeFolder(Self.area(of: root))
            try FolderTree.makeFolder(url)
            guard let lock = try FolderTree.lockIfFree(url) else {
                throw ContentError.storage(
                    "\(url.relativePath) cannot be used: another process is installing content in it")
            }
            return lock
        }
        self.root = root
        self.path = path
        self.url = url
    }

    // MARK: Moved content

    /// Returns the location in a staging folder for replaced content. It is used if the file system cannot exchange the
    /// old and the new content in one step.
    static func replaced(in folder: URL) -> URL { folder.appending(component: "old") }

    /// Returns the location in a staging folder for content that was installed at a parent folder of the new content's
    /// path.
    static func content(inTheWay depth: Int, in folder: URL) -> URL {
        folder.appending(component: "in-the-way-\(depth)")
    }

    /// Returns the path of the new content that is assembled in a staging folder.
    ///
    /// - Returns: `nil` if no old content was moved into the folder.
    static func path(of folder: URL) throws(ContentError) -> ContentPath? {
        let file = folder.appending(component: pathName)
        guard try FolderTree.status(of: file) != nil else { return nil }
        let bytes = try BoundedFile.content(of: file, limit: longestPath)
        // An incomplete path was never used: old content is moved only after the path is written.
        return try? ContentPath(String(decoding: bytes, as: UTF8.self))
    }

    func folderForReplaced() throws(ContentError) -> URL {
        try writePath()
        return Self.replaced(in: url)
    }

    func folderForContent(inTheWay depth: Int) throws(ContentError) -> URL {
        try writePath()
        return Self.content(inTheWay: depth, in: url)
    }

    /// Writes the path of the new content into the staging folder before other content is moved there: if the process
    /// then ends, the next launch needs the path to restore that content.
    private func writePath() throws(ContentError) {
        guard let path else { return }
        try write(path.description, to: Self.pathName)
    }

    /// Writes the path of the new content and the number of its folder, before its download is moved into the staging
    /// folder: if the process then ends, the next launch needs both to tell whether the content is installed.
    func note(_ content: URL) throws(ContentError) {
        guard let number = try FolderTree.status(of: content)?.number else { return }
        try write("\(number)", to: Self.numberName)
        try writePath()
    }

    /// Returns `true` if the folder at a path is the new content that was assembled in a staging folder.
    static func isInstalled(_ place: URL, from folder: URL) throws(ContentError) -> Bool {
        let file = folder.appending(component: numberName)
        guard try FolderTree.status(of: file) != nil, let number = try FolderTree.status(of: place)?.number else {
            return false
        }
        return try BoundedFile.content(of: file, limit: 20) == Data("\(number)".utf8)
    }

    private func write(_ text: String, to name: String) throws(ContentError) {
        let file = url.appending(component: name)
        guard try FolderTree.status(of: file) == nil else { return }
        try FileBlocks.write(file) { (write) throws(ContentError) in try write(Data(text.utf8)) }
    }

    // MARK: Locks

    /// Returns the prefix of the names of the staging folders for one content path.
    private static func prefix(for path: ContentPath?) -> String { path.map { "\($0.digest.prefix(32))-" } ?? "" }

    /// Returns `true` if a process is assembling content for a path. Called while the content directory is locked.
    static func isOpen(for path: ContentPath, in root: URL) throws(ContentError) -> Bool {
        let area = area(of: root)
        guard try FolderTree.status(of: area)?.kind == .folder else { return false }
        for name in try FolderTree.namesIfPresent(in: area) ?? [] where name.hasPrefix(prefix(for: path)) {
            if try FolderTree.lockIfFree(area.appending(component: name)) == nil { return true }
        }
        return false
    }

    /// Removes the staging folder and everything in it.
    func remove() throws(ContentError) {
        defer { withExtendedLifetime(lock) {} }
        try FolderLock.locking(root) { () throws(ContentError) in
            try FolderTree.remove(url)
            try FolderTree.removeFolderIfEmpty(Self.area(of: root))
        }
    }

    /// Removes the staging folders of processes that have ended.
    ///
    /// - Parameter rescue: Called with each folder before its removal, to restore content that was moved there.
    static func removeAbandoned(in root: URL, _ rescue: (URL) throws(ContentError) -> Void) throws(ContentError) {
        let area = area(of: root)
        guard try FolderTree.status(of: area) != nil else { return }
        try FolderLock.locking(root) { () throws(ContentError) in
            guard try FolderTree.status(of: area)?.kind == .folder else { return try FolderTree.remove(area) }
            for name in try FolderTree.names(in: area) {
                let folder = area.appending(component: name)
                guard try FolderTree.status(of: folder)?.kind == .folder else {
                    try FolderTree.remove(folder)
                    continue
                }
                guard let lock = try FolderTree.lockIfFree(folder) else { continue }
                defer { withExtendedLifetime(lock) {} }
                try rescue(folder)
                try FolderTree.remove(folder)
            }
            try FolderTree.removeFolderIfEmpty(area)
        }
    }
}
