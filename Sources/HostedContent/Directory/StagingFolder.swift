internal import FileSystem
internal import Foundation
internal import ProductCatalog

/// A folder in which content is put together before it is renamed into place.
///
/// Its maker holds a lock on it, which goes with the process: whoever can take the lock knows that the folder was
/// abandoned. Staging folders are made, found abandoned and removed only while the content directory is locked.
struct StagingFolder {
    let url: URL
    private let root: URL
    private let path: ContentPath?
    private let lock: FolderLock

    static let areaName = ".staging"
    private static let pathName = "Path"
    /// In bytes; no path is longer.
    private static let longestPath = 1024

    private static func area(of root: URL) -> URL { root.appending(component: areaName) }

    /// Makes a new one in a content directory.
    ///
    /// - Parameter path: Where its content will be installed; `nil` for one in which nothing is put together.
    init(in root: URL, for path: ContentPath? = nil) throws(ContentError) {
        let url = Self.area(of: root).appending(component: Self.prefix(for: path) + UUID().uuidString)
        lock = try FolderLock.locking(root) { () throws(ContentError) in
            try FolderTree.makeFolder(Self.area(of: root))
            try FolderTree.makeFolder(url)
            guard let lock = try FolderTree.lockIfFree(url) else {
                throw ContentError(code: .storage, reason: "\(url.relativePath) is in use")
            }
            return lock
        }
        self.root = root
        self.path = path
        self.url = url
    }

    // MARK: What goes aside

    /// Where content goes that the new content replaces, where they cannot be exchanged.
    static func replaced(in folder: URL) -> URL { folder.appending(component: "old") }

    /// Where content goes that is installed in one of the folders on the way to the new content's place.
    static func content(inTheWay depth: Int, in folder: URL) -> URL {
        folder.appending(component: "in-the-way-\(depth)")
    }

    /// The place of the content that is put together, where something else goes aside for it.
    ///
    /// - Returns: `nil` where nothing does.
    static func path(of folder: URL) throws(ContentError) -> ContentPath? {
        let file = folder.appending(component: pathName)
        guard try FolderTree.status(of: file) != nil else { return nil }
        do {
            let bytes = try BoundedFile.read(file, limit: longestPath)
            // One that was not written to its end was not used.
            return try? ContentPath(String(decoding: bytes, as: UTF8.self))
        } catch {
            throw ContentError(code: .storage, reason: "\(file.relativePath): \(error.reason)")
        }
    }

    func folderForReplaced() throws(ContentError) -> URL {
        try writePath()
        return Self.replaced(in: url)
    }

    func folderForContent(inTheWay depth: Int) throws(ContentError) -> URL {
        try writePath()
        return Self.content(inTheWay: depth, in: url)
    }

    /// Before anything goes aside, it is written down where to: the process may end then.
    private func writePath() throws(ContentError) {
        let file = url.appending(component: Self.pathName)
        guard let path, try FolderTree.status(of: file) == nil else { return }
        try FileBlocks.write(file) { (write) throws(ContentError) in try write(Data(path.description.utf8)) }
    }

    // MARK: Whose it is

    /// The beginning of the names of folders for a place.
    private static func prefix(for path: ContentPath?) -> String { path.map { "\($0.digest.prefix(32))-" } ?? "" }

    /// Somebody puts content together for a place. Asked while the directory is locked.
    static func isOpen(for path: ContentPath, in root: URL) throws(ContentError) -> Bool {
        let area = area(of: root)
        guard try FolderTree.status(of: area)?.kind == .folder else { return false }
        for name in try FolderTree.names(in: area) where name.hasPrefix(prefix(for: path)) {
            if try FolderTree.lockIfFree(area.appending(component: name)) == nil { return true }
        }
        return false
    }

    /// Removes the folder with all that is in it.
    func remove() throws(ContentError) {
        defer { withExtendedLifetime(lock) {} }
        try FolderLock.locking(root) { () throws(ContentError) in
            try FolderTree.remove(url)
            try FolderTree.removeFolderIfEmpty(Self.area(of: root))
        }
    }

    /// Removes what processes that have ended left in a content directory.
    ///
    /// - Parameter rescue: Is called with each folder before it goes.
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
