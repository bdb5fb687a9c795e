internal import Foundation
internal import ProductCatalog

/// A folder in which content is put together before it is renamed into place.
///
/// Its maker holds a lock on it, which goes with the process: whoever can take the lock knows that the folder was
/// abandoned. Staging folders are made, found abandoned and removed only while the content directory is locked.
struct StagingFolder {
    let url: URL
    private let root: URL
    private let lock: FolderLock

    static let areaName = ".staging"

    private static func area(of root: URL) -> URL { root.appending(component: areaName) }

    /// Makes a new one in a content directory.
    ///
    /// - Parameter path: Where its content will be installed; `nil` for one in which nothing is put together.
    init(in root: URL, for path: ContentPath? = nil) throws(ContentError) {
        let url = Self.area(of: root).appending(component: Self.prefix(for: path) + UUID().uuidString)
        lock = try FolderLock.locking(root) { () throws(ContentError) in
            try FolderTree.makeFolder(Self.area(of: root))
            try FolderTree.makeFolder(url)
            guard let lock = try FolderLock.unlessTaken(url) else {
                throw ContentError(code: .storage, reason: "\(url.relativePath) is in use")
            }
            return lock
        }
        self.root = root
        self.url = url
    }

    /// The beginning of the names of folders for a place.
    private static func prefix(for path: ContentPath?) -> String { path.map { "\($0.digest.prefix(32))-" } ?? "" }

    /// Somebody puts content together for a place. Asked while the directory is locked.
    static func isOpen(for path: ContentPath, in root: URL) throws(ContentError) -> Bool {
        let area = area(of: root)
        guard try FolderTree.status(of: area)?.kind == .folder else { return false }
        for name in try FolderTree.names(in: area) where name.hasPrefix(prefix(for: path)) {
            if try FolderLock.unlessTaken(area.appending(component: name)) == nil { return true }
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
    static func removeAbandoned(in root: URL) throws(ContentError) {
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
                guard let lock = try FolderLock.unlessTaken(folder) else { continue }
                defer { withExtendedLifetime(lock) {} }
                try FolderTree.remove(folder)
            }
            try FolderTree.removeFolderIfEmpty(area)
        }
    }
}
